/** The program as an operator runs it: a separate process, its variables, its commands. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CORPUS } from '../../src/decoys/catalogue.ts';
import { run as runCommand } from '../../src/decoys/commands/cli.ts';
import { entryOf } from '../support/programs/entry.ts';
import { freePort } from '../support/programs/free-port.ts';
import { PATIENCE_MS } from '../support/programs/patience.ts';
import { ask, type Line } from './support.ts';

const ENTRY = entryOf('decoys');
const KEY = 'a key for the command line';

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [ENTRY, ...args], {
    env: { PATH: process.env.PATH ?? '', DECOYS_LISTEN: '127.0.0.1:0', ...env },
    stdio: 'pipe',
    timeout: PATIENCE_MS,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const finished = once(child, 'close').then(
    ([code]): Finished => ({ code: code as number | null, stdout, stderr }),
  );
  return { child, finished, stdout: () => stdout };
}

function run(
  args: readonly string[],
  env: Record<string, string> = {},
  input = '',
): Promise<Finished> {
  const { child, finished } = start(args, env);
  child.stdin.end(input);
  return finished;
}

async function startServer(env: Record<string, string> = {}) {
  const port = await freePort();
  const program = start([], { DECOYS_LISTEN: `127.0.0.1:${port}`, DECOYS_KEY: KEY, ...env });
  while (!program.stdout().includes('"startup"')) {
    const ended = await Promise.race([once(program.child.stdout, 'data'), program.finished]);
    if ('code' in ended) throw new Error(`it ended: ${ended.stdout}${ended.stderr}`);
  }
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      program.child.kill('SIGTERM');
      const { code, stdout } = await program.finished;
      const lines: Line[] = stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
      return { code, lines, stdout };
    },
  };
}

let directory: string;
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'decoys-test-'));
});
after(() => rmSync(directory, { recursive: true, force: true }));

test('it starts, passes its own test, writes a line for each hit, and ends when asked to', async () => {
  const server = await startServer();
  const checked = await run(['selftest', server.url]);
  assert.equal(checked.code, 0, checked.stdout);
  assert.match(checked.stdout, /^ok {4}aws-credentials/);
  const all = CORPUS.length;
  assert.ok(checked.stdout.endsWith(`${all} of ${all} decoys answered as they should\n`));
  const { code, lines, stdout } = await server.stop();
  assert.equal(code, 0);
  assert.deepEqual([lines[0]?.event, lines.at(-1)?.event], ['startup', 'shutdown']);
  assert.equal(lines.filter(({ event }) => event === 'decoy_hit').length, all);
  assert.ok(!stdout.includes(KEY));
});

test('selftest says what is wrong', async () => {
  const port = await freePort();
  const { code, stdout } = await run(['selftest'], { DECOYS_LISTEN: `127.0.0.1:${port}` });
  assert.equal(code, 1);
  assert.match(stdout, /^FAIL {2}aws-credentials .*ECONNREFUSED/);
  assert.match(stdout, new RegExp(`^0 of ${CORPUS.length} decoys`, 'm'));
  assert.equal((await run(['selftest', 'nonsense'])).code, 2);
});

test('selftest takes a sign-in for a real endpoint at /mcp alone', async () => {
  const server = createServer((_, response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="http://x"' }).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const { code, stdout } = await run(['selftest', `http://127.0.0.1:${port}`]);
  server.close();
  assert.equal(code, 1);
  assert.match(stdout, /^FAIL {2}aws-credentials .*status 401, not 200$/m);
  assert.match(
    stdout,
    new RegExp(`\\n0 of ${CORPUS.length - 2} decoys .* answers 2 of these paths\\n$`),
  );
});

test('open shows what a token of the server holds, also after the key was changed', async () => {
  const server = await startServer();
  const { body } = await ask(server.port, '/.mcp/mcp.json');
  const aws = await ask(server.port, '/.aws/credentials');
  await server.stop();
  const token = /hp_live_[a-z2-7]{32}/.exec(body)?.[0] ?? '';
  const password = /:([a-z2-7]{32})@/.exec(body)?.[1] ?? '';
  const keyId = /AKIA[A-Z2-7]{16}/.exec(aws.body)?.[0] ?? '';
  const today = new Date().toISOString().slice(0, 10);
  const file = join(directory, 'key');
  writeFileSync(file, `${KEY}\n`);
  const opened = await run(['open', token], { DECOYS_KEY: `file:${file}` });
  assert.equal(
    opened.stdout,
    [
      'decoy:        ai-assistant-config',
      'field:        env.REPO_HOST_PERSONAL_ACCESS_TOKEN',
      'received by:  127.0.0.1',
      `day:          ${today}`,
      'site:         decoys',
      'confidence:   high',
      '',
    ].join('\n'),
  );
  const rotated = { DECOYS_KEY: 'the key of today and a new one', DECOYS_OLD_KEYS: `file:${file}` };
  for (const presented of [token, password, keyId]) {
    const { code, stdout } = await run(['open', presented], rotated);
    assert.equal(code, 0);
    assert.match(stdout, /received by: {2}127\.0\.0\.1/);
  }
});

for (const [what, args, env, code, message] of [
  ['without a token', ['open'], { DECOYS_KEY: KEY }, 2, /no token given/],
  ['without a key', ['open', `hp_live_${'a'.repeat(32)}`], {}, 1, /set DECOYS_KEY/],
  [
    'with a forged token',
    ['open', `hp_live_${'a'.repeat(32)}`],
    { DECOYS_KEY: KEY },
    1,
    /not a honeytoken/,
  ],
  [
    'with an unknown command',
    ['exprt'],
    {},
    2,
    /unknown command "exprt" \(did you mean "export"\?\)/,
  ],
  [
    'with too many arguments',
    ['open', 'a', 'b'],
    {},
    2,
    /^too many arguments after open; decoys help open tells more\n$/,
  ],
  ['with a short key', [], { DECOYS_KEY: 'short' }, 1, /DECOYS_KEY: must have at least 16/],
  ['with a missing key file', [], { DECOYS_KEY: 'file:/nonexistent' }, 1, /cannot be read/],
  [
    'with a short old key',
    [],
    { DECOYS_OLD_KEYS: 'short' },
    1,
    /DECOYS_OLD_KEYS: must have at least 16/,
  ],
  ['with every proxy trusted', [], { DECOYS_TRUSTED_PROXIES: '*' }, 1, /forge its address/],
  ['with every address trusted', [], { DECOYS_TRUSTED_PROXIES: '0.0.0.0/0' }, 1, /forge its/],
  ['with a strange proxy', [], { DECOYS_TRUSTED_PROXIES: '10.0.0.0/8, x' }, 1, /"x" is not a net/],
  ['with a strange address', [], { DECOYS_LISTEN: 'nonsense' }, 1, /DECOYS_LISTEN: "nonsense"/],
  ['with a strange level', [], { DECOYS_LOG_LEVEL: 'loud' }, 1, /DECOYS_LOG_LEVEL: "loud"/],
  [
    'without a format',
    ['export'],
    {},
    2,
    /--format is missing; it is one of nftables, ipset, .*stix/,
  ],
  [
    'with a strange format',
    ['export', '--format', 'pdf'],
    {},
    2,
    /--format is not one of nftables/,
  ],
  ['with a missing file', ['report', '/nonexistent'], {}, 1, /cannot be read/],
] as const) {
  test(`${what} it ends with ${code} and says why`, async () => {
    const finished = await run(args, env as Record<string, string>);
    assert.equal(finished.code, code);
    assert.match(finished.stderr, message);
  });
}

test('version and help are shown', async () => {
  assert.match((await run(['version'])).stdout, /^decoys \d+\.\d+\.\d+ \(commit .*, built .*\)\n$/);
  assert.match(
    (await run(['--help'])).stdout,
    /decoys export --format FORMAT \[file\.\.\.\] \[flags\]/,
  );
});

test('without a key it warns, and two runs seal differently', async () => {
  const bodies: string[] = [];
  for (let round = 0; round < 2; round++) {
    const server = await startServer({ DECOYS_KEY: '' });
    bodies.push((await ask(server.port, '/.mcp/mcp.json')).body);
    const { lines } = await server.stop();
    assert.deepEqual([lines[0]?.event, lines[0]?.level], ['random_key', 'warn']);
  }
  assert.notEqual(bodies[0], bodies[1]);
});

test('a variable that nothing reads is warned of, with the nearest name', async () => {
  const server = await startServer({ DECOYS_KYE: KEY });
  const { lines } = await server.stop();
  const message =
    'environment: DECOYS_KYE: is not known here and does nothing (did you mean "DECOYS_KEY"?)';
  const { event, level, message: said } = lines[0]!;
  assert.deepEqual([event, level, said], ['config_error', 'warn', message]);
});

test('a trusted proxy may name the client', async () => {
  const server = await startServer({ DECOYS_TRUSTED_PROXIES: '127.0.0.0/8,::1' });
  await ask(server.port, '/v1/models', { headers: { 'x-forwarded-for': '8.8.8.8, 198.51.100.9' } });
  const { lines } = await server.stop();
  const hit = lines.find(({ event }) => event === 'decoy_hit');
  assert.deepEqual(
    [hit?.['source.ip'], hit?.['source.learnt_from']],
    ['198.51.100.9', 'x-forwarded-for'],
  );
});

test('an address that is in use is one clear line', async () => {
  const server = await startServer();
  const second = await run([], { DECOYS_LISTEN: `127.0.0.1:${server.port}`, DECOYS_KEY: KEY });
  assert.equal(second.code, 1);
  assert.match(second.stderr, /cannot listen on 127\.0\.0\.1:\d+: the address is in use/);
  await server.stop();
});

const EVENTS = [
  hit('203.0.113.7', 'aws-credentials', { honeytokens: 1 }),
  hit('203.0.113.7', 'rest-api-idor-users', {}),
  hit('2001:db8:5::1', 'mcp-server-probe', {
    'mcp.client.name': 'probe',
    'mcp.client.version': '2',
  }),
  {
    ...hit('198.51.100.9', 'aws-credentials', {}),
    event: 'honeytoken_used',
    'honeytoken.received_by': '203.0.113.7',
    'honeytoken.presented_in': 'header authorization',
  },
  { level: 'warn', ts: '2026-11-15T11:00:00.000Z', event: 'events_left_out', count: 7 },
  { level: 'info', ts: '2026-11-15T09:00:00.000Z', event: 'startup' },
];
const LINES = `${EVENTS.map((event) => JSON.stringify(event)).join('\n')}\nnonsense\n`;

function hit(ip: string, tag: string, more: object): object {
  const line = { level: 'info', ts: '2026-11-15T10:00:00.000Z', event: 'decoy_hit', tag };
  return { ...line, 'source.ip': ip, 'user_agent.original': 'scan\u001b[31m/1.0', ...more };
}

test('report writes a page to its output and a summary for the terminal', async () => {
  const { code, stdout, stderr } = await run(['report'], {}, LINES);
  assert.equal(code, 0);
  assert.match(stdout, /^<!doctype html>/);
  assert.match(stderr, /3 hits from 2 networks, 2026-11-15 10:00:00 to 2026-11-15 11:00:00 UTC/);
  assert.match(stderr, /honeytokens: 1 given out, 1 used/);
  assert.match(stderr, /7 more events were left out/);
  assert.match(stderr, /1 line is not an event line/);
  assert.match(stderr, /1 {2}probe 2/);
  assert.doesNotMatch(stderr, /\u001b/);
});

test('report on a terminal writes the page into a file', async () => {
  const file = join(directory, 'events.jsonl');
  writeFileSync(file, LINES);
  const was = process.cwd();
  process.chdir(directory);
  let shown = '';
  const write = (text: string) => {
    shown += text;
  };
  const out = (line: string) => write(`${line}\n`);
  const code = await runCommand(['report', file], {}, { out, err: out, write, isTerminal: true });
  process.chdir(was);
  assert.equal(code, 0);
  assert.match(shown, /the page is decoys-report\.html/);
  assert.match(readFileSync(join(directory, 'decoys-report.html'), 'utf8'), /^<!doctype html>/);
});

test('report of nothing says so', async () => {
  const { code, stdout, stderr } = await run(['report']);
  assert.deepEqual([code, stderr], [0, 'no decoy was hit\n']);
  assert.match(stdout, /No decoy was hit/);
});

/** As the commands print them that show the logs of several programs. */
const PREFIXED = LINES.replace(/^(?=.)/gm, 'decoys-1  | ');

