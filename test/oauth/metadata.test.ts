/** What a client can find out, and from where it may ask: metadata, CORS, methods. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, type TestServer } from './support.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.close());

const RESOURCE = '/.well-known/oauth-protected-resource';
const SERVER = '/.well-known/oauth-authorization-server';

for (const path of [RESOURCE, `${RESOURCE}/mcp`]) {
  test(`${path} points at the authorization server`, async () => {
    const response = await fetch(server.url + path);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    const document = (await response.json()) as Record<string, unknown>;
    assert.equal(document.resource, `${server.url}/mcp`);
    assert.deepEqual(document.authorization_servers, [server.url]);
    assert.deepEqual(document.scopes_supported, ['mcp']);
  });
}

for (const path of [SERVER, `${SERVER}/mcp`]) {
  test(`${path} describes the endpoints, and its issuer is the one pointed at`, async () => {
    const document = (await (await fetch(server.url + path)).json()) as Record<string, unknown>;
    assert.deepEqual(document, {
      issuer: server.url,
      authorization_endpoint: `${server.url}/authorize`,
      token_endpoint: `${server.url}/token`,
      registration_endpoint: `${server.url}/register`,
      scopes_supported: ['mcp', 'offline_access'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
  });
}

test('nothing is built from the Host header', async () => {
  const response = await server.app.inject({ url: SERVER, headers: { host: 'evil.example' } });
  assert.equal(response.json().issuer, server.url);
});

test('openid-configuration is a JSON 404', async () => {
  const response = await fetch(`${server.url}/.well-known/openid-configuration`);
  assert.equal(response.status, 404);
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  await response.json();
});

const open: [string, string][] = [
  [RESOURCE, 'GET'],
  [`${RESOURCE}/mcp`, 'GET'],
  [SERVER, 'GET'],
  [`${SERVER}/mcp`, 'GET'],
  ['/register', 'POST'],
  ['/token', 'POST'],
];
for (const [path, method] of open) {
  test(`a page of any origin may ${method} ${path}, also with the headers clients send`, async () => {
    const preflight = await fetch(server.url + path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://inspector.example',
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type, mcp-protocol-version, authorization',
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*');
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', new RegExp(method));
    assert.equal(preflight.headers.get('access-control-allow-headers'), '*, Authorization');
    const answer = await fetch(server.url + path, {
      method,
      headers: { origin: 'https://inspector.example' },
    });
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    assert.match(answer.headers.get('access-control-expose-headers') ?? '', /WWW-Authenticate/);
  });
}

test('/authorize is not open to pages of other origins', async () => {
  const response = await fetch(`${server.url}/authorize`, { method: 'OPTIONS' });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get('allow'), 'GET, HEAD, POST, OPTIONS');
  assert.equal(response.headers.get('access-control-allow-origin'), null);
});

const wrongMethods: [string, string, string][] = [
  ['GET', '/token', 'POST, OPTIONS'],
  ['HEAD', '/token', 'POST, OPTIONS'],
  ['PUT', '/token', 'POST, OPTIONS'],
  ['GET', '/register', 'POST, OPTIONS'],
  ['DELETE', '/register', 'POST, OPTIONS'],
  ['PUT', '/authorize', 'GET, HEAD, POST, OPTIONS'],
  ['POST', SERVER, 'GET, HEAD, OPTIONS'],
];
for (const [method, path, allow] of wrongMethods) {
  test(`${method} ${path} is 405 and says what is allowed`, async () => {
    const response = await fetch(server.url + path, {
      method,
      ...(method === 'PUT' && { body: 'x', headers: { 'content-type': 'text/odd' } }),
    });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), allow);
  });
}

for (const path of [RESOURCE, SERVER, '/authorize']) {
  test(`HEAD ${path} has the headers of GET and no body`, async () => {
    const get = await fetch(server.url + path);
    const head = await fetch(server.url + path, { method: 'HEAD' });
    assert.equal(head.status, get.status);
    assert.equal(head.headers.get('content-length'), get.headers.get('content-length'));
    assert.equal(await head.text(), '');
  });
}
