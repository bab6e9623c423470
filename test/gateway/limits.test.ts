/** Limits on what is sent in: request bodies, URLs, and the MCP message that carries them. */
import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, beforeEach, describe, test } from 'node:test';
import { startSignedIn } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';

const MIB = 1_048_576;
const MAX_MESSAGE = 8 * MIB;
const MAX_URL = 16_384;

const upstream = await startUpstream((_request, response) => response.end('ok'));
const signedIn = await startSignedIn({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [
    {
      name: 'alice',
      targets: [{ id: 'api', description: 'd', base_url: upstream.url, methods: ['GET', 'POST'] }],
    },
  ],
});

beforeEach(() => {
  upstream.received.length = 0;
});

after(async () => {
  await signedIn.gateway.stop();
  await upstream.close();
});

describe('a request body', () => {
  const passes: [what: string, body: string][] = [
    ['1 MiB of ASCII', 'x'.repeat(MIB)],
    ['1 MiB of two-byte characters', 'é'.repeat(MIB / 2)],
    ['1 MiB of four-byte characters', '\u{1f600}'.repeat(MIB / 4)],
    ['1 MiB that is six when escaped', '\u0001'.repeat(MIB)],
  ];
  for (const [what, body] of passes) {
    test(`of ${what} is sent whole`, async () => {
      const { value } = await signedIn.request('alice', {
        url: upstream.url,
        method: 'POST',
        body,
      });
      assert.equal(value.status, 200);
      assert.ok(upstream.received[0]?.body === body);
    });
  }

  const refused: [what: string, body: string][] = [
    ['one byte over 1 MiB', 'x'.repeat(MIB + 1)],
    ['one byte over, by a character of two', `${'x'.repeat(MIB - 1)}é`],
    ['fewer characters but more bytes than 1 MiB', '\u{1f600}'.repeat(MIB / 4 + 1)],
  ];
  for (const [what, body] of refused) {
    test(`of ${what} is request_too_large`, async () => {
      const { value, audit } = await signedIn.request('alice', {
        url: upstream.url,
        method: 'POST',
        body,
      });
      assert.equal(value.error, 'request_too_large');
      assert.equal(value.status, 413);
      assert.equal(audit.status, 413);
      assert.equal(upstream.received.length, 0);
    });
  }
});

describe('a URL', () => {
  const padded = (length: number) => {
    const start = `${upstream.url}/x?`;
    return start + 'y'.repeat(length - start.length);
  };

  test(`of ${MAX_URL} characters is sent`, async () => {
    // What the upstream makes of it is its own affair: this one takes no more than 16 KiB of headers.
    const { isError, value } = await signedIn.request('alice', { url: padded(MAX_URL) });
    assert.equal(isError, false);
    assert.equal(value.status, 431);
  });

  test('of one more is invalid_url', async () => {
    const { value } = await signedIn.request('alice', { url: padded(MAX_URL + 1) });
    assert.equal(value.error, 'invalid_url');
    assert.equal(upstream.received.length, 0);
  });

  test('that only its query argument makes too long is invalid_url', async () => {
    const { value } = await signedIn.request('alice', {
      url: upstream.url,
      query: { a: 'x'.repeat(MAX_URL) },
    });
    assert.equal(value.error, 'invalid_url');
    assert.equal(upstream.received.length, 0);
  });

  test('of thousands of parameters, in it or beside it, is dealt with', async () => {
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`p${i}`, i]));
    const { value } = await signedIn.request('alice', { url: upstream.url, query: many });
    assert.equal(value.error, 'invalid_url');
    const url = `${upstream.url}/?${'&'.repeat(10_000)}`;
    const { value: again } = await signedIn.request('alice', { url });
    assert.equal(again.status, 200);
    assert.equal(upstream.received[0]?.url, `/?${'&'.repeat(10_000)}`);
  });
});

describe('a header', () => {
  test('may be long, as long as the upstream takes it', async () => {
    const headers = { 'X-Long': 'x'.repeat(8_000) };
    const { value } = await signedIn.request('alice', { url: upstream.url, headers });
    assert.equal(value.status, 200);
    assert.equal(upstream.received[0]?.headers['x-long'], 'x'.repeat(8_000));
  });
});

describe('an MCP message', () => {
  /** A call whose message has exactly that many bytes. */
  function messageOf(bytes: number): string {
    const call = (padding: string) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'http_request', arguments: { url: upstream.url, padding } },
      });
    return call('x'.repeat(bytes - call('').length));
  }

  test('of 8 MiB is taken, and judged by the tool', async () => {
    const { status, text } = await post(messageOf(MAX_MESSAGE));
    assert.equal(status, 200);
    assert.match(text, /invalid_arguments/);
  });

  test('that declares one byte more is 413 before any of it is read, and the gateway lives on', async () => {
    assert.equal((await post('', { declared: MAX_MESSAGE + 1 })).status, 413);
    await assertLivesOn();
  });

  test('that turns out to have one byte more is 413, and the gateway lives on', async () => {
    assert.equal((await post(messageOf(MAX_MESSAGE + 1), { chunked: true })).status, 413);
    await assertLivesOn();
  });

  const broken: [what: string, body: string][] = [
    ['nothing', ''],
    ['half a message', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{'],
    ['no JSON', 'url=http://h/'],
    ['a hundred thousand brackets', '['.repeat(100_000)],
    ['a hundred thousand objects', '{"a":'.repeat(100_000)],
    ['depth within the arguments', argumentsText(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)],
    ['a byte order mark', '\ufeff{}'],
  ];
  for (const [what, body] of broken) {
    test(`that holds ${what} is 400, and the gateway lives on`, async () => {
      const { status } = await post(body);
      assert.equal(status, 400);
      await assertLivesOn();
    });
  }

  test('with __proto__ among its arguments changes nothing', async () => {
    for (const text of [
      '{"__proto__":{"url":"http://127.0.0.1/"}}',
      '{"url":"http://h.invalid/","__proto__":{"method":"POST"}}',
      '{"url":"http://h.invalid/","headers":{"__proto__":{"x":"y"}}}',
      '{"constructor":{"prototype":{"url":"http://h.invalid/"}}}',
    ]) {
      const { status, text: answer } = await post(argumentsText(text));
      assert.equal(status, 200);
      assert.match(answer, /invalid_arguments/, text);
    }
    await assertLivesOn();
  });
});

describe('after all this', () => {
  test('the gateway has failed nowhere', () => {
    const faults = signedIn.gateway.lines().filter((line) => line.level === 'error');
    assert.deepEqual(faults, []);
    assert.equal(signedIn.gateway.stderr(), '');
  });
});

function argumentsText(text: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"http_request","arguments":${text}}}`;
}

async function assertLivesOn(): Promise<void> {
  const { value } = await signedIn.request('alice', { url: upstream.url });
  assert.equal(value.status, 200);
}

/** Posts bytes as they are. In chunks, or with a separate length, the request is never ended. */
function post(
  body: string,
  { chunked = false, declared }: { chunked?: boolean; declared?: number } = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${signedIn.gateway.url}/mcp`, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${signedIn.token('alice')}`,
        ...(chunked ? {} : { 'content-length': declared ?? Buffer.byteLength(body) }),
      },
    });
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text });
        request.destroy();
      });
    });
    if (chunked) request.write(body);
    else if (declared !== undefined) request.flushHeaders();
    else request.end(body);
  });
}
