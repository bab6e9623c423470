/** `gateway try`: every verdict the pipeline can give before it sends, and nothing is ever sent. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runHere } from '../support/gateway/command-here.ts';
import { runGateway } from '../support/gateway/gateway.ts';
import { atTerminal } from '../support/gateway/terminal.ts';
import { startUpstream } from '../support/http/upstream.ts';

const SECRET = 'value-that-nobody-may-see';

const upstream = await startUpstream();
const directory = mkdtempSync(join(tmpdir(), 'try-'));
const config = write('config.yaml', [
  user('alice'),
  { ...user('bob'), targets: [], allow_any: true },
]);
after(async () => {
  rmSync(directory, { recursive: true, force: true });
  await upstream.close();
});

function user(name: string) {
  const inject = {
    headers: { Authorization: 'Bearer ${token}', 'X-Key': '${other}' },
    query: { api_key: '${other}' },
  };
  const common = { description: 'd', methods: ['GET', 'POST'] };
  const targets = [
    { ...common, id: 'main', base_url: `${upstream.url}/api`, rate_limit: '1/h', inject },
    {
      ...common,
      id: 'body',
      base_url: `${upstream.url}/body`,
      follow_redirects: true,
      inject: { body: { '$.auth.key': '${token}' } },
    },
    { ...common, id: 'own', base_url: 'http://127.0.0.1:2019/' },
    { ...common, id: 'nowhere', base_url: 'http://name.invalid' },
  ];
  return { name, password: 'x', secrets: { token: SECRET, other: 'another-value' }, targets };
}

function write(name: string, users: object[]): string {
  const path = join(directory, name);
  const server = { public_url: 'https://gateway.test', allow_networks: ['127.0.0.0/8'] };
  writeFileSync(path, JSON.stringify({ server, users }));
  return path;
}

const asAlice = (path: string, flags: string[]) => [
  ...['try', `${upstream.url}${path}`, '--config', config, '--user', 'alice'],
  ...flags,
];
const tried = (path: string, ...flags: string[]) => runGateway(asAlice(path, flags));
const triedHere = (path: string, ...flags: string[]) => runHere(asAlice(path, flags));

test('a request that would be sent: what each step says, names but no values, exit 0', async () => {
  const { code, stdout, stderr } = await tried('/api/x?a=1', '--header', 'X-Trace: 1');
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(
    stdout,
    `GET ${upstream.url}/api/x?api_key=[REDACTED]&a=1 as alice

   2  url         ok
   3  target      ok       main
   4  network     ok       127.0.0.1
   5  rate limit  ok       1/h; no token was taken
   6  method      ok
   7  headers     ok       X-Trace
   8  body size   ok       no body
   9  injection   ok       header authorization, header x-key, parameter api_key (from token, other)
  10  sending     ok       redirects are not followed

would be sent (dry run)
`,
  );
});

test('a refused request: the steps before, the reason, the steps not reached, exit 1', async () => {
  const { code, stdout } = await tried('/api/x', '--method', 'delete');
  assert.equal(code, 1);
  assert.equal(
    stdout,
    `DELETE ${upstream.url}/api/x?api_key=[REDACTED] as alice

   2  url         ok
   3  target      ok       main
   4  network     ok       127.0.0.1
   5  rate limit  ok       1/h; no token was taken
   6  method      refused  method_not_allowed: the method must be one of GET, POST
   7  headers     -
   8  body size   -
   9  injection   -
  10  sending     -

would be refused: method_not_allowed (403)
`,
  );
});

const refused: [what: string, words: (base: string) => string[], code: string][] = [
  ['a URL with two readings', (base) => [`${base}/api/../x`], 'invalid_url'],
  ['a URL outside every target', (base) => [`${base}/other`], 'no_target'],
  ['the gateway itself', () => ['http://127.0.0.1:2019/'], 'blocked_network'],
  ['a reserved header', (base) => [`${base}/api`, '--header', 'Host: x'], 'reserved_header'],
  ['an injected header', (base) => [`${base}/api`, '--header', 'X_Key: x'], 'reserved_header'],
  ['a broken header', (base) => [`${base}/api`, '--header', 'A: x\ny'], 'invalid_header'],
  ['a body that is no JSON', (base) => [`${base}/body`, '--body', 'x'], 'body_injection_failed'],
  ['a name that leads nowhere', () => ['http://name.invalid/'], 'upstream_error'],
];
for (const [what, words, expected] of refused) {
  test(`refused: ${what}`, async () => {
    const args = ['try', '--config', config, '--user', 'alice', ...words(upstream.url)];
    const { code, stdout } = await runHere(args);
    assert.equal(code, 1);
    assert.match(stdout, new RegExp(` refused {2}${expected}: `));
    assert.match(stdout, new RegExp(`\\nwould be refused: ${expected} \\(\\d{3}\\)\\n$`));
  });
}

test('a body is judged, and its field named', async () => {
  const json = await triedHere('/body/x', '--method=POST', '--body={"a":1}');
  assert.equal(json.code, 0);
  assert.match(json.stdout, /8 {2}body size {3}ok {7}7 bytes\n/);
  assert.match(json.stdout, /injection {3}ok {7}field \$\.auth\.key \(from token\)\n/);
  assert.match(json.stdout, /redirects are followed/);
});

test('outside every target, allow_any lets a public address pass and no private one', async () => {
  const bob = ['try', '--config', config, '--user', 'bob'];
  const open = await runHere([...bob, 'http://93.184.216.34/']);
  assert.equal(open.code, 0);
  assert.match(open.stdout, /target {6}ok {7}none; allow_any permits it, without credentials/);
  assert.match(open.stdout, /injection {3}ok {7}nothing/);
  const closed = await runHere([...bob, upstream.url]);
  assert.equal(closed.code, 1);
  assert.match(closed.stdout, /network {5}refused {2}blocked_network: .*loopback/);
});

test('no value of a secret is printed, wherever it is put in', async () => {
  const outputs = await Promise.all([
    tried(`/${SECRET}`, '--header', `X: ${SECRET}`),
    tried('/api/x', '--header', `${SECRET}: x`),
    tried('/api/x', '--header', `${SECRET}: x`, '--body', SECRET, '--method', SECRET),
    tried('/api/x', '--header', `${SECRET} x`),
    tried('/api/x', '--method', SECRET),
    tried(`/api/${encodeURIComponent(SECRET)}?${SECRET}`),
  ]);
  for (const { stdout, stderr } of outputs) {
    assert.ok(!`${stdout}${stderr}`.includes(SECRET), stdout);
    assert.ok(!`${stdout}${stderr}`.includes('another-value'));
  }
});

test('what a URL or a method holds does not steer the terminal', async () => {
  const words = ['try', 'http://x/\x1b[2J', '--method', 'G\x1b[2JT\u202e', '--header', 'X\x1b: 1'];
  const { screen } = await atTerminal([...words, '--user', 'alice'], [], {
    env: { GATEWAY_CONFIG: config, NO_COLOR: '1' },
  });
  assert.match(screen, /invalid_url/);
  assert.ok(!/[\x1b\u202e]/.test(screen), JSON.stringify(screen));
});

const misunderstood: [what: string, words: string[], message: RegExp][] = [
  [
    'several users and none named',
    [],
    /^there are several users; choose one with --user: alice, bob\n$/,
  ],
  ['an unknown user', ['--user', 'alcie'], /^there is no user "alcie"; known: alice, bob\n$/],
  ['a misspelt user', ['--user', 'alic'], /"alic" \(did you mean "alice"\?\)/],
  ['a header without a colon', ['--header', 'hunter2'], /^a header is written 'Name: value'\n$/],
  ['a header without a name', ['--header', ': hunter2'], /^a header is written/],
  ['a header given twice', ['--header', 'A: 1', '--header', 'A: 2'], /"A" is given twice/],
];
for (const [what, words, message] of misunderstood) {
  test(`not understood: ${what}`, async () => {
    const env = { GATEWAY_CONFIG: config };
    const { code, stdout, stderr } = await runHere(['try', 'http://x/', ...words], env);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /hunter2/);
  });
}

test('one user needs no name, and a broken configuration is shown as validate shows it', async () => {
  const single = write('single.yaml', [user('carol')]);
  const { code, stdout } = await runHere(['try', `${upstream.url}/api`, '--config', single]);
  assert.equal(code, 0);
  assert.match(stdout, / as carol\n/);
  const broken = write('broken.yaml', [{ name: 'x' }]);
  const refusal = await runHere(['try', 'http://x/', '--config', broken]);
  assert.equal(refusal.code, 1);
  assert.match(refusal.stderr, /broken\.yaml:1: users\[0\]: password is missing/);
});

test('through all of this, nobody connected to the upstream', () => {
  assert.equal(upstream.connections(), 0);
});
