/** The HTTP door: who is let in, what the upstream gets, and what comes back. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseConfig } from '../../src/gateway/config/read-config.ts';
import { digestOf, doorConfig, KEY, OTHER_KEY, startDoor } from '../support/gateway/door.ts';
import { linesOf, runGateway, startGateway } from '../support/gateway/gateway.ts';
import { startUpstream } from '../support/http/upstream.ts';

const SECRET = 'sk-REAL-Zk4eC39HqLyjWD/arjtT1zdp7dc';
const EXPIRED = 'gh_expired-key-000000000000000000000000';
const NARROW = 'gh_opens-one-target-00000000000000000000';

const upstream = await startUpstream();
const target = { description: 'd', base_url: `${upstream.url}/base` };
const user = {
  secrets: { key: SECRET },
  targets: [
    {
      ...target,
      id: 'echo',
      methods: ['GET', 'HEAD', 'POST', 'DELETE'],
      inject: { headers: { Authorization: 'Bearer ${key}' } },
    },
    { ...target, id: 'by header', inject: { headers: { 'X-Custom': 'Token ${key}' } } },
    { ...target, id: 'by-query', inject: { query: { key: '${key}' } } },
    { ...target, id: 'narrow', paths: ['/base/only/*'] },
    { ...target, id: 'limited', rate_limit: '1/h' },
    { ...target, id: 'small', max_response_bytes: 1000 },
    { ...target, id: 'impatient', timeout: '200ms', idle_timeout: '300ms' },
    { ...target, id: 'streams', timeout: '2s' },
    { ...target, id: 'json', methods: ['POST'], inject: { body: { '$.key': '${key}' } } },
  ],
  keys: [
    { name: 'laptop', key: digestOf(KEY) },
    { name: 'other', key: OTHER_KEY },
    { name: 'old', key: EXPIRED, expires: '2020-01-01' },
    { name: 'narrow', key: NARROW, targets: ['echo'] },
  ],
};
const door = await startDoor(user);
after(async () => {
  await door.gateway.stop();
  await upstream.close();
});

const last = () => upstream.received.at(-1)!;
const basic = (name: string, password: string) =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

describe('a key is accepted', () => {
  const places: [place: string, path: string, headers: Record<string, string>][] = [
    ['as a bearer token', 'echo/x', { authorization: `Bearer ${KEY}` }],
    ['behind another scheme', 'echo/x', { authorization: `token ${KEY}` }],
    ['alone', 'echo/x', { authorization: KEY }],
    ['as the password of Basic', 'echo/x', { authorization: basic('anybody', KEY) }],
    ['as the user of Basic', 'echo/x', { authorization: basic(KEY, '') }],
    ['in x-api-key', 'echo/x', { 'X-Api-Key': KEY }],
    ['in api-key', 'echo/x', { 'api-key': KEY }],
    ['in x-goog-api-key', 'echo/x', { 'x-goog-api-key': KEY }],
    ['in private-token', 'echo/x', { 'PRIVATE-TOKEN': KEY }],
    ['in the header that the target injects', 'by%20header/x', { 'x-custom': KEY }],
    ['in that header, as it is injected', 'by%20header/x', { 'x-custom': `Token ${KEY}` }],
    ['in the parameter that the target injects', `by-query/x?a=1&key=${KEY}&b=%20`, {}],
    ['in several places', 'echo/x', { authorization: `Bearer ${KEY}`, 'x-api-key': KEY }],
  ];
  for (const [place, path, headers] of places) {
    test(`${place}, and never sent on`, async () => {
      const { status } = await door.send(path, { key: false, headers });
      assert.equal(status, 200);
      assert.ok(!JSON.stringify(last()).includes(KEY.slice(3)));
      assert.ok(JSON.stringify(last()).includes(SECRET) || last().url.includes('key=sk-REAL'));
    });
  }
});

describe('a request is refused', () => {
  const rows: [what: string, path: string, headers: Record<string, string>, expected: string][] = [
    ['without a key', 'echo/x', {}, '401 unauthorized'],
    ['with a wrong key', 'echo/x', { authorization: `Bearer ${KEY}x` }, '401 unauthorized'],
    ['with a wrong key at no target', 'nope/x', { authorization: 'Bearer no' }, '401 unauthorized'],
    ['with an expired key', 'echo/x', { authorization: `Bearer ${EXPIRED}` }, '401 unauthorized'],
    ['with a key in another header', 'echo/x', { 'x-foo': KEY }, '401 unauthorized'],
    [
      'with two keys',
      'echo/x',
      { authorization: `Bearer ${KEY}`, 'x-api-key': OTHER_KEY },
      '400 ambiguous_key',
    ],
    [
      'with the key also where it would be sent on',
      'echo/x',
      { authorization: `Bearer ${KEY}`, 'x-foo': `a ${KEY}` },
      '400 ambiguous_key',
    ],
    ['for no target', 'nope/x', { 'x-api-key': KEY }, '403 no_target'],
    [
      'for a target that the key does not open',
      'limited/x',
      { 'x-api-key': NARROW },
      '403 no_target',
    ],
    [
      'for a path that the target does not accept',
      'narrow/x',
      { 'x-api-key': KEY },
      '403 no_target',
    ],
    ['for a path with ..', 'echo/a/../../x', { 'x-api-key': KEY }, '400 invalid_url'],
    ['for an encoded ..', 'echo/%2e%2e/x', { 'x-api-key': KEY }, '400 invalid_url'],
    ['with a range', 'echo/x', { 'x-api-key': KEY, range: 'bytes=0-1' }, '400 reserved_header'],
    [
      'with another authorization beside the key',
      'echo/x',
      { 'x-api-key': KEY, authorization: 'Bearer mine' },
      '400 reserved_header',
    ],
    [
      'with a method override',
      'echo/x',
      { 'x-api-key': KEY, 'x-http-method-override': 'DELETE' },
      '400 reserved_header',
    ],
    [
      'from a foreign origin',
      'echo/x',
      { 'x-api-key': KEY, origin: 'https://evil.example' },
      '403 forbidden_origin',
    ],
    [
      'by a navigation',
      'echo/x',
      { 'x-api-key': KEY, 'sec-fetch-mode': 'navigate' },
      '403 forbidden_origin',
    ],
    [
      'for a service worker',
      'echo/x',
      { 'x-api-key': KEY, 'service-worker': 'script' },
      '403 forbidden_origin',
    ],
    [
      'under another host name',
      'echo/x',
      { 'x-api-key': KEY, host: 'evil.example' },
      '403 forbidden_host',
    ],
  ];
  for (const [what, path, headers, expected] of rows) {
    test(what, async () => {
      const sent = upstream.received.length;
      const answer = await door.send(path, { key: false, headers });
      const { error, status, message } = JSON.parse(answer.body);
      assert.equal(`${answer.status} ${error}`, expected);
      assert.equal(status, answer.status);
      assert.ok(message.length > 10);
      assert.equal(upstream.received.length, sent);
      assert.equal(answer.headers['content-security-policy'], "sandbox; default-src 'none'");
      const audit = await door.audit();
      assert.deepEqual([audit.error, audit.status], [error, status]);
    });
  }

  test('for its method', async () => {
    const { status, body } = await door.send('narrow/only/x', { method: 'DELETE' });
    assert.deepEqual([status, JSON.parse(body).error], [403, 'method_not_allowed']);
  });

  test('for its rate, with the time to wait', async () => {
    await door.send('limited/x');
    const { status, body, headers } = await door.send('limited/x');
    assert.deepEqual([status, JSON.parse(body).error], [429, 'rate_limited']);
    assert.ok(Number(headers['retry-after']) > 3000);
  });

  test('for a body over 1 MiB, and the client can read why', async () => {
    const body = 'x'.repeat(1024 * 1024 + 1);
    for (const size of [body, body + body.slice(2), body.repeat(4)]) {
      const answer = await door.send('echo/x', { method: 'POST', body: size });
      assert.deepEqual([answer.status, JSON.parse(answer.body).error], [413, 'request_too_large']);
    }
  });

  for (const [why, key, sentFirst, status] of [
    ['too long a body', KEY, 3, 413],
    ['an unknown key', 'gh_unknown', 0, 401],
  ] as const) {
    test(`for ${why}, while the client is still sending and wants to close`, async () => {
      const other = await startDoor(user);
      const socket = connect(other.gateway.port, '127.0.0.1');
      let received = '';
      socket.setEncoding('utf8').on('data', (text: string) => {
        received += text;
      });
      const piece = Buffer.alloc(1024 * 1024, 'x');
      const head = ['POST /via/echo/x HTTP/1.1', 'Host: 127.0.0.1', `Authorization: Bearer ${key}`];
      head.push('Connection: close', `Content-Length: ${16 * piece.length}`, '', '');
      socket.write(head.join('\r\n'));
      for (let n = 0; n < sentFirst; n++) socket.write(piece);
      await once(socket, 'data');
      for (let n = sentFirst; n < 16; n++) {
        if (!socket.write(piece)) await once(socket, 'drain');
      }
      assert.match(received, new RegExp(`^HTTP/1\\.1 ${status} `));
      socket.destroy();
      await other.gateway.stop();
    });
  }

  test('with a challenge that git and curl understand', async () => {
    const { headers } = await door.send('echo/x', { key: false });
    assert.match(String(headers['www-authenticate']), /Bearer realm=.*Basic realm=/);
  });
});

test('guesses of keys are limited for their source, and a valid key passes', async () => {
  const other = await startDoor(user, { login_rate_limit: '3/h' });
  const guesses = [];
  for (let n = 0; n < 6; n++) {
    guesses.push(
      (await other.send('echo/x', { headers: { authorization: `Bearer ${n}` } })).status,
    );
  }
  assert.deepEqual(guesses, [401, 401, 401, 429, 429, 429]);
  assert.equal((await other.send('echo/x')).status, 200);
  await other.gateway.stop();
});

describe('the upstream gets', () => {
  test('path, query and body as they were sent', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe, 0x41]);
    const path = 'echo/a%20b/%C3%A4;x=1/?q=%7e&q=2&empty';
    await door.send(path, { method: 'POST', body: bytes, headers: { 'content-type': 'x/y' } });
    const { url, method, headers } = last();
    assert.equal(url, '/base/a%20b/%C3%A4;x=1/?q=%7e&q=2&empty');
    assert.equal(method, 'POST');
    assert.deepEqual([headers['content-type'], headers['content-length']], ['x/y', '4']);
    await door.send('echo', {});
    assert.equal(last().url, '/base');
    await door.send('echo/', {});
    assert.equal(last().url, '/base/');
  });

  test('the credential, and none of the headers of the connection to the gateway', async () => {
    const headers = {
      ...{ cookie: 'a=b', forwarded: 'for=1.2.3.4', via: '1.1 x', 'x-forwarded-for': '1.2.3.4' },
      ...{ 'x-real-ip': '1.2.3.4', te: 'trailers', connection: 'close, x-hop', 'x-hop': '1' },
      ...{ 'accept-encoding': 'gzip', 'x-own': 'kept', 'user-agent': 'sdk/1' },
    };
    await door.send('echo/x', { headers });
    const { headers: got } = last();
    assert.equal(got.authorization, `Bearer ${SECRET}`);
    assert.deepEqual([got['x-own'], got['user-agent']], ['kept', 'sdk/1']);
    assert.equal(got['accept-encoding'], 'identity');
    const leaked = Object.keys(headers).filter((name) => name in got);
    assert.deepEqual(leaked.sort(), ['accept-encoding', 'connection', 'user-agent', 'x-own']);
    assert.equal(got.connection, 'keep-alive');
  });

  test('the credential in a JSON body', async () => {
    const headers = { 'content-type': 'application/json' };
    await door.send('json/x', { method: 'POST', body: '{"a":1}', headers });
    assert.deepEqual(JSON.parse(last().body), { a: 1, key: SECRET });
    const { status, body } = await door.send('json/x', { method: 'POST', body: 'a', headers });
    assert.deepEqual([status, JSON.parse(body).error], [400, 'body_injection_failed']);
  });
});

describe('the answer', () => {
  test('has no secret in it, and no header that would act on the origin of the gateway', async () => {
    upstream.routes.set('/base/odd', (request, response) => {
      response.writeHead(418, {
        'content-type': 'text/html',
        'set-cookie': 'a=b',
        'access-control-allow-origin': '*',
        'content-security-policy': "default-src 'self'",
        'strict-transport-security': 'max-age=1',
        'clear-site-data': '"*"',
        'service-worker-allowed': '/',
        refresh: '0;url=/',
        link: '</x>; rel=preload',
        'alt-svc': 'h3=":443"',
        'cache-control': 'public, max-age=9999',
        etag: '"abc"',
        'x-reflected': String(request.headers.authorization),
        'x-own': 'kept',
      });
      response.end(`<script>${request.headers.authorization}</script>`);
    });
    const { status, headers, body } = await door.send('echo/odd');
    assert.equal(status, 418);
    assert.equal(body, '<script>Bearer [REDACTED]</script>');
    const { date, connection, ...rest } = headers;
    assert.ok(date && connection);
    assert.deepEqual(rest, {
      'content-type': 'text/html',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, no-store',
      'x-reflected': 'Bearer [REDACTED]',
      'x-own': 'kept',
      // Of what the client gets, not of what the upstream sent.
      'content-length': String(body.length),
    });
  });

  for (const [location, expected] of [
    ['/base/next?x=1#f', '/via/echo/next?x=1#f'],
    ['next', '/via/echo/next'],
    ['/elsewhere', undefined],
    ['/based', undefined],
    ['https://evil.example/base/x', undefined],
    ['//evil.example/base/x', undefined],
  ] as const) {
    test(`redirects to ${location} as ${expected ?? 'nothing'}`, async () => {
      upstream.routes.set('/base/redirect', (_request, response) => {
        response.writeHead(302, { location }).end();
      });
      const { status, headers } = await door.send('echo/redirect');
      assert.deepEqual([status, headers.location], [302, expected]);
    });
  }

  test('is decoded, redacted and sent plain', async () => {
    upstream.routes.set('/base/gzip', (request, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(`a ${request.headers.authorization} b`));
    });
    const { headers, body } = await door.send('echo/gzip');
    assert.equal(headers['content-encoding'], undefined);
    assert.equal(body, 'a Bearer [REDACTED] b');
  });

  test('to HEAD has no body', async () => {
    const { status, body } = await door.send('echo/x', { method: 'HEAD' });
    assert.deepEqual([status, body], [200, '']);
  });

  test('beyond the cap is aborted, never ended', async () => {
    upstream.routes.set('/base/large', (_request, response) => response.end('y'.repeat(5_000)));
    await assert.rejects(door.send('small/large'), /aborted|ECONNRESET/);
    const line = await door.audit();
    assert.deepEqual([line.truncated, line.status], [true, 200]);
  });

  test('of exactly the cap is whole', async () => {
    upstream.routes.set('/base/fits', (_request, response) => response.end('y'.repeat(1_000)));
    assert.equal((await door.send('small/fits')).body.length, 1_000);
  });

  test('that the upstream breaks off is aborted, too', async () => {
    upstream.routes.set('/base/broken', (_request, response) => {
      response.write('y'.repeat(50_000), () => response.destroy());
    });
    await assert.rejects(door.send('echo/broken'), /aborted|ECONNRESET/);
  });

  test('that never begins is upstream_timeout; one that pauses too long is aborted', async () => {
    upstream.routes.set('/base/silent', () => {});
    const { status, body } = await door.send('impatient/silent');
    assert.deepEqual([status, JSON.parse(body).error], [504, 'upstream_timeout']);
    upstream.routes.set('/base/pause', (_request, response) => void response.write('x'));
    await assert.rejects(door.send('impatient/pause'), /aborted|ECONNRESET/);
  });

  test('may take longer than the timeout while pieces come', async () => {
    upstream.routes.set('/base/slow', async (_request, response) => {
      for (let n = 0; n < 6; n++) {
        response.write(`data: ${n}\n\n`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      response.end();
    });
    assert.match((await door.send('impatient/slow')).body, /data: 5/);
  });
});

describe('a stream', () => {
  test('passes event by event, and its first byte waits for no last', async () => {
    let next = () => {};
    upstream.routes.set('/base/events', (request, response) => {
      response.setHeader('content-type', 'text/event-stream');
      let n = 0;
      next = () => void response.write(`data: ${n++} ${request.headers.authorization}\n\n`);
      next();
    });
    const response = await openStream('echo/events');
    response.setEncoding('utf8');
    for (let n = 0; n < 4; n++) {
      const [event] = await once(response, 'data');
      assert.equal(event, `data: ${n} Bearer [REDACTED]\n\n`);
      next();
    }
    response.destroy();
  });

  test('that stays open, two hundred times, leaves room for a request to the same target', async () => {
    upstream.routes.set('/base/idle', (_request, response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.write('data: first\n\n');
    });
    const streams: IncomingMessage[] = [];
    for (let n = 0; n < 200; n++) {
      const stream = await openStream('streams/idle');
      assert.equal(stream.statusCode, 200, `stream ${n}`);
      streams.push(stream);
    }
    assert.equal((await door.send('streams/x')).status, 200);
    for (const stream of streams) stream.destroy();
  });

  test('ends at the upstream when its client is gone', async () => {
    const { promise: isClosed, resolve } = Promise.withResolvers<void>();
    upstream.routes.set('/base/endless', (_request, response) => {
      response.once('close', resolve);
      response.write('x'.repeat(100_000));
    });
    const response = await openStream('echo/endless');
    await once(response, 'data');
    response.destroy();
    await isClosed;
  });

  test('is read from the upstream only as fast as its client reads', async () => {
    const chunk = Buffer.alloc(256 * 1024, 'z');
    const { promise: isFull, resolve } = Promise.withResolvers<number>();
    upstream.routes.set('/base/flood', (_request, response) => {
      let sent = 0;
      const send = () => {
        sent += chunk.length;
        if (sent > 512 * 1024 * 1024) resolve(sent);
        else if (response.write(chunk)) setImmediate(send);
        else response.once('drain', send);
      };
      response.once('close', () => resolve(sent));
      send();
    });
    const large = await startDoor({
      ...user,
      targets: [{ ...user.targets[0], max_response_bytes: 2 ** 40, idle_timeout: '1s' }],
      keys: [{ name: 'laptop', key: digestOf(KEY) }],
    });
    const socket = connect(large.gateway.port, '127.0.0.1');
    socket.write(`GET /via/echo/flood HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: ${KEY}\r\n\r\n`);
    socket.pause();
    // The client never reads: after the idle timeout the call is cut.
    assert.ok((await isFull) < 64 * 1024 * 1024);
    socket.destroy();
    await large.gateway.stop();
  });

  async function openStream(path: string): Promise<IncomingMessage> {
    const headers = { 'x-api-key': KEY };
    const request = httpRequest(`${door.gateway.url}/via/${path}`, { headers, agent: false });
    request.on('error', () => {}).end();
    const [response] = await once(request, 'response');
    return response;
  }
});

describe('the configuration', () => {
  test('opens the door with its first key and closes it with its last, without a restart', async () => {
    const gateway = await startGateway({ config: doorConfig({ ...user, keys: [] }) });
    const ask = () =>
      fetch(`${gateway.url}/via/echo/x`, { headers: { 'x-api-key': KEY } }).then(
        ({ status }) => status,
      );
    assert.equal(await ask(), 404);
    gateway.writeConfig(doorConfig(user));
    await linesOf(gateway, ['config_reloaded'], 1);
    assert.equal(await ask(), 200);

    upstream.routes.set(
      '/base/held',
      (_request, response) => void response.write('x'.repeat(9_000)),
    );
    const held = await fetch(`${gateway.url}/via/echo/held`, { headers: { 'x-api-key': KEY } });
    gateway.writeConfig(doorConfig({ ...user, keys: [{ name: 'other', key: OTHER_KEY }] }));
    await assert.rejects(held.text());
    assert.equal(await ask(), 401);
    gateway.writeConfig(doorConfig({ ...user, keys: [] }));
    await linesOf(gateway, ['config_reloaded'], 3);
    assert.equal(await ask(), 404);
    await gateway.stop();
  });

  test('is refused with every problem of a key at once', () => {
    const keys = [
      { name: 'short', key: 'gh_short' },
      { name: 'a b', key: KEY },
      { name: 'twin', key: KEY },
      { name: 'twin', key: OTHER_KEY, targets: ['nope'], expires: '2027-02-30' },
      { key: 'sha256:abc' },
    ];
    const config = JSON.parse(doorConfig({ ...user, keys }, { public_url: 'http://127.0.0.1:1' }));
    const { problems } = parseConfig(JSON.stringify(config), 'c.yaml', { env: {} });
    assert.deepEqual(
      problems.errors.map(({ key, message }) => `${key?.replace('users[0].keys', '')}: ${message}`),
      [
        '[0].key: must be a key of 32 to 512 visible ASCII characters or sha256: and its digest; make one with: gateway key',
        '[1].name: "a b" is not a name of 1 to 64 letters, digits, dots, dashes and underscores',
        '[2].key: is also another key; make a new one',
        '[3].name: the key twin is defined twice',
        '[3].targets[0]: "nope" is not the id of a target of this user',
        '[3].expires: "2027-02-30" is not a day such as "2027-01-31"',
        '[4]: name is missing; the audit log names the key by it',
        '[4].key: must be a key of 32 to 512 visible ASCII characters or sha256: and its digest; make one with: gateway key',
      ],
    );
  });

  test('is shown by validate, which warns of an expired key', async () => {
    const env = { GATEWAY_PUBLIC_URL: 'http://127.0.0.1:2019' };
    const { stdout, stderr } = await runGateway(['validate', door.gateway.configPath], { env });
    assert.match(stdout, /\n {2}key laptop: all targets\n/);
    assert.match(stdout, /\n {2}key narrow: echo\n/);
    assert.match(stdout, /\n {2}key old: all targets, until 2020-01-01\n/);
    assert.match(stderr, /warning: .*the key has expired/);
    assert.ok(!stdout.includes(OTHER_KEY));
  });

  test('takes what gateway key prints', async () => {
    const { stdout } = await runGateway(['key']);
    const [key = '', digest] = stdout.trim().split('\n');
    assert.match(key, /^gh_[\w-]{43}$/);
    assert.equal(digest, digestOf(key));
  });

  test('nothing of all this was an internal error, and no line holds a key or a secret', () => {
    const log = door.gateway.stdout();
    assert.doesNotMatch(log, /internal_error/);
    for (const text of [KEY, OTHER_KEY, EXPIRED, SECRET]) assert.ok(!log.includes(text));
    assert.equal(door.gateway.stderr(), '');
  });
});
