/**
 * How public detectors tell a decoy from a server, row by row: none of it fits ours, save the
 * prefix of `api_key`, which docs/decoys.md fixes.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { CORPUS } from '../../src/decoys/catalogue.ts';
import {
  type AskOptions,
  MCP_HEADERS,
  OTHER_KEY,
  type Reply,
  rpc,
  sendBytes,
  startDecoys,
  type TestDecoys,
} from './support.ts';

let decoys: TestDecoys;
let other: TestDecoys;
beforeEach(async () => {
  decoys = await startDecoys();
  other = await startDecoys({ key: OTHER_KEY });
});
afterEach(async () => {
  await decoys.close();
  await other.close();
});

const json = async (server: TestDecoys, target: string, options?: AskOptions) =>
  JSON.parse((await server.ask(target, options)).body);
const call = (method: string, params: object = {}) => ({
  method: 'POST',
  headers: MCP_HEADERS,
  body: rpc(method, params),
});

/** Every kind of request that somebody compares: decoys, nothing, and what is no request. */
async function everything(): Promise<Reply[]> {
  const replies = await Promise.all(
    CORPUS.map((question) => decoys.ask(question.target, question)),
  );
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND'];
  const misses = await Promise.all(methods.map((method) => decoys.ask('/nothing', { method })));
  return [...replies, ...misses];
}

test('the software is not named, by any path or method', async () => {
  for (const { rawHeaders } of await everything()) {
    assert.ok(!rawHeaders.some((name) => /^(?:server|x-powered-by|via|x-runtime)$/i.test(name)));
    assert.ok(!/fastify|express|node|nginx|aiohttp|python/i.test(rawHeaders.join(' ')));
  }
});

test('no cookie is set', async () => {
  for (const { headers } of await everything()) assert.equal(headers['set-cookie'], undefined);
});

const malformed: readonly [what: string, bytes: string, status: number][] = [
  ['an impossible version', 'GET / HTTP/1337\r\nHost: x\r\n\r\n', 400],
  ['a method nobody knows', 'AAAA / HTTP/1.1\r\nHost: x\r\n\r\n', 404],
  ['no request at all', 'AAAA\r\n\r\n', 400],
  ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['a request without a host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n', 400],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    400,
  ],
  [
    'a path that cannot be decoded',
    'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    400,
  ],
  ['an expectation', 'GET /x HTTP/1.1\r\nHost: x\r\nExpect: x\r\nConnection: close\r\n\r\n', 417],
  ['CONNECT', 'CONNECT example.invalid:443 HTTP/1.1\r\nHost: example.invalid\r\n\r\n', 404],
  ['a huge header', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
];
for (const [what, bytes, status] of malformed) {
  test(`${what} is answered ${status}, plainly`, async () => {
    const answer = await sendBytes(decoys.port, bytes);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.doesNotMatch(
      answer,
      /json|<|fastify|Client Error|statusCode|FST_|stack|Expected dot|xml/i,
    );
    assert.doesNotMatch(answer, /^server:/im);
  });
}

const CLOSE = 'Host: x\r\nConnection: close\r\n\r\n';
const odd: readonly [what: string, bytes: string, same: string][] = [
  ['a method nobody knows', `AAAA / HTTP/1.1\r\n${CLOSE}`, `DELETE / HTTP/1.1\r\n${CLOSE}`],
  ['CONNECT', `CONNECT a.invalid:443 HTTP/1.1\r\n${CLOSE}`, `DELETE / HTTP/1.1\r\n${CLOSE}`],
  ['a method in lower case', `get / HTTP/1.1\r\n${CLOSE}`, `GET / HTTP/1.1\r\n${CLOSE}`],
];
for (const [what, bytes, same] of odd) {
  test(`${what} is answered byte for byte as any other`, async () => {
    const [answer, expected] = await Promise.all(
      [bytes, same].map(async (sent) =>
        (await sendBytes(decoys.port, sent)).replace(/Date: [^\r]*/, 'Date: -'),
      ),
    );
    assert.match(
      expected!,
      /^HTTP\/1\.1 \d{3} .*Date: -\r\nContent-Length: \d+\r\nConnection: close\r\n\r\n./s,
    );
    assert.equal(answer, expected);
  });
}

