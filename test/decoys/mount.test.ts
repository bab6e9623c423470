/** The decoys inside another server: real routes, its 404, its authentication, its bodies. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { createServer } from '../../src/core/http/server.ts';
import { joinPieces } from '../../src/core/join-pieces.ts';
import { createLog } from '../../src/core/log/log.ts';
import { parseAddress } from '../../src/core/net/address.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { mountDecoys } from '../../src/decoys/mount.ts';
import { Honeytokens, type Site } from '../../src/decoys/tokens/honeytoken.ts';
import type { TrapOptions } from '../../src/decoys/trap.ts';
import { ask, KEY, type Line, NOW_MS, rpc } from './support.ts';

const tokens = new Honeytokens({ key: KEY, site: 'decoys' });
const THIEF = parseAddress('203.0.113.7')!;
const TOKEN = tokens.issue('accessToken', THIEF, Math.floor(NOW_MS / DAY_MS) - 3);
const running: FastifyInstance[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((app) => app.close()));
});

interface Mounted {
  readonly port: number;
  readonly written: string[];
  lines(): Line[];
  /** Resolves when the lines about what was sent are written. */
  searched(): Promise<void>;
}

async function start(
  options: Partial<TrapOptions> & { isMounted?: boolean } = {},
): Promise<Mounted> {
  const { isMounted = true, ...rest } = options;
  const written: string[] = [];
  const log = createLog({ level: 'debug', write: (line) => written.push(line) });
  const app = createServer({ log });
  running.push(app);
  app.get('/real', async () => ({ real: true }));
  const trap = isMounted
    ? mountDecoys(app, { key: KEY, site: 'gateway', log, now: () => NOW_MS, ...rest })
    : undefined;
  app.register(async (scope) => {
    scope.post('/mcp', async () => ({ real: 'mcp' }));
    scope.post('/mcp/', async () => ({ real: 'mcp' }));
    scope.get('/v1/models', async () => ({ real: 'models' }));
    scope.get(
      '/private',
      {
        onRequest: async (_request, reply) => {
          await reply.code(401).send({ error: 'unauthorized' });
        },
      },
      async () => ({}),
    );
    joinPieces(scope);
    const json = scope.getDefaultJsonParser('error', 'error');
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, json);
    scope.post('/echo', async (request) => ({ got: request.body }));
  });
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  return {
    port,
    written,
    lines: () => written.map((line) => JSON.parse(line)),
    searched: async () => trap?.searched(),
  };
}

/** Everything that came back, but for the clock. */
async function bytes(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.end(request);
  await once(socket, 'close');
  return answer.replace(/date: [^\r]*/i, 'date: -');
}