test('report of lines that somebody has put a name before says that it understood none', async () => {
  const { code, stdout, stderr } = await run(['report'], {}, PREFIXED);
  assert.deepEqual([code, stderr], [0, 'no decoy was hit\n7 lines are not event lines\n']);
  assert.match(stdout, /lines not understood/);
});

test('report of nothing but events left out does not say that no decoy was hit', async () => {
  const { stderr } = await run(['report'], {}, `${JSON.stringify(EVENTS[4])}\n`);
  assert.match(stderr, /^0 hits .*\n.*\n7 more events were left out\n$/);
});

test('export tells of lines that it did not understand', async () => {
  for (const format of ['ips', 'stix']) {
    const { code, stderr } = await run(['export', '--format', format], {}, PREFIXED);
    assert.deepEqual([code, stderr], [0, '7 lines are not event lines\n']);
  }
});

test('export gives each source once', async () => {
  const file = join(directory, 'export.jsonl');
  writeFileSync(file, LINES);
  const { code, stdout } = await run(['export', '--format', 'plain', '--min-hits', '1', file]);
  assert.deepEqual([code, stdout], [0, '198.51.100.9\n2001:db8:5::/64\n203.0.113.7\n']);
});

test('export warns of addresses that are not public, before somebody blocks the proxy', async () => {
  const line = JSON.stringify(hit('10.0.0.1', 'aws-credentials', {}));
  const { stdout, stderr } = await run(
    ['export', '--format', 'ips', '--min-hits', '1'],
    {},
    `${line}\n`,
  );
  assert.equal(stdout, '10.0.0.1\n');
  assert.match(stderr, /1 of 1 addresses are not public; .*DECOYS_TRUSTED_PROXIES/);
});

