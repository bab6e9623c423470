/** The configuration in force follows its file, whatever way the file is changed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import {
  callTool,
  type GatewayProcess,
  linesOf,
  openStream,
  signIn,
  startGateway,
} from '../support/gateway/gateway.ts';
import { PASSWORD, PASSWORD_HASH } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';

const directory = mkdtempSync(join(tmpdir(), 'reload-test-'));
const upstream = await startUpstream();
after(async () => {
  await upstream.close();
  rmSync(directory, { recursive: true, force: true });
});

interface Parts {
  readonly server?: object;
  /** Ids of alice's targets; each leads to the upstream. */
  readonly targets?: string[];
  readonly inject?: object;
  readonly secrets?: object;
  readonly users?: string[];
}

function config(parts: Parts = {}): string {
  const { targets = ['t'], users = ['alice'], inject = {}, secrets = {} } = parts;
  const list = targets.map((id) => ({ id, description: 'd', base_url: upstream.url, inject }));
  return JSON.stringify({
    server: { allow_networks: ['127.0.0.0/8'], ...parts.server },
    users: users.map((name) => ({ name, password: PASSWORD_HASH, secrets, targets: list })),
  });
}

async function targetsOf(gateway: GatewayProcess, token: string): Promise<string[]> {
  const { value } = await callTool(gateway.url, token, 'list_targets');
  return (value.targets as { id: string }[]).map(({ id }) => id);
}

/** Replaces the file in one step, as editors and deployment tools do. */
function swap(path: string, text: string): void {
  const next = join(dirname(path), 'next.yaml');
  writeFileSync(next, text);
  renameSync(next, path);
}

