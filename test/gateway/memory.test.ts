/**
 * Memory exhaustion by users and their upstreams, against a gateway with a small heap: answers that
 * grow when they are written, clients that do not read, bodies that never end. `npm run test:long`
 * takes the largest answers that a configuration may allow, and a heap to match.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { startSignedIn } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';
import { isLongRun } from '../support/property-runs.ts';

const MIB = 1024 * 1024;
/** In the long run, the most that a configuration may allow. */
const CAP = (isLongRun ? 32 : 8) * MIB;
const HEAP = CAP * 8;
/** Letters that one control character takes: escaped in JSON, and escaped again within a text. */
const WRITTEN = '\\u0001'.length + '\\\\u0001'.length;

/** Twelve of these are written at the same time: more than twice the heap. */
const SMALL_BOMB = CAP / 8;

const upstream = await startUpstream();
const target = { id: 'api', description: 'd', base_url: upstream.url, methods: ['GET', 'POST'] };
const targets = [{ ...target, max_response_bytes: CAP, rate_limit: '100000/s' }];
const signedIn = await startSignedIn(
  {
    server: { allow_networks: ['127.0.0.0/8'], request_timeout: '120s' },
    users: ['alice', 'bob', 'carol'].map((name) => ({ name, targets })),
  },
  { NODE_OPTIONS: `--max-old-space-size=${HEAP / MIB}` },
);

after(async () => {
  await signedIn.gateway.stop();
  await upstream.close();
});

describe('an answer in control characters, which is small when compressed,', () => {
  before(() => {
    for (const [path, length] of [
      ['/bomb', CAP],
      ['/small-bomb', SMALL_BOMB],
    ] as const) {
      const bomb = gzipSync(Buffer.alloc(length, 1));
      upstream.routes.set(path, (_request, response) => {
        response.setHeader('content-encoding', 'gzip');
        response.end(bomb);
      });
    }
  });

  for (const accept of ['application/json', 'text/event-stream']) {
    test(`is written whole as ${accept}, up to the cap`, async () => {
      const answer = await post('alice', call(1, '/bomb'), accept);
      const { bytes, start, end } = await taken(answer);
      assert.equal(answer.headers['content-type'], accept);
      assert.match(start, /(^|\ndata: )\{"jsonrpc":"2\.0","id":1,"result":\{"content"/);
      assert.match(end, /,\\?"truncated\\?":false,.*\}\}\s*$/);
      assert.ok(bytes > CAP * WRITTEN && bytes < CAP * WRITTEN + 4_096, `${bytes}`);
    });
  }

  test('is written to all who ask for it at the same time, in batches and alone', async () => {
    const batch = Array.from({ length: 3 }, (_, id) => call(id, '/small-bomb'));
    const asked = ['alice', 'bob', 'carol'].map((user) => [
      post(user, call(1, '/small-bomb'), 'application/json').then(taken),
      post(user, batch, user === 'bob' ? 'text/event-stream' : 'application/json').then(taken),
    ]);
    const answers = await Promise.all(asked.flat());
    const written = SMALL_BOMB * WRITTEN;
    assert.deepEqual(
      answers.map(({ bytes }) => Math.floor(bytes / written)),
      [1, 3, 1, 3, 1, 3],
    );
  });
});

test('a large answer is the JSON that it would be in one piece', async () => {
  const unit = '{"a":"\\u0001é€😀\u2028\\\\"}\n\u0007\u007f';
  const text = unit.repeat(20_000);
  upstream.routes.set('/mixed', (_request, response) => void response.end(text));
  const { value, raw } = await signedIn.request('alice', { url: `${upstream.url}/mixed` });
  assert.equal(hash(String(value.body)), hash(text));
  const { result } = JSON.parse(raw);
  assert.deepEqual(result.structuredContent, value);
  upstream.routes.set('/bytes', (_request, response) => void response.end(Buffer.alloc(MIB, 0xff)));
  const { value: bytes } = await signedIn.request('alice', { url: `${upstream.url}/bytes` });
  assert.equal(bytes.body_encoding, 'base64');
  assert.equal(bytes.body, Buffer.alloc(MIB, 0xff).toString('base64'));
});

test('a batch gives large answers as they come, and the small ones after them', async () => {
  upstream.routes.set('/large', (_request, response) => void response.end('x'.repeat(MIB)));
  upstream.routes.set('/small', (_request, response) => void response.end('small'));
  const batch = ['/small', '/large', '/small', '/large'].map((path, id) => call(id, path));
  const answer = await post('bob', batch, 'application/json');
  const answers = JSON.parse(await textOf(answer)) as { id: number; result: object }[];
  assert.deepEqual(answers.map(({ id }) => id).sort(), [0, 1, 2, 3]);
  assert.deepEqual(
    answers.slice(2).map(({ id }) => id),
    [0, 2],
  );
});

describe('bodies that do not end', () => {
  test('are held for two of the largest; more are 429, and other users are served', {
    timeout: 60_000,
  }, async () => {
    const [sent, held] = [40, 2];
    const refused: IncomingMessage[] = [];
    const { promise: allRefused, resolve } = Promise.withResolvers<void>();
    const requests = Array.from({ length: sent }, () =>
      unfinished('alice', (answer) => {
        refused.push(answer);
        if (refused.length === sent - held) resolve();
      }),
    );
    await allRefused;
    for (const answer of refused) {
      assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [429, '5']);
      const { error, id } = JSON.parse(await textOf(answer));
      assert.deepEqual([id, error.code], [null, -32000]);
      assert.match(error.message, /send fewer at once/);
    }
    const args = { url: upstream.url, method: 'POST' };
    const { value } = await signedIn.request('bob', { ...args, body: 'x'.repeat(MIB) });
    assert.equal(value.status, 200);
    assert.equal((await signedIn.request('alice', { url: upstream.url })).value.status, 200);
    assert.equal(refused.length, sent - held);

    for (const request of requests) request.destroy();
    // The budget is free as soon as the gateway has noticed.
    const body = '\u0001'.repeat(MIB);
    const again = () => signedIn.request('alice', { ...args, body }).catch(() => undefined);
    let answer = await again();
    for (let retries = 0; !answer && retries < 50; retries++) {
      await setTimeout(100);
      answer = await again();
    }
    assert.equal(answer?.value.status, 200);
  });
});

/** Sends all but the end of a body of 8 MiB. */
function unfinished(user: string, onAnswer: (answer: IncomingMessage) => void) {
  const request = httpRequest(`${signedIn.gateway.url}/mcp`, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      'content-length': 8 * MIB,
      authorization: `Bearer ${signedIn.token(user)}`,
    },
  });
  request.on('error', () => {}).on('response', onAnswer);
  request.write(Buffer.alloc(8 * MIB - 1, ' '));
  return request;
}

function call(id: number, path: string): object {
  const params = { name: 'http_request', arguments: { url: `${upstream.url}${path}` } };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}

function post(user: string, message: object, accept: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${signedIn.gateway.url}/mcp`, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${signedIn.token(user)}`,
        accept,
      },
    });
    request.on('error', reject).on('response', resolve);
    request.end(JSON.stringify(message));
  });
}

/** Reads an answer that is too large to keep. */
async function taken(answer: IncomingMessage) {
  let bytes = 0;
  let start = '';
  let end = '';
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (start.length < 200) start += chunk.toString('latin1', 0, 200);
    end = (end + chunk.toString('latin1', Math.max(0, chunk.length - 400))).slice(-400);
    bytes += chunk.length;
  }
  return { bytes, start, end };
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