test('export as STIX is a sound bundle, the same from the same lines', async () => {
  const [first, second] = await Promise.all(
    [1, 2].map(() => run(['export', '--format', 'stix', '--min-hits', '1'], {}, LINES)),
  );
  assert.equal(first!.stdout, second!.stdout);
  const { type, id, objects } = JSON.parse(first!.stdout);
  assert.equal(type, 'bundle');
  const ids = objects.map((object: { id: string }) => object.id);
  for (const each of [id, ...ids]) {
    assert.match(
      each,
      /^[a-z-]+--[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  }
  assert.equal(new Set(ids).size, ids.length);
  const of = (wanted: string) =>
    objects.filter((object: { type: string }) => object.type === wanted);
  assert.deepEqual(
    of('indicator').map(({ pattern }: { pattern: string }) => pattern),
    [
      "[ipv4-addr:value = '198.51.100.9']",
      "[ipv6-addr:value = '2001:db8:5::/64']",
      "[ipv4-addr:value = '203.0.113.7']",
    ],
  );
  for (const { spec_version, created, modified } of objects) {
    assert.equal(spec_version, '2.1');
    assert.ok(Date.parse(created) <= Date.parse(modified));
  }
  for (const { source_ref, target_ref } of of('relationship')) {
    assert.ok(ids.includes(source_ref) && ids.includes(target_ref));
  }
  assert.equal(of('relationship').length, 4);
});