const post = (path: string, type: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
const get = (path: string, headers = '') =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`;

for (const [what, request] of [
  ['an unknown path', get('/nothing')],
  ['the root', get('/')],
  ['a bare /fetch', get('/fetch')],
  ['HEAD of an unknown path', get('/nothing').replace('GET', 'HEAD')],
  ['a form to an unknown path', post('/nothing', 'application/x-www-form-urlencoded', 'a=b')],
  ['JSON to an unknown path', post('/nothing', 'application/json', '{"a":1}')],
  ['broken JSON to an unknown path', post('/nothing', 'application/json', '{')],
  ['a path that cannot be decoded', get('/%zz')],
  ['a method that a decoy does not know', get('/.aws/credentials').replace('GET', 'DELETE')],
  ['the MCP path of other cases', post('/MCP', 'application/json', rpc('initialize'))],
  ['GET of the real MCP path', get('/mcp')],
  ['a honeytoken at an unknown path', get('/nothing', `Authorization: Bearer ${TOKEN}\r\n`)],
  ['a honeytoken at a real path', get('/real', `Authorization: Bearer ${TOKEN}\r\n`)],
  ['a honeytoken where one has to sign in', get('/private', `X-Api-Key: ${TOKEN}\r\n`)],
  ['a honeytoken in a body', post('/echo', 'application/json', JSON.stringify({ TOKEN }))],
  ['a real path', get('/real')],
] as const) {
  test(`${what} is answered byte for byte as without decoys`, async () => {
    const [without, mounted] = await Promise.all([start({ isMounted: false }), start()]);
    const expected = await bytes(without.port, request);
    assert.match(expected, /^HTTP\/1\.1 \d{3} /);
    assert.equal(await bytes(mounted.port, request), expected);
  });
}

for (const site of ['gateway', 'notes'] as const satisfies readonly Site[]) {
  test(`in ${site} the real routes win, and what they leave is a decoy`, async () => {
    const { port, lines } = await start({ site });
    const call = { method: 'POST', body: rpc('initialize') };
    const json = { ...call, headers: { 'content-type': 'application/json' } };
    assert.equal((await ask(port, '/mcp', json)).body, '{"real":"mcp"}');
    assert.equal((await ask(port, '/mcp/', json)).body, '{"real":"mcp"}');
    assert.equal((await ask(port, '/v1/models')).body, '{"real":"models"}');
    assert.deepEqual(lines(), []);
    assert.match((await ask(port, '/sse', json)).body, /"serverInfo"/);
    assert.match((await ask(port, '/mcp/sse', json)).body, /"serverInfo"/);
    const stream = await ask(port, '/mcp/sse');
    assert.match(stream.body, /^event: endpoint\ndata: \/mcp\/sse\?sessionId=/);
    const file = await ask(port, '/.aws/credentials');
    const id = /AKIA[A-Z2-7]{16}/.exec(file.body)?.[0] ?? '';
    assert.equal(tokens.open(id, NOW_MS)?.address, '127.0.0.1');
    const session = /sessionId=(\S+)/.exec(stream.body)?.[1] ?? '';
    assert.equal(tokens.open(session, NOW_MS)?.site, site);
    assert.deepEqual(
      lines().map(({ event, tag, site: where }) => [event, tag, where]),
      [
        ['decoy_hit', 'mcp-server-probe', site],
        ['decoy_hit', 'mcp-server-probe', site],
        ['decoy_hit', 'mcp-server-probe', site],
        ['decoy_hit', 'aws-credentials', site],
      ],
    );
  });
}

test('the headers of a decoy are written as those of the server it is in', async () => {
  const { port } = await start();
  for (const request of [
    get('/real'),
    get('/.aws/credentials'),
    get('/model/info'),
    post('/sse', 'application/json', rpc('initialize')),
  ]) {
    const [head = ''] = (await bytes(port, request)).split('\r\n\r\n');
    const names = [...head.matchAll(/^([^:\r\n]+): /gm)].map(([, name]) => name);
    // These two are of Node, regardless of who answers.
    const ours = names.filter((name) => name !== 'date' && name !== 'Connection');
    assert.ok(ours.includes('content-type') && ours.includes('content-length'), head);
    assert.ok(
      ours.every((name) => name === name?.toLowerCase()),
      head,
    );
  }
});

const shown: readonly [where: string, request: string][] = [
  ['header authorization', get('/private', `Authorization: Bearer ${TOKEN}\r\n`)],
  ['basic', get('/private', `Authorization: Basic ${btoa(`u:${TOKEN}`)}\r\n`)],
  ['cookie', get('/private', `Cookie: s=${TOKEN}\r\n`)],
  ['url', get(`/private?key=${TOKEN}`)],
  ['url', get(`/nothing/${TOKEN}`)],
  ['url', get(`/%zz?key=${TOKEN}`)],
  ['header x-api-key', get('/%zz', `X-Api-Key: ${TOKEN}\r\n`)],
  ['body', post('/echo', 'application/json', JSON.stringify({ password: TOKEN }))],
  ['body', post('/nothing', 'application/json', JSON.stringify({ password: TOKEN }))],
  ['body', post('/sse', 'application/json', rpc('initialize', { token: TOKEN }))],
  ['body', post('/nothing', 'application/json', TOKEN).replace('POST', 'GET')],
  ['body', post('/api/tags', 'application/json', JSON.stringify({ model: TOKEN }))],
];
for (const [where, request] of shown) {
  test(`a honeytoken in ${where} of ${request.split(' ', 2).join(' ').slice(0, 20)} is told`, async () => {
    const { port, written, lines, searched } = await start();
    await bytes(port, request);
    await searched();
    const used = lines().filter(({ event }) => event === 'honeytoken_used');
    assert.equal(used.length, 1);
    assert.deepEqual(
      [
        'level',
        'tag',
        'source.ip',
        'honeytoken.presented_in',
        'honeytoken.received_by',
        'honeytoken.day',
        'honeytoken.site',
        'honeytoken.field',
      ].map((field) => used[0]?.[field]),
      [
        'warn',
        'ai-assistant-credentials',
        '127.0.0.1',
        where,
        '203.0.113.7',
        '2026-11-12',
        'decoys',
        'accessToken',
      ],
    );
    assert.ok(!written.join('').includes(TOKEN.slice(8)), 'the token itself is in a line');
  });
}

test('a body to an unknown path is not waited for', async () => {
  const { port } = await start();
  const socket = connect(port, '127.0.0.1');
  socket.write('POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  assert.match(chunk.toString('latin1'), /^HTTP\/1\.1 404 /);
  socket.destroy();
});

test('an api_key that somebody presents is told with its id and without an address', async () => {
  const { port, lines, searched } = await start();
  await bytes(port, get('/private', 'X-Api-Key: sk_live_honeypot42\r\n'));
  await searched();
  const [line] = lines();
  assert.deepEqual(
    [line?.event, line?.['honeytoken.api_key_id'], line?.['honeytoken.received_by']],
    ['honeytoken_used', '42', undefined],
  );
});

test('a decoy that fails is the 404, with and without a body to read', async () => {
  const broken = () => {
    throw new Error('broken clock');
  };
  const without = await start({ isMounted: false });
  let calls = 0;
  // The clock is asked once to find the decoy, and fails from the second time on.
  const late = () => (calls++ === 0 ? NOW_MS : broken());
  for (const [now, request] of [
    [broken, get('/.claude/settings.json')],
    [broken, post('/sse', 'application/json', rpc('ping'))],
    [late, post('/sse', 'application/json', rpc('ping', { x: TOKEN }))],
  ] as const) {
    calls = 0;
    const { port, lines } = await start({ now });
    const expected = await bytes(without.port, request);
    const answer = await bytes(port, request);
    if (now === late) assert.match(answer, /"result":\{\}/);
    else assert.equal(answer, expected);
    assert.ok(lines().some(({ event }) => event === 'internal_error'));
  }
});

test('behind a trusted proxy the client is who the proxy says, elsewhere who connects', async () => {
  const header = { 'x-forwarded-for': '8.8.8.8, 198.51.100.9' };
  const trusting = await start({ isTrustedProxy: (peer) => peer === '127.0.0.1' });
  const wary = await start();
  for (const [{ port, lines }, address, from] of [
    [trusting, '198.51.100.9', 'x-forwarded-for'],
    [wary, '127.0.0.1', 'socket'],
  ] as const) {
    const { body } = await ask(port, '/.mcp/mcp.json', { headers: header });
    const token = /hp_live_[a-z2-7]{32}/.exec(body)?.[0] ?? '';
    assert.equal(tokens.open(token, NOW_MS)?.address, address);
    assert.deepEqual(
      [lines()[0]?.['source.ip'], lines()[0]?.['source.learnt_from']],
      [address, from],
    );
  }
});