describe('one gateway, changed again and again', () => {
  let gateway: GatewayProcess;
  let token: string;
  let reloads = 0;
  before(async () => {
    gateway = await startGateway({ config: config() });
    token = (await signIn(gateway.url, 'alice', PASSWORD)).accessToken;
  });
  after(() => gateway.stop());

  async function reloaded(): Promise<void> {
    reloads += 1;
    await linesOf(gateway, ['config_reloaded'], reloads);
  }

  test('a file written in place is active, and the session survives', async () => {
    gateway.writeConfig(config({ targets: ['a', 'b'] }));
    await reloaded();
    assert.deepEqual(await targetsOf(gateway, token), ['a', 'b']);
  });

  test('a file replaced by a rename is active', async () => {
    swap(gateway.configPath, config({ targets: ['renamed'] }));
    await reloaded();
    assert.deepEqual(await targetsOf(gateway, token), ['renamed']);
  });

  test('a file that is removed and comes back is active again; meanwhile the last one holds', async () => {
    rmSync(gateway.configPath);
    const [line] = await linesOf(gateway, ['config_error'], 1);
    assert.match(String(line?.problems), /there is no such file/);
    assert.deepEqual(await targetsOf(gateway, token), ['renamed']);
    gateway.writeConfig(config({ targets: ['back'] }));
    await reloaded();
    assert.deepEqual(await targetsOf(gateway, token), ['back']);
  });

  test('half a file changes nothing but the log, and the whole one is active', async () => {
    const whole = config({ targets: ['whole'] });
    gateway.writeConfig(whole.slice(0, whole.length / 2));
    const lines = await linesOf(gateway, ['config_error'], 2);
    assert.equal(lines[1]?.level, 'error');
    assert.match(String(lines[1]?.message), /the previous one stays active$/);
    assert.deepEqual(await targetsOf(gateway, token), ['back']);
    gateway.writeConfig(whole);
    await reloaded();
    assert.deepEqual(await targetsOf(gateway, token), ['whole']);
  });

  test('every problem of a bad version is in its one error line', async () => {
    gateway.writeConfig(config({ server: { lisen: 1, max_response_bytes: 0 } }));
    const lines = await linesOf(gateway, ['config_error'], 3);
    assert.equal((lines[2]!.problems as string[]).length, 2);
    gateway.writeConfig(config({ targets: ['good'] }));
    await reloaded();
    assert.equal((await linesOf(gateway, ['config_error'], 3)).length, 3);
  });

  test('a storm of SIGHUP is survived, and the file is still watched', async () => {
    for (let i = 0; i < 200; i++) gateway.signal('SIGHUP');
    await reloaded();
    assert.equal((await fetch(`${gateway.url}/healthz`)).status, 200);
    gateway.writeConfig(config({ users: ['alice', 'bob', 'carol'] }));
    await gateway.line((line) => line.event === 'config_reloaded' && line.users === 3);
  });

  test('an open stream is told when what the user may reach has changed, and only then', async () => {
    const stream = await openStream(gateway.url, token);
    gateway.writeConfig(config({ users: ['alice', 'bob'] }));
    await gateway.line((line) => line.event === 'config_reloaded' && line.users === 2);
    gateway.writeConfig(config({ users: ['alice'], targets: ['t', 'new'] }));
    assert.deepEqual(await stream.next(), {
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
    });
    assert.deepEqual(await targetsOf(gateway, token), ['t', 'new']);
    stream.close();
  });

  test('a removed user is out at once, and the name coming back revives nothing', async () => {
    const stream = await openStream(gateway.url, token);
    const held = await heldRequest(gateway, token);
    gateway.writeConfig(config({ users: ['dora', 'erik', 'finn', 'gwen'] }));
    await gateway.line((line) => line.event === 'config_reloaded' && line.users === 4);
    assert.equal(await stream.next(), undefined);
    assert.equal(await mcpStatus(gateway, token), 401);
    gateway.writeConfig(config({ users: ['alice', 'b', 'c', 'd', 'e'] }));
    await gateway.line((line) => line.event === 'config_reloaded' && line.users === 5);
    assert.equal(await mcpStatus(gateway, token), 401);
    assert.match(await held.finish(), /"structuredContent":\{"targets":\[\]/);
    const again = await signIn(gateway.url, 'alice', PASSWORD);
    assert.equal(await mcpStatus(gateway, again.accessToken), 200);
  });
});

test('a configuration mounted as Kubernetes does it is active when its link is swapped', async () => {
  const mount = join(directory, 'mount');
  for (const [version, targets] of [
    ['..v1', ['one']],
    ['..v2', ['two']],
  ] as const) {
    mkdirSync(join(mount, version), { recursive: true });
    writeFileSync(join(mount, version, 'config.yaml'), config({ targets: [...targets] }));
  }
  symlinkSync('..v1', join(mount, '..data'));
  symlinkSync('..data/config.yaml', join(mount, 'config.yaml'));
  const env = { GATEWAY_CONFIG: join(mount, 'config.yaml') };
  const gateway = await startGateway({ config: '', env });
  try {
    const { accessToken } = await signIn(gateway.url, 'alice', PASSWORD);
    assert.deepEqual(await targetsOf(gateway, accessToken), ['one']);
    symlinkSync('..v2', join(mount, '..data_tmp'));
    renameSync(join(mount, '..data_tmp'), join(mount, '..data'));
    await linesOf(gateway, ['config_reloaded'], 1);
    assert.deepEqual(await targetsOf(gateway, accessToken), ['two']);
  } finally {
    await gateway.stop();
  }
});

test('SIGHUP resolves a rotated secret anew although the file of the configuration is the same', async () => {
  const secretPath = join(directory, 'secret');
  writeFileSync(secretPath, 'first-value\n');
  const gateway = await startGateway({
    config: config({
      secrets: { token: `file:${secretPath}`, pin: '1234' },
      inject: { headers: { 'X-Token': `\${token}` } },
    }),
  });
  try {
    const { accessToken } = await signIn(gateway.url, 'alice', PASSWORD);
    const sent = async () => {
      await callTool(gateway.url, accessToken, 'http_request', { url: `${upstream.url}/x` });
      return upstream.received.at(-1)?.headers['x-token'];
    };
    assert.equal(await sent(), 'first-value');
    writeFileSync(secretPath, 'second-value\n');
    gateway.signal('SIGHUP');
    await linesOf(gateway, ['config_reloaded'], 1);
    assert.equal(await sent(), 'second-value');
    rmSync(secretPath);
    gateway.signal('SIGHUP');
    await linesOf(gateway, ['config_error'], 1);
    assert.equal(await sent(), 'second-value');
    const short = await linesOf(gateway, ['short_secret'], 2);
    assert.deepEqual(
      short.map(({ user, secret, level }) => [user, secret, level]),
      [
        ['alice', 'pin', 'warn'],
        ['alice', 'pin', 'warn'],
      ],
    );
    assert.doesNotMatch(gateway.stdout() + gateway.stderr(), /first-value|second-value|1234/);
  } finally {
    await gateway.stop();
  }
});

test('the first approval without a console needs a restart, for its page', async () => {
  const base = {
    id: 't',
    description: 'd',
    base_url: 'https://api.example.com',
    methods: ['POST'],
  };
  const at = (target: object) =>
    JSON.stringify({
      server: { console: false },
      users: [{ name: 'ada', password: PASSWORD, targets: [{ ...base, ...target }] }],
    });
  const gateway = await startGateway({ config: at({}) });
  try {
    gateway.writeConfig(at({ approve: ['POST'] }));
    gateway.signal('SIGHUP');
    const [line] = await linesOf(gateway, ['config_reloaded'], 1);
    assert.deepEqual(line?.needs_restart, ['users[].targets[].approve']);
  } finally {
    await gateway.stop();
  }
});

test('what needs a restart is named, compared with what the server was started with', async () => {
  const at = (server: object) =>
    config({
      server: {
        listen: '127.0.0.1:PORT',
        public_url: 'http://127.0.0.1:PORT',
        decoys: { key: 'decoys-key-of-the-start' },
        ...server,
      },
    });
  const gateway = await startGateway({
    config: at({}),
    env: { GATEWAY_LISTEN: '', GATEWAY_PUBLIC_URL: '' },
  });
  const key = 'key-of-16-characters';
  const versions: [server: object, expected: string[] | undefined][] = [
    [{ listen: '127.0.0.1:1' }, ['server.listen']],
    [{ listen: '127.0.0.1:1', token_ttl: '1h' }, ['server.listen']],
    [{ token_ttl: '1h' }, undefined],
    [{ decoys: { key: 'another-key-of-the-decoys' } }, ['server.decoys']],
    [{ console: false }, ['server.console']],
    [
      { public_url: 'https://other.example', metrics: { key } },
      ['server.public_url', 'server.metrics'],
    ],
  ];
  try {
    for (const [index, [server, expected]] of versions.entries()) {
      gateway.writeConfig(at(server));
      gateway.signal('SIGHUP');
      const lines = await linesOf(gateway, ['config_reloaded'], index + 1);
      assert.deepEqual(lines[index]?.needs_restart, expected);
    }
    assert.equal((await fetch(`${gateway.url}/healthz`)).status, 200);
    assert.ok(!gateway.stdout().includes(key));
  } finally {
    await gateway.stop();
  }
});

/** A call of which the server has judged the token and not yet got the body. */
async function heldRequest(
  gateway: GatewayProcess,
  token: string,
): Promise<{ finish(): Promise<string> }> {
  const body =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_targets","arguments":{}}}';
  const sent = request(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': body.length,
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      expect: '100-continue',
    },
  });
  sent.flushHeaders();
  await once(sent, 'continue');
  return {
    finish: async () => {
      sent.end(body);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      return text(answer);
    },
  };
}

async function mcpStatus(gateway: GatewayProcess, token: string): Promise<number> {
  const response = await fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  await response.text();
  return response.status;
}
