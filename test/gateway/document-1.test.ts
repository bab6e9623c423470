/**
 * What docs/gateway.md promises and no other test of the whole process shows: every form of a value,
 * the HTTP surface, settings in force, every kind of event, one audit line for each request.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import {
  callTool,
  type GatewayProcess,
  linesOf,
  runGateway,
  signIn,
  startGateway,
} from '../support/gateway/gateway.ts';
import { PASSWORD, PASSWORD_HASH } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';

const MIB = 1_048_576;
const directory = mkdtempSync(join(tmpdir(), 'document-1-test-'));
const upstream = await startUpstream();
const plain = await startGateway({ config: config() });
after(async () => {
  await plain.stop();
  await upstream.close();
  rmSync(directory, { recursive: true, force: true });
});

/** A gateway that ends with the test; alice has one target, which is the upstream. */
async function started(
  t: { after(end: () => unknown): void },
  parts: { server?: object; user?: object; target?: object; others?: object[] } = {},
  env: Record<string, string> = {},
): Promise<GatewayProcess> {
  const gateway = await startGateway({ config: config(parts), env });
  t.after(() => gateway.stop());
  return gateway;
}

function config({ server, user, target, others = [] }: Parameters<typeof started>[1] = {}): string {
  const targets = [{ id: 't', description: 'd', base_url: upstream.url, ...target }];
  return JSON.stringify({
    server: { allow_networks: ['127.0.0.0/8'], ...server },
    users: [{ name: 'alice', password: PASSWORD_HASH, targets, ...user }, ...others],
  });
}

function rpc(gateway: GatewayProcess, token: string, method: string, params?: object) {
  return fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
}

function postForm(url: string, fields: Record<string, string>) {
  return fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
}

function refresh(gateway: GatewayProcess, client_id: string, refresh_token: string) {
  const grant_type = 'refresh_token';
  return postForm(`${gateway.url}/token`, { grant_type, client_id, refresh_token });
}

interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly annotations?: object;
  readonly inputSchema: { readonly properties?: object; readonly required?: string[] };
  readonly outputSchema?: object;
}

test('every form of a value serves as a secret and as a password', async (t) => {
  const path = join(directory, 'value');
  writeFileSync(path, 'value-from-a-file\n');
  const forms: [name: string, written: string, value: string][] = [
    ['plain', 'value-in-plain-text', 'value-in-plain-text'],
    ['env', 'env:VALUE', 'value-from-the-environment'],
    ['file', `file:${path}`, 'value-from-a-file'],
    ['literal', 'literal:env:VALUE', 'env:VALUE'],
  ];
  const gateway = await started(
    t,
    {
      user: { secrets: Object.fromEntries(forms) },
      target: {
        inject: {
          headers: Object.fromEntries(forms.map(([name]) => [`X-${name}`, `\${${name}}`])),
        },
      },
      others: forms.map(([name, password]) => ({ name, password })),
    },
    { VALUE: 'value-from-the-environment' },
  );
  const { accessToken } = await signIn(gateway.url, 'alice', PASSWORD);
  for (const content of ['value-from-a-file\n', 'value-written-after-the-load\n']) {
    writeFileSync(path, content);
    await callTool(gateway.url, accessToken, 'http_request', { url: upstream.url });
    const { headers } = upstream.received.at(-1)!;
    for (const [name, , value] of forms) assert.equal(headers[`x-${name}`], value);
  }
  for (const [name, , value] of forms) {
    assert.ok((await signIn(gateway.url, name, value)).accessToken, name);
  }
  // Last, since every sign-in costs as much as this hash from then on.
  const hashed = await runGateway(['hashpw'], { input: 'value-that-was-hashed\n' });
  gateway.writeConfig(config({ others: [{ name: 'bcrypt', password: hashed.stdout.trim() }] }));
  gateway.signal('SIGHUP');
  await linesOf(gateway, ['config_reloaded'], 1);
  assert.ok((await signIn(gateway.url, 'bcrypt', 'value-that-was-hashed')).accessToken);
});

test('a secret of seven characters comes back, one of eight does not, and a warning names the first', async (t) => {
  const secrets = { seven: 'ab1-cd2', eight: 'ef3-gh45' };
  const inject = { headers: { 'X-Keys': '${seven} ${eight}' } };
  const gateway = await started(t, { user: { secrets }, target: { inject } });
  const { accessToken } = await signIn(gateway.url, 'alice', PASSWORD);
  const call = await callTool(gateway.url, accessToken, 'http_request', { url: upstream.url });
  assert.match(String(call.value.body), /"x-keys":"ab1-cd2 \[REDACTED\]"/);
  const warnings = await linesOf(gateway, ['short_secret'], 1);
  assert.deepEqual(
    warnings.map(({ level, user, secret }) => [level, user, secret]),
    [['warn', 'alice', 'seven']],
  );
});

