/**
 * Whatever goes wrong, no form of any secret is in an error, a log line, an
 * answer of the authorization server or on standard error, also when the caller wrote it there.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type GatewayProcess, linesOf, runGateway } from '../support/gateway/gateway.ts';
import {
  answer,
  closing,
  fragmentsOf,
  request,
  type Shown,
} from '../support/gateway/redaction-bench.ts';
import { type SignedIn, startSignedIn } from '../support/gateway/signed-in.ts';
import { ok, type RawUpstream, startRawUpstream } from '../support/http/raw-upstream.ts';

const SECRET = 'Kq7vRzP2mXw9LtYbN4cZ';
const OTHERS = 'Hjd8sGt5w3FcVa6nQe1x';
const FORMS = [SECRET, OTHERS].flatMap((secret) => [
  ...fragmentsOf(secret, 12),
  Buffer.from(secret).toString('base64').slice(4, 20),
  Buffer.from(secret).toString('hex').slice(8, 32),
]);

let upstream: RawUpstream;
/** Closed before the first request. */
let gone: RawUpstream;
let signedIn: SignedIn;
let gateway: GatewayProcess;

before(async () => {
  upstream = await startRawUpstream();
  gone = await startRawUpstream();
  await gone.close();
  const base = { description: 'd', base_url: upstream.url };
  signedIn = await startSignedIn(
    {
      server: { allow_networks: ['127.0.0.0/8'] },
      users: [
        {
          name: 'alice',
          secrets: { key: SECRET },
          targets: [
            { ...base, id: 'gone', base_url: gone.url },
            { ...base, id: 'rated', paths: ['/rated'], rate_limit: '1/h' },
            { ...base, id: 'asks', paths: ['/asks/*'], methods: ['PUT'], approve: ['PUT'] },
            { ...base, id: 'slow', paths: ['/slow'], timeout: '50ms' },
            { ...base, id: 'hops', paths: ['/hops'], follow_redirects: true },
            {
              ...base,
              id: 'body',
              paths: ['/body'],
              methods: ['POST'],
              inject: { body: { '$.key': '${key}' } },
            },
            {
              ...base,
              id: 'all',
              inject: { headers: { 'X-Key': '${key}' }, query: { key: '${key}' } },
            },
          ],
        },
        { name: 'bob', secrets: { key: OTHERS }, allow_any: true },
      ],
    },
    {
      GATEWAY_LOG_LEVEL: 'debug',
      // An exception that nobody expects, with a secret in its message.
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
        `process.on('SIGUSR2', () => { throw new Error('${SECRET} ${OTHERS}') })`,
      )}`,
    },
  );
  ({ gateway } = signedIn);
});
after(async () => {
  await gateway.stop();
  await upstream.close();
});

function assertClean(text: string, where: string): void {
  const folded = text.toLowerCase();
  for (const form of FORMS) {
    assert.ok(!folded.includes(form.toLowerCase()), `${form} is in ${where}: ${text}`);
  }
}

describe('a refusal shows no secret, although its cause holds one', () => {
  const at = (path: string) => `${upstream.url}${path}`;
  const long = `{"a":"${SECRET}${'.'.repeat(1_048_576)}"}`;
  const rows: [
    code: string,
    args: () => Parameters<typeof request>[2],
    script?: RawUpstream['script'],
  ][] = [
    ['invalid_url', () => ({ url: `http://u:${SECRET}@127.0.0.1/` })],
    ['invalid_url', () => ({ url: `${upstream.url}/../${SECRET}` })],
    ['invalid_url', () => ({ url: `${SECRET}://h/` })],
    ['no_target', () => ({ url: `https://else.where/${SECRET}?${SECRET}=${SECRET}` })],
    ['method_not_allowed', () => ({ url: at('/'), method: SECRET })],
    ['reserved_header', () => ({ url: at('/'), headers: { [`X-Forwarded-${SECRET}`]: SECRET } })],
    ['invalid_header', () => ({ url: at('/'), headers: { [`X ${SECRET}`]: SECRET } })],
    ['invalid_header', () => ({ url: at('/'), headers: { [`X-${SECRET}`]: `${SECRET}\n` } })],
    ['request_too_large', () => ({ url: at('/body'), method: 'POST', body: long })],
    ['body_injection_failed', () => ({ url: at('/body'), method: 'POST', body: `{"a":${SECRET}` })],
    ['body_injection_failed', () => ({ url: at('/body'), method: 'POST', body: `"${SECRET}"` })],
    [
      'approval_required',
      () => ({ url: at(`/asks/${SECRET}?${SECRET}`), method: 'PUT', body: SECRET }),
    ],
    ['invalid_arguments', () => ({ url: at('/'), [SECRET]: SECRET })],
    ['invalid_arguments', () => ({ url: at('/'), headers: { [SECRET]: 5 as unknown as string } })],
    ['invalid_arguments', () => ({ url: at('/'), query: { [SECRET]: {} as unknown as string } })],
    ['upstream_error', () => ({ url: at('/') }), closing(`HTTP/1.1 ${SECRET}\r\n\r\n`)],
    ['upstream_error', () => ({ url: at('/') }), closing(`HTTP/1.1 200 OK\r\n${SECRET}\r\n\r\n`)],
    ['upstream_error', () => ({ url: at('/') }), answer(SECRET, [`Content-Encoding: ${SECRET}`])],
    ['upstream_timeout', () => ({ url: at('/slow') }), () => {}],
    [
      'redirect_out_of_scope',
      () => ({ url: at('/hops') }),
      answer(SECRET, [`Location: https://${SECRET}.else.where/${SECRET}`], 'HTTP/1.1 302 Found'),
    ],
  ];
  for (const [index, [code, args, script]] of rows.entries()) {
    test(`${code} (${index})`, async () => {
      upstream.script = script ?? ((socket) => socket.write(ok()));
      const shown = await request(signedIn, 'alice', args());
      assert.equal(shown.error, code, shown.raw);
      assertClean(shown.raw, code);
    });
  }

  test('rate_limited', async () => {
    upstream.script = (socket) => socket.write(ok());
    const args = { url: at(`/rated?${SECRET}`), headers: { 'x-a': SECRET } };
    let shown: Shown | undefined;
    for (const _ of [1, 2]) shown = await request(signedIn, 'alice', args);
    assert.equal(shown?.error, 'rate_limited');
    assertClean(shown.raw, 'rate_limited');
  });

  test('blocked_network', async () => {
    const shown = await request(signedIn, 'bob', { url: `http://10.0.0.1/${OTHERS}` });
    assert.equal(shown.error, 'blocked_network');
    assertClean(shown.raw, 'blocked_network');
  });

  test('upstream_error, when nobody listens', async () => {
    const shown = await request(signedIn, 'alice', { url: `${gone.url}/${SECRET}?${SECRET}` });
    assert.equal(shown.error, 'upstream_error');
    assertClean(shown.raw, 'a refused connection');
  });
});

