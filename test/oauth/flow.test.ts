/** The whole flow, judged by a client library that nobody here wrote. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import { CALLBACK, callMcp, logIn, redirectOf, startServer, type TestServer } from './support.ts';

const insecure = { [oauth.allowInsecureRequests]: true };
let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.close());

test('a client that knows only the resource discovers, registers, signs in, calls and refreshes', async () => {
  const challenged = await fetch(`${server.url}/mcp`, { method: 'POST' });
  assert.equal(challenged.status, 401);
  const pointer = /resource_metadata="([^"]+)"/.exec(
    challenged.headers.get('www-authenticate') ?? '',
  );
  assert.equal(pointer?.[1], `${server.url}/.well-known/oauth-protected-resource/mcp`);

  const resource = new URL(`${server.url}/mcp`);
  const protectedResource = await oauth.processResourceDiscoveryResponse(
    resource,
    await oauth.resourceDiscoveryRequest(resource, insecure),
  );
  const issuer = new URL(protectedResource.authorization_servers![0]!);
  const as = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
  );
  assert.equal(as.issuer, protectedResource.authorization_servers![0]);

  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      as,
      { client_name: 'Library', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' },
      insecure,
    ),
  );
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const authorize = new URL(as.authorization_endpoint!);
  authorize.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: resource.href,
  }).toString();
  const callback = redirectOf(await logIn(server, authorize));
  const answer = oauth.validateAuthResponse(as, client, callback, state);

  const tokens = await oauth.processAuthorizationCodeResponse(
    as,
    client,
    await oauth.authorizationCodeGrantRequest(
      as,
      client,
      oauth.None(),
      answer,
      CALLBACK,
      verifier,
      insecure,
    ),
  );
  const first = await callMcp(server, tokens.access_token);
  assert.deepEqual(await first.json(), {
    user: 'ada',
    incarnation: 'ada-1',
    clientId: client.client_id,
    signInId: tokens.access_token.slice(0, 24),
  });

  const refreshed = await oauth.processRefreshTokenResponse(
    as,
    client,
    await oauth.refreshTokenGrantRequest(as, client, oauth.None(), tokens.refresh_token!, insecure),
  );
  assert.notEqual(refreshed.refresh_token, tokens.refresh_token);
  assert.equal((await callMcp(server, refreshed.access_token)).status, 200);
  assert.equal((await callMcp(server, tokens.access_token)).status, 200);
});

test('the log tells of each step and holds no code, token or password', async () => {
  const events = server.lines().map(({ event }) => event);
  assert.deepEqual(events, ['client_registered', 'login_success', 'token_issued', 'token_issued']);
  const [registered, login, issued, renewed] = server.lines();
  assert.equal(registered?.client_name, 'Library');
  assert.deepEqual(registered?.redirect_hosts, ['app.example']);
  const clientId = registered?.client_id;
  assert.deepEqual(
    { user: login?.user, client_id: login?.client_id, ip: login?.ip },
    { user: 'ada', client_id: clientId, ip: '127.0.0.1' },
  );
  assert.deepEqual(
    [issued?.user, issued?.client_id, issued?.grant, renewed?.grant],
    ['ada', clientId, 'authorization_code', 'refresh_token'],
  );
  assert.doesNotMatch(server.text.join(''), /[A-Za-z0-9_-]{43}/);
  assert.doesNotMatch(server.text.join(''), /correct horse/);
});
