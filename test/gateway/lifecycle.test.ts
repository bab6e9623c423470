/** From the first line to the exit code. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  callTool,
  ENTRY,
  type GatewayProcess,
  openStream,
  parseLines,
  runGateway,
  signIn,
  startGateway,
} from '../support/gateway/gateway.ts';
import { PASSWORD, PASSWORD_HASH } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';
import { freePort } from '../support/programs/free-port.ts';

const directory = mkdtempSync(join(tmpdir(), 'lifecycle-'));
const upstream = await startUpstream();
after(async () => {
  await upstream.close();
  rmSync(directory, { recursive: true, force: true });
});

function config(server: object = {}): string {
  const target = { id: 't', description: 'd', base_url: upstream.url };
  return JSON.stringify({
    server: { allow_networks: ['127.0.0.0/8'], ...server },
    users: [{ name: 'alice', password: PASSWORD_HASH, secrets: { pin: '123' }, targets: [target] }],
  });
}

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** A call that the upstream holds until it is told to answer. */
async function heldCall(gateway: GatewayProcess) {
  const { accessToken } = await signIn(gateway.url, 'alice', PASSWORD);
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<() => void>();
  upstream.routes.set('/held', (_request, response) => arrive(() => response.end('done')));
  const url = `${upstream.url}/held`;
  const outcome = callTool(gateway.url, accessToken, 'http_request', { url });
  outcome.catch(() => {});
  return { accessToken, outcome, answer: await arrived };
}

/** Resolves once the gateway no longer takes a new connection. */
async function refusesConnections(gateway: GatewayProcess): Promise<void> {
  for (;;) {
    try {
      const headers = { connection: 'close' };
      if ((await fetch(`${gateway.url}/healthz`, { headers })).status === 503) return;
    } catch {
      return;
    }
  }
}

describe('one life, and the next', () => {
  let gateway: GatewayProcess;
  let token: string;
  before(async () => {
    gateway = await startGateway({ config: config() });
  });
  after(() => gateway.stop());

  /** A call and a stream are open when the signal comes. */
  function testEndBy(signal: NodeJS.Signals): void {
    test(`after ${signal} a running call finishes, nothing new is taken, and the exit is clean`, async () => {
      const { outcome, answer, accessToken } = await heldCall(gateway);
      const stream = await openStream(gateway.url, accessToken);
      gateway.signal(signal);
      await refusesConnections(gateway);
      assert.equal(await stream.next(), undefined);
      answer();
      assert.equal((await outcome).value.body, 'done');
      assert.equal(await gateway.exited, 0);
      const last = gateway.lines().slice(-2);
      assert.deepEqual(
        last.map(({ event }) => event),
        ['request', 'shutdown'],
      );
      assert.equal(last[1]?.signal, signal);
      assert.equal(gateway.stderr(), '');
      token = accessToken;
    });
  }

  test('the first line says what runs and where, and /healthz that it does', async () => {
    const [startup, short] = gateway.lines();
    assert.match(startup!.ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(
      { ...startup, ts: '' },
      {
        level: 'info',
        ts: '',
        event: 'startup',
        version,
        listen: `127.0.0.1:${gateway.port}`,
        port: gateway.port,
        public_url: gateway.url,
        users: 1,
      },
    );
    assert.deepEqual([short?.event, short?.user, short?.secret], ['short_secret', 'alice', 'pin']);
    const health = await fetch(`${gateway.url}/healthz`);
    assert.equal(health.status, 200);
    assert.deepEqual(await health.json(), { status: 'ok', version });
  });

  testEndBy('SIGTERM');

  test('a restart forgets clients and tokens: the old token is refused', async () => {
    await gateway.stop();
    gateway = await startGateway({ config: config() });
    await assert.rejects(callTool(gateway.url, token, 'list_targets'), /401/);
  });

  testEndBy('SIGINT');
});

test('a call that does not end is cut after the grace, and its audit line comes before the last', async () => {
  const entry = new URL('./lifecycle-short-grace.ts', import.meta.url).pathname;
  const gateway = await startGateway({ config: config(), entry });
  const { outcome } = await heldCall(gateway);
  gateway.signal('SIGTERM');
  await assert.rejects(outcome);
  assert.equal(await gateway.exited, 0);
  const last = gateway.lines().slice(-2);
  assert.deepEqual(
    last.map(({ event }) => event),
    ['request', 'shutdown'],
  );
});

for (const listener of ['server.listen', 'server.metrics.listen']) {
  test(`an address of ${listener} that is taken is one clear line and exit code 1`, async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
    const metrics = { listen: address, key: 'key-of-16-characters' };
    const path = join(directory, 'taken.yaml');
    const isMetrics = listener !== 'server.listen';
    writeFileSync(path, config(isMetrics ? { metrics } : {}));
    const { code, stdout, stderr } = await runGateway([], {
      env: {
        GATEWAY_CONFIG: path,
        GATEWAY_LISTEN: isMetrics ? '127.0.0.1:0' : address,
        GATEWAY_PUBLIC_URL: 'http://127.0.0.1:1',
      },
    });
    taken.close();
    assert.equal(code, 1);
    const reason = `cannot listen on ${address}: the address is in use by another process`;
    assert.equal(stderr, `${path}: ${reason}\n`);
    const lines = parseLines(stdout);
    assert.equal(lines.length, 1);
    assert.equal(lines[0]?.level, 'error');
  });
}

