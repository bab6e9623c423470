/** The tables of the configuration file in docs/gateway.md, row by row: what is accepted, and as what. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderTemplate } from '../../src/gateway/request/template.ts';
import { readText, readWith } from './config-file.ts';

const MIB = 1_048_576;

test('a configuration with nothing but what is required has the documented defaults', () => {
  const { config, problems, warnings } = readWith({});
  assert.deepEqual({ problems, warnings }, { problems: [], warnings: [] });
  assert.deepEqual(config?.server, {
    listen: { host: undefined, port: 2019, text: ':2019' },
    publicUrl: 'https://gateway.example.com',
    maxResponseBytes: MIB,
    requestTimeoutMs: 30_000,
    idleTimeoutMs: 300_000,
    tokenTtlMs: 12 * 3_600_000,
    codeTtlMs: 60_000,
    loginRateLimit: { count: 10, periodMs: 60_000, text: '10/m' },
    trustedProxies: [],
    allowNetworks: [],
    allowedOrigins: [],
    onTripwire: 'log',
    console: true,
  });
  const user = config?.users.get('alice');
  assert.equal(user?.allowAny, false);
  assert.equal(user?.secrets.size, 0);
  const { paths, baseUrl, inject, ...target } = user!.targets[0]!;
  assert.deepEqual(target, {
    id: 't',
    description: 'd',
    methods: ['GET'],
    timeoutMs: 30_000,
    idleTimeoutMs: 300_000,
    maxResponseBytes: MIB,
    followRedirects: false,
  });
  assert.deepEqual(
    paths.map((pattern) => pattern.text),
    ['/**'],
  );
  assert.deepEqual(baseUrl, {
    text: 'https://api.example.com',
    scheme: 'https',
    host: 'api.example.com',
    port: 443,
    path: '',
  });
  assert.deepEqual([inject.headers.size, inject.query.size, inject.body.length], [0, 0, 0]);
});

test('every key is read, and a target inherits from the server what it does not set', () => {
  const { config, problems } = readText(
    `
server:
  listen: 127.0.0.1:8080
  public_url: http://localhost:8080/
  max_response_bytes: 2048
  request_timeout: 1m30s
  token_ttl: 1.5h
  code_ttl: 500ms
  login_rate_limit: 5/h
  trusted_proxies: [10.0.0.0/8, "::1"]
  allow_networks: [192.168.0.0/16]
  allowed_origins: ["https://app.example.com"]
  metrics: {listen: ":9090", key: 0123456789abcdef}
users:
  - name: A.b_c-9
    password: literal:env:x
    allow_any: true
    secrets: {token: env:TOKEN, _1: plain}
    targets:
      - id: first
        description: The first
        base_url: http://192.168.1.5:8080/api/
        methods: [get, POST]
        paths: ["/api/*"]
        rate_limit: 2/s
        timeout: 5s
        max_response_bytes: 10
        follow_redirects: true
        inject:
          headers: {Authorization: "Bearer \${token}"}
          query: {key: "\${_1}"}
          body: {$.a.b: "$\${literal} \${token}"}
      - id: second
        description: The second
        base_url: https://api.example.com
`.replaceAll('\\$', '$'),
    { TOKEN: 'secret-token' },
  );
  assert.deepEqual(problems, []);
  const server = config!.server;
  assert.deepEqual(server.listen, { host: '127.0.0.1', port: 8080, text: '127.0.0.1:8080' });
  assert.equal(server.publicUrl, 'http://localhost:8080');
  assert.deepEqual(
    [server.maxResponseBytes, server.requestTimeoutMs, server.tokenTtlMs, server.codeTtlMs],
    [2048, 90_000, 5_400_000, 500],
  );
  assert.equal(server.loginRateLimit.text, '5/h');
  assert.deepEqual(
    server.trustedProxies.map((cidr) => cidr.text),
    ['10.0.0.0/8', '::1/128'],
  );
  assert.equal(server.metrics?.listen?.port, 9090);
  assert.ok(server.metrics?.key.equals('0123456789abcdef'));
  const user = config!.users.get('A.b_c-9')!;
  assert.equal(user.allowAny, true);
  const [first, second] = user.targets;
  assert.deepEqual(first!.methods, ['GET', 'POST']);
  assert.deepEqual(
    [first!.timeoutMs, first!.maxResponseBytes, first!.followRedirects, first!.rateLimit?.text],
    [5_000, 10, true, '2/s'],
  );
  assert.deepEqual(first!.baseUrl.path, '/api');
  const [{ path, template }] = first!.inject.body as [(typeof first & object)['inject']['body'][0]];
  assert.deepEqual(path, ['a', 'b']);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is a template of ours.
  assert.equal(renderTemplate(template, user.secrets), '${literal} secret-token');
  assert.deepEqual(first!.inject.secretNames, ['token', '_1']);
  assert.deepEqual([second!.timeoutMs, second!.maxResponseBytes], [90_000, 2048]);
});

const long = (count: number) => 'a'.repeat(count);

const accepted: [what: string, parts: Parameters<typeof readWith>[0]][] = [
  ['a name of 64 characters', { user: { name: long(64) } }],
  ['a secret name of 64 characters', { user: { secrets: { [long(64)]: 'x' } } }],
  ['no secrets and no targets', { user: { secrets: null, targets: null } }],
  ['an IPv6 listen address', { server: { listen: '[::1]:2019' } }],
  ['port 0, chosen by the system', { server: { listen: '127.0.0.1:0' } }],
  ['lifetimes of a month', { server: { token_ttl: '720h', code_ttl: '720h' } }],
  ['a duration of several parts', { server: { token_ttl: '1h30m5s250ms' } }],
  ['the largest response', { target: { max_response_bytes: 32 * MIB } }],
  ['a public address', { target: { base_url: 'http://8.8.8.8:8080' } }],
  ['an upper-case scheme and host', { target: { base_url: 'HTTPS://API.Example.COM/' } }],
  ['an opened network', open('192.168.0.0/16', 'http://192.168.1.5')],
  ['an opened loopback by its name', open('127.0.0.0/8', 'http://localhost:8080')],
  ['an opened network in another spelling', open('127.0.0.0/8', 'http://0x7f.1/')],
  ['an opened IPv6 network', open('fd00::/8', 'http://[fd12::1]/')],
  ['a pattern at the base path itself', paths('/v1', ['/v1', '/v1/', '/**', '/*/x', '/v?/**'])],
  ['every method', { target: { methods: 'GET HEAD POST PUT PATCH DELETE OPTIONS'.split(' ') } }],
  ['a header with a tab', { target: { inject: { headers: { 'X-A': 'a\tb' } } } }],
  ['two fields side by side', { target: { inject: { body: { '$.a.b': 'x', '$.a.c': 'y' } } } }],
];
for (const [what, parts] of accepted) {
  test(`accepted: ${what}`, () => assert.deepEqual(readWith(parts).problems, []));
}

test('names of users and ids of a user are unique, also where an entry has other problems', () => {
  const { problems } = readText(`
server: {public_url: "https://a.example"}
users:
  - name: alice
    password: x
    targets:
      - {id: t, description: d, base_url: "https://a.example"}
      - {id: t, base_url: "https://a.example"}
  - name: alice
`);
  assert.deepEqual(problems, [
    '8: users[0].targets[1]: description is missing; say what the model finds there',
    '8: users[0].targets[1].id: the target "t" is defined twice',
    '9: users[1].name: the user alice is defined twice',
    '9: users[1]: password is missing; make one with the hashpw command',
  ]);
});

test('two users may have targets and secrets of the same name', () => {
  const target = { id: 't', description: 'd', base_url: 'https://a.example' };
  const user = { password: 'x', secrets: { s: 'value' }, targets: [target] };
  const users = [
    { name: 'alice', ...user },
    { name: 'Alice', ...user },
  ];
  const { config, problems } = readText(
    JSON.stringify({ server: { public_url: 'https://a.example' }, users }),
  );
  assert.deepEqual(problems, []);
  assert.equal(config?.users.size, 2);
});

test('a secret that cannot be resolved is one problem, not one for each use', () => {
  const { problems } = readWith({
    user: {
      secrets: { s: 'env:UNSET' },
      targets: [
        {
          id: 't',
          description: 'd',
          base_url: 'https://a.example',
          inject: { headers: { 'X-A': ref('s') } },
        },
      ],
    },
  });
  assert.deepEqual(problems, [
    '1: users[0].secrets.s: the environment variable UNSET is not set or empty',
  ]);
});

for (const users of ['', 'users:', 'users: []']) {
  test(`a configuration with ${users || 'no users'} is accepted with a warning`, () => {
    const { config, problems, warnings } = readText(
      `server: {public_url: "https://a.example"}\n${users}`,
    );
    assert.deepEqual(problems, []);
    assert.equal(config?.users.size, 0);
    assert.match(warnings[0]!, /there are no users, so nobody can sign in$/);
  });
}

test('the environment comes before the file, and an empty variable does not count', () => {
  const server = { listen: ':1', public_url: 'https://file.example' };
  const set = readWith(
    { server },
    { GATEWAY_LISTEN: '127.0.0.1:2', GATEWAY_PUBLIC_URL: 'https://env.example' },
  );
  assert.equal(set.config?.server.listen.text, '127.0.0.1:2');
  assert.equal(set.config?.server.publicUrl, 'https://env.example');
  const empty = readWith({ server }, { GATEWAY_LISTEN: '', GATEWAY_PUBLIC_URL: '' });
  assert.equal(empty.config?.server.listen.text, ':1');
  assert.equal(empty.config?.server.publicUrl, 'https://file.example');
});

test('public_url may come from the environment alone', () => {
  const { config } = readText('users: []', { GATEWAY_PUBLIC_URL: 'https://env.example' });
  assert.equal(config?.server.publicUrl, 'https://env.example');
});

function open(network: string, base_url: string): Parameters<typeof readWith>[0] {
  return { server: { allow_networks: [network] }, target: { base_url } };
}

function paths(basePath: string, patterns: string[]): Parameters<typeof readWith>[0] {
  return { target: { base_url: `https://api.example.com${basePath}`, paths: patterns } };
}

function ref(name: string): string {
  return `\${${name}}`;
}

test('a variable that nothing reads is warned of, with the nearest name', () => {
  const env = {
    GATEWAY_LISEN: ':1',
    GATEWAY_COLOUR_OF_THE_SKY: 'blue',
    GATEWAY_OF_ALICE: 'correct horse battery',
    GATEWAY_SERVICE_HOST: '10.0.0.1',
    GATEWAY_PORT_2019_TCP: 'tcp://10.0.0.1:2019',
    GATEWAY_LOG_LEVEL: 'info',
  };
  const { problems, warnings } = readWith({ user: { password: 'env:GATEWAY_OF_ALICE' } }, env);
  assert.deepEqual(problems, []);
  assert.deepEqual(warnings, [
    'environment: GATEWAY_LISEN: is not known here and does nothing (did you mean "GATEWAY_LISTEN"?)',
    'environment: GATEWAY_COLOUR_OF_THE_SKY: is not known here and does nothing',
  ]);
});