describe('requests outside the tools', () => {
  const json = { 'content-type': 'application/json' };
  const rows: [what: string, path: string, init: RequestInit][] = [
    ['an unknown path', `/${SECRET}?${SECRET}`, { headers: { 'x-a': SECRET, cookie: SECRET } }],
    [
      'a token that is a secret',
      '/mcp',
      { method: 'POST', headers: { ...json, authorization: `Bearer ${SECRET}` }, body: '{}' },
    ],
    [
      'a request that is not JSON',
      '/mcp',
      { method: 'POST', headers: json, body: `{"a":${SECRET}` },
    ],
    [
      'a registration that is not JSON',
      '/register',
      { method: 'POST', headers: json, body: `{"a":${SECRET}` },
    ],
    [
      'a registration with a bad redirect',
      '/register',
      {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ redirect_uris: [`javascript:${SECRET}`] }),
      },
    ],
    [
      'an unknown client at sign-in',
      `/authorize?client_id=${SECRET}&redirect_uri=https://${SECRET}.test/&state=${SECRET}`,
      {},
    ],
    [
      'an unknown client at the token endpoint',
      '/token',
      {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: SECRET,
          client_id: SECRET,
        }),
      },
    ],
    [
      'an unknown grant',
      '/token',
      { method: 'POST', body: new URLSearchParams({ grant_type: SECRET }) },
    ],
    ['metadata', '/.well-known/oauth-authorization-server', {}],
    ['metadata of the resource', '/.well-known/oauth-protected-resource', {}],
    ['health', '/healthz', {}],
  ];
  for (const [what, path, init] of rows) {
    test(`show no secret: ${what}`, async () => {
      const response = await fetch(gateway.url + path, { ...init, redirect: 'manual' });
      const text = JSON.stringify([...response.headers]) + (await response.text());
      assertClean(text, what);
    });
  }
});