test('a bad configuration is one line for machines, a line a problem for people, exit code 1', async () => {
  const path = join(directory, 'bad.yaml');
  writeFileSync(path, 'users: [{name: alice}]\n');
  const { code, stdout, stderr } = await runGateway([], { env: { GATEWAY_CONFIG: path } });
  assert.equal(code, 1);
  assert.equal(stderr.trimEnd().split('\n').length, 2);
  const [line, ...rest] = parseLines(stdout);
  assert.deepEqual(rest, []);
  assert.deepEqual([line?.event, line?.message], ['config_error', 'the gateway cannot start']);
  assert.deepEqual(line?.problems, stderr.trimEnd().split('\n'));
});

test('a bad configuration is told once where both streams are read together', async () => {
  const path = join(directory, 'bad.yaml');
  writeFileSync(path, 'users: [{name: alice}]\n');
  const log = join(directory, 'log.jsonl');
  const env = { ...process.env, GATEWAY_CONFIG: path };
  const command = `"${process.execPath}" "${ENTRY}"`;
  const atTerminal = spawnSync('script', ['-qec', command, '/dev/null'], { env, encoding: 'utf8' });
  assert.equal(atTerminal.status, 1);
  const lines = atTerminal.stdout.trim().split(/\r?\n/);
  assert.equal(lines.length, 2);
  assert.ok(
    lines.every((line) => line.startsWith(`${path}:1: `)),
    atTerminal.stdout,
  );
  for (const joined of ['2>&1', `>${log} 2>&1; cat ${log}`]) {
    const { stdout } = spawnSync('sh', ['-c', `${command} ${joined}`], { env, encoding: 'utf8' });
    const [line, ...rest] = parseLines(stdout);
    assert.deepEqual(rest, []);
    assert.equal((line!.problems as string[]).length, 2);
  }
});

test('GATEWAY_LOG_LEVEL silences what is below it, but never the audit', async () => {
  const path = join(directory, 'quiet.yaml');
  const port = await freePort();
  writeFileSync(path, config());
  const child = spawn(process.execPath, [ENTRY], {
    env: {
      GATEWAY_LOG_LEVEL: 'warn',
      GATEWAY_CONFIG: path,
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      GATEWAY_PUBLIC_URL: `http://127.0.0.1:${port}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  // The warning of the short secret comes once the gateway listens.
  await once(child.stdout, 'data');
  const { accessToken } = await signIn(`http://127.0.0.1:${port}`, 'alice', PASSWORD);
  const url = `${upstream.url}/audited`;
  await callTool(`http://127.0.0.1:${port}`, accessToken, 'http_request', { url });
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'close'), [0, null]);
  assert.deepEqual(
    parseLines(stdout).map(({ event, level }) => [event, level]),
    [
      ['short_secret', 'warn'],
      ['request', 'info'],
    ],
  );
});