for (const target of ['/nothing', '/v1/models', '/.aws/credentials', '/version']) {
  test(`the runtime does not show in how ${target} keeps its connection`, async () => {
    const kept = `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const answer = await sendBytes(decoys.port, `${kept}${kept}GET /last HTTP/1.1\r\n${CLOSE}`);
    const heads = answer.match(/HTTP\/1\.1 .*?\r\n\r\n/gs) ?? [];
    assert.deepEqual(
      heads.map((head) => head.match(/^(?:connection|keep-alive): .*$/gim)),
      [null, null, ['Connection: close']],
    );
  });
}

test('who keeps a connection in HTTP/1.0 is told that it is kept', async () => {
  const kept = 'GET /nothing HTTP/1.0\r\nConnection: keep-alive\r\n\r\n';
  const answer = await sendBytes(decoys.port, `${kept}GET /last HTTP/1.0\r\n\r\n`);
  assert.deepEqual(answer.match(/^connection: .*$/gim), ['Connection: keep-alive']);
});

test('two deployments share no server name, session, model, digest or domain', async () => {
  const initialize = call('initialize', { protocolVersion: '2025-06-18' });
  const [mine, theirs] = await Promise.all(
    [decoys, other].map(async (server) => {
      const handshake = await server.ask('/mcp', initialize);
      const tags = await json(server, '/api/tags');
      const user = await json(server, '/api/v1/users/1');
      return [
        JSON.parse(handshake.body).result.serverInfo.name,
        handshake.headers['mcp-session-id'],
        (await json(server, '/v1/models')).data[0].id,
        tags.models[0].digest,
        tags.models[0].name,
        user.email,
        user.password_hash,
        user.created_at,
      ];
    }),
  );
  for (const [index, value] of mine!.entries()) assert.notEqual(value, theirs![index]);
});

test('the canned server of a known fleet is not ours', async () => {
  for (const server of [decoys, other]) {
    const { result } = await json(server, '/mcp', call('initialize', { protocolVersion: 'x' }));
    assert.notEqual(result.serverInfo.name, 'mcp-server');
  }
});

test('a version that does not exist is never confirmed', async () => {
  for (const version of ['9999-99-99', '2025-06-19', 'latest', '']) {
    const { result } = await json(decoys, '/mcp', call('initialize', { protocolVersion: version }));
    assert.equal(result.protocolVersion, '2025-11-25');
  }
});

test('an id of nobody is as plausible as any: no two users share a moment or a hash', async () => {
  const users = await Promise.all(
    [1, 2, 99_999_999].map((id) => json(decoys, `/api/v1/users/${id}`)),
  );
  assert.equal(new Set(users.map(({ created_at }) => created_at)).size, 3);
  for (const { password_hash } of users) assert.equal(password_hash.length, 60);
});

test('not every path is served, nor every file of a directory that exists', async () => {
  for (const target of ['/', '/admin', '/.env.xyzzy', '/xyzzy/.env', '/xyzzy-random']) {
    assert.equal((await decoys.ask(target)).status, 404);
  }
});

test('the proxy does not fetch what it is asked to', async () => {
  const target = `/fetch?url=${encodeURIComponent(`${decoys.url}/v1/models`)}`;
  assert.equal((await decoys.ask(target)).status, 404);
});

test('tools carry no instruction to a model', async () => {
  const { body } = await decoys.ask('/mcp', call('tools/list'));
  assert.doesNotMatch(
    body,
    /ignore previous|system prompt|IMPORTANT:|\.ssh|\.env|api.key|password|execute.*command|curl|wget/i,
  );
});

test('nothing says honeypot, decoy or canary, but for the api_key that docs/decoys.md fixes', async () => {
  for (const { body, rawHeaders } of await everything()) {
    const text = `${body}${rawHeaders.join('\n')}`.replaceAll('sk_live_honeypot', '');
    assert.doesNotMatch(text, /honey|decoy|canary|trap|fake|gatehouse|POC_SUCCESS/i);
  }
});

test('files are laid out as a program writes them, answers of services as services do', async () => {
  assert.match((await decoys.ask('/.claude/settings.json')).body, /^\{\n {2}"/);
  assert.match((await decoys.ask('/v1/models')).body, /^\{"object"/);
});