test('a client whose name is a secret is registered, and no log line holds it', async () => {
  const registration = await fetch(`${gateway.url}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: SECRET, redirect_uris: [`https://x.test/${SECRET}`] }),
  });
  const { client_id } = (await registration.json()) as { client_id: string };
  await gateway.line((line) => line.event === 'client_registered' && line.client_id === client_id);
  assertClean(gateway.stdout(), 'the log');
});

describe('a configuration that is refused', () => {
  const FRESH = 'fresh-value-H8sJdQ5gWv';
  const rows: [what: string, yaml: string][] = [
    ['an open quote', `users:\n  - name: a\n    secrets:\n      key: "${FRESH}\n`],
    ['a flow that does not end', `users: [{name: a, secrets: {key: ${FRESH}`],
    ['a second colon', `users: [{name: a, secrets: {key: ${FRESH}: x}}]`],
    ['an unknown key', `users:\n  - name: a\n    secret: ${FRESH}\n`],
    ['a secret in place of a user', `users:\n  - ${FRESH}\n`],
    ['a secret in place of the server', `server: ${FRESH}`],
    ['an alias', `users:\n  - password: *${FRESH}\n`],
    ['a list in place of a secret', `users:\n  - name: a\n    secrets: {key: [${FRESH}]}\n`],
    ['a bad hash', `users:\n  - name: a\n    password: "bcrypt:${FRESH}"\n`],
    [
      'a line break in a header',
      `users:\n  - name: a\n    password: p\n    secrets: {key: "${FRESH}\\nx"}\n    targets: [{id: t, description: d, base_url: "https://x.test", inject: {headers: {A: "\${key}"}}}]`,
    ],
    ['only the value', FRESH],
    ['a tab', `\tkey: ${FRESH}`],
  ];
  const directory = mkdtempSync(join(tmpdir(), 'redaction-errors-'));
  after(() => rmSync(directory, { recursive: true, force: true }));

  test('at a reload shows no value in its problems, old or new', async () => {
    for (const [index, [what, yaml]] of rows.entries()) {
      gateway.writeConfig(yaml);
      gateway.signal('SIGHUP');
      await linesOf(gateway, ['config_error'], index + 1);
      assert.ok(!gateway.stdout().includes(FRESH), what);
    }
    assertClean(gateway.stdout(), 'the log');
  });

  test('at the start shows no value either, on neither output', async () => {
    const path = join(directory, 'config.yaml');
    for (const [what, yaml] of rows.slice(0, 3)) {
      writeFileSync(path, yaml);
      const { code, stdout, stderr } = await runGateway([], { env: { GATEWAY_CONFIG: path } });
      assert.equal(code, 1, what);
      assert.ok(!(stdout + stderr).includes(FRESH), what);
    }
  });
});

test('an exception nobody caught ends the process with one clean line', async () => {
  gateway.signal('SIGUSR2');
  assert.equal(await gateway.exited, 1);
  const last = gateway.lines().at(-1)!;
  assert.deepEqual([last.event, last.message], ['internal_error', '[REDACTED] [REDACTED]']);
  assertClean(gateway.stdout(), 'the log');
  assert.equal(gateway.stderr(), '');
});
