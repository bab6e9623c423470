import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange, started } from '../../../test/support/http/core-server.ts';

test('what the router refuses is reported to the listener, and answered in our own words', async () => {
  const { app } = await started();
  const seen: unknown[] = [];
  app.onRequestOutsideHooks = ({ url }) => seen.push(url);
  const response = await app.inject('/%zz?a=b');
  assert.deepEqual(response.json(), {
    error: 'bad_request',
    message: 'nothing is served at such a path',
  });
  assert.deepEqual(seen, ['/%zz?a=b']);
  await app.close();
});

const noRequests: [what: string, sent: string, status: number, error: string][] = [
  ['no HTTP', 'nonsense\r\n\r\n', 400, 'bad_request'],
  [
    '33 KiB of headers',
    `GET / HTTP/1.1\r\nX: ${'x'.repeat(33 << 10)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
];
for (const [what, sent, status, error] of noRequests) {
  test(`${what} is ${status} ${error}, in the shape of every other refusal`, async () => {
    const { app, port } = await started();
    const answer = await exchange(port, sent);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
    assert.deepEqual(Object.keys(body), ['error', 'message']);
    assert.equal(body.error, error);
    await app.close();
  });
}

const refusedByNode: [what: string, sent: string, status: number, error: string][] = [
  ['no Host', 'GET /echo HTTP/1.1\r\n\r\n', 400, 'bad_request'],
  [
    'no Host and a broken escape',
    'GET /%zz HTTP/1.1\r\nConnection: close\r\n\r\n',
    400,
    'bad_request',
  ],
  [
    'an unknown Expect',
    'POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 200-ok\r\nContent-Length: 1\r\n\r\n1',
    417,
    'expectation_failed',
  ],
  ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad_request'],
];
for (const [what, sent, status, error] of refusedByNode) {
  test(`${what} is ${status} ${error} in our own words, and reported to the listener`, {
    timeout: 10_000,
  }, async () => {
    const { app, port } = await started();
    const seen: unknown[] = [];
    app.onRequestOutsideHooks = ({ method }) => seen.push(method);
    const answer = await exchange(port, sent);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    const body = JSON.parse(/\{.*\}/.exec(answer)![0]);
    assert.equal(body.error, error);
    assert.deepEqual(seen, [sent.split(' ')[0]]);
    await app.close();
  });
}

test('HTTP/1.0 needs no Host', async () => {
  const { app, port } = await started((routes) => {
    routes.get('/healthy', async () => 'ok');
  });
  assert.match(await exchange(port, 'GET /healthy HTTP/1.0\r\n\r\n'), /ok$/);
  await app.close();
});