test('an answer of 1 MiB is whole and a longer one is cut there, where no cap is set', async () => {
  const { accessToken } = await signIn(plain.url, 'alice', PASSWORD);
  for (const [size, truncated] of [
    [MIB, false],
    [MIB + 1, true],
  ] as const) {
    upstream.routes.set('/long', (_request, response) => response.end('x'.repeat(size)));
    const url = `${upstream.url}/long`;
    const { value } = await callTool(plain.url, accessToken, 'http_request', { url });
    assert.deepEqual([String(value.body).length, value.truncated], [MIB, truncated]);
  }
});

describe('the HTTP surface', () => {
  const json = { 'content-type': 'application/json' };
  const rows: [method: string, path: string, status: number, body: RegExp][] = [
    ['GET', '/healthz', 200, /"status":"ok"/],
    ['GET', '/.well-known/oauth-protected-resource', 200, /"authorization_servers"/],
    ['GET', '/.well-known/oauth-authorization-server', 200, /"token_endpoint"/],
    ['POST', '/register', 400, /"invalid_redirect_uri"/],
    ['GET', '/authorize', 400, /<html/],
    ['POST', '/authorize', 400, /<html/],
    ['POST', '/token', 400, /"invalid_request"/],
    ['POST', '/mcp', 401, /"unauthorized"/],
    ['GET', '/mcp', 401, /"unauthorized"/],
    ['DELETE', '/mcp', 401, /"unauthorized"/],
    ['GET', '/', 404, /"not_found"/],
  ];
  for (const [method, path, status, body] of rows) {
    test(`${method} ${path} without a token is ${status}`, async () => {
      const form = path === '/token' || path === '/authorize';
      const response = await fetch(plain.url + path, {
        method,
        ...(method === 'POST' &&
          (form ? { body: new URLSearchParams() } : { body: '{}', headers: json })),
      });
      assert.equal(response.status, status);
      assert.match(await response.text(), body);
    });
  }

  test('with a token /mcp takes a message, opens a stream and ends the session', async () => {
    const { accessToken } = await signIn(plain.url, 'alice', PASSWORD);
    const opened = await rpc(plain, accessToken, 'initialize', { protocolVersion: '2025-11-25' });
    assert.equal(opened.status, 200);
    const headers = {
      authorization: `Bearer ${accessToken}`,
      'mcp-session-id': opened.headers.get('mcp-session-id')!,
    };
    const stream = await fetch(`${plain.url}/mcp`, { headers });
    assert.equal(stream.status, 200);
    assert.match(stream.headers.get('content-type')!, /^text\/event-stream/);
    assert.equal((await fetch(`${plain.url}/mcp`, { method: 'DELETE', headers })).status, 204);
    await stream.text();
  });

  test('both tools are listed with the documented arguments, and the instructions are short', async () => {
    const { accessToken } = await signIn(plain.url, 'alice', PASSWORD);
    const listed = await (await rpc(plain, accessToken, 'tools/list')).json();
    const { tools } = (listed as { result: { tools: ListedTool[] } }).result;
    assert.deepEqual(
      tools.map(({ name, inputSchema }) => [
        name,
        Object.keys(inputSchema.properties ?? {}),
        inputSchema.required ?? [],
      ]),
      [
        ['list_targets', [], []],
        ['http_request', ['url', 'method', 'headers', 'query', 'body'], ['url']],
      ],
    );
    for (const tool of tools) assert.ok(tool.title && tool.annotations && tool.outputSchema);
    const opened = await (await rpc(plain, accessToken, 'initialize', {})).json();
    const { instructions } = (opened as { result: { instructions: string } }).result;
    assert.ok(instructions.length > 0 && instructions.length <= 2_048);
  });
});

test('token_ttl, code_ttl and login_rate_limit of the file are in force', async (t) => {
  const gateway = await started(t, { server: { token_ttl: '2h', login_rate_limit: '1/h' } });
  const { clientId, refreshToken } = await signIn(gateway.url, 'alice', PASSWORD);
  const renewed = await (await refresh(gateway, clientId, refreshToken)).json();
  assert.equal((renewed as { expires_in: number }).expires_in, 7_200);
  await assert.rejects(signIn(gateway.url, 'alice', 'wrong'), /signing in failed: 401/);
  await assert.rejects(signIn(gateway.url, 'alice', 'wrong'), /signing in failed: 429/);

  const brief = await started(t, { server: { code_ttl: '1ms' } });
  // A code that is over before its answer has come gives no token.
  assert.equal((await signIn(brief.url, 'alice', PASSWORD)).accessToken, undefined);
});

test('after a restart a client is told to register again, at the token endpoint and at the page', async (t) => {
  const first = await startGateway({ config: config() });
  const { clientId, refreshToken } = await signIn(first.url, 'alice', PASSWORD);
  await first.stop();
  const second = await started(t);
  const answer = await refresh(second, clientId, refreshToken);
  assert.equal(answer.status, 401);
  assert.equal(((await answer.json()) as { error: string }).error, 'invalid_client');
  const page = await fetch(`${second.url}/authorize?client_id=${clientId}`);
  assert.equal(page.status, 400);
  assert.match(await page.text(), /remove this server/);
  assert.ok((await signIn(second.url, 'alice', PASSWORD)).accessToken);
});

test('every kind of event is written, each with time, level and name first', async () => {
  const gateway = await startGateway({ config: config({ user: { secrets: { pin: '1234' } } }) });
  const signedIn = await signIn(gateway.url, 'alice', PASSWORD);
  await callTool(gateway.url, signedIn.accessToken, 'http_request', { url: upstream.url });
  await assert.rejects(signIn(gateway.url, 'alice', 'wrong'));
  const second = await refresh(gateway, signedIn.clientId, signedIn.refreshToken);
  const { refresh_token } = (await second.json()) as { refresh_token: string };
  await refresh(gateway, signedIn.clientId, refresh_token);
  await refresh(gateway, signedIn.clientId, signedIn.refreshToken);
  gateway.signal('SIGHUP');
  await linesOf(gateway, ['config_reloaded'], 1);
  gateway.writeConfig('users: {');
  gateway.signal('SIGHUP');
  await linesOf(gateway, ['config_error'], 1);
  await gateway.stop();
  const kinds = [
    ...['startup', 'short_secret', 'client_registered', 'login_success', 'token_issued'],
    ...['request', 'login_failed', 'token_reuse_detected', 'config_reloaded', 'config_error'],
    'shutdown',
  ];
  const lines = gateway.lines();
  assert.deepEqual(new Set(lines.map(({ event }) => event)), new Set(kinds));
  for (const line of lines) {
    assert.deepEqual(Object.keys(line).slice(0, 3), ['ts', 'level', 'event']);
    assert.match(line.ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.match(line.level, /^(debug|info|warn|error)$/);
  }
});

test('a call writes one request line, whether it is sent, refused or has no valid token', async () => {
  const gateway = await startGateway({ config: config() });
  const { accessToken } = await signIn(gateway.url, 'alice', PASSWORD);
  await callTool(gateway.url, accessToken, 'http_request', { url: upstream.url });
  await callTool(gateway.url, accessToken, 'http_request', { url: 'http://other.invalid/' });
  assert.equal((await rpc(gateway, 'nobody', 'tools/list')).status, 401);
  await gateway.stop();
  const requests = gateway.lines().filter(({ event }) => event === 'request');
  assert.deepEqual(
    requests.map(({ user, status }) => [user, status]),
    [
      ['alice', 200],
      ['alice', 403],
      [null, 401],
    ],
  );
});

test('the log level is info where none is set, and debug shows more', async () => {
  for (const [env, expected] of [
    [{}, ['startup', 'shutdown']],
    [{ GATEWAY_LOG_LEVEL: 'debug' }, ['startup', 'client_metadata_unreadable', 'shutdown']],
  ] as const) {
    const gateway = await startGateway({ config: config(), env });
    // A document that may not be fetched is told in a debug line.
    await fetch(`${gateway.url}/authorize?client_id=https://127.0.0.1/client.json`);
    await gateway.stop();
    assert.deepEqual(
      gateway.lines().map(({ event }) => event),
      expected,
    );
  }
});

test('after a reload no connection to an upstream from before it is used again', async () => {
  const { accessToken } = await signIn(plain.url, 'alice', PASSWORD);
  const connections = async () => {
    await callTool(plain.url, accessToken, 'http_request', { url: upstream.url });
    return upstream.connections();
  };
  const before = await connections();
  assert.equal(await connections(), before);
  plain.signal('SIGHUP');
  await linesOf(plain, ['config_reloaded'], 1);
  assert.equal(await connections(), before + 1);
});
