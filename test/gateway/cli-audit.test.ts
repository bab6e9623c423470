/** `gateway audit`: what it shows of a log, whatever is in it and however long it is. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { runHere } from '../support/gateway/command-here.ts';
import { ENTRY, runGateway } from '../support/gateway/gateway.ts';
import { atTerminal } from '../support/gateway/terminal.ts';
import { PATIENCE_MS } from '../support/programs/patience.ts';
import { memoryKib } from '../support/programs/process.ts';

const directory = mkdtempSync(join(tmpdir(), 'audit-'));
const file = join(directory, 'audit.jsonl');
after(() => rmSync(directory, { recursive: true, force: true }));

function line(fields: object): string {
  return `${JSON.stringify({
    ts: '2026-11-15T10:00:00.000Z',
    level: 'info',
    event: 'request',
    user: 'alice',
    client_id: 'c',
    target: 'github',
    method: 'GET',
    url: 'https://api.github.com/user',
    status: 200,
    duration_ms: 100,
    bytes: 2_000,
    truncated: false,
    injected: ['token'],
    redacted: 0,
    ...fields,
  })}\n`;
}

const DOOR = { client_id: null, door: 'http', key: 'laptop' };
const LOG = [
  '{"ts":"2026-11-15T09:00:00.000Z","level":"info","event":"startup","version":"0"}\n',
  line({}),
  line({ ts: '2026-11-15T10:00:01.000Z', user: 'bob', target: 'home', duration_ms: 300, ...DOOR }),
  line({ ts: '2026-11-15T10:00:02.000Z', redacted: 2, truncated: true, duration_ms: 50 }),
  line({
    ts: '2026-11-15T10:00:03.000Z',
    method: 'DELETE',
    status: 403,
    error: 'method_not_allowed',
  }),
  line({
    ts: '2026-11-15T10:00:04.000Z',
    user: null,
    target: null,
    method: 'POST',
    url: '/mcp',
    status: 401,
    error: 'unauthorized',
    duration_ms: undefined,
    bytes: undefined,
    ip: '203.0.113.7',
  }),
  '{"ts":"2026-11-15T10:00:05.000Z","event":"requ',
].join('');

writeFileSync(file, LOG);

const HEAD =
  'time                 user          target          method  code     ms     bytes  url';
const ROWS = [
  '2026-11-15 10:00:00  alice         github          GET      200    100      2000  https://api.github.com/user',
  '2026-11-15 10:00:01  bob           home            GET      200    300      2000  https://api.github.com/user',
  '2026-11-15 10:00:02  alice         github          GET      200     50      2000  https://api.github.com/user  reflected 2, truncated',
  '2026-11-15 10:00:03  alice         github          DELETE   403    100      2000  https://api.github.com/user  method_not_allowed',
  '2026-11-15 10:00:04  -             -               POST     401      0         0  /mcp  unauthorized',
];
const SUMMARY = `5 calls, 2026-11-15 10:00:00 to 2026-11-15 10:00:04 UTC
answered within 100 ms (p50), 300 ms (p95)
2 refused: method_not_allowed 1, unauthorized 1
1 answer reflected a credential, which was removed
1 line not understood
`;
const table = (...rows: number[]) =>
  rows.length === 0 ? '' : `${[HEAD, ...rows.map((row) => ROWS[row])].join('\n')}\n`;

test('a file and standard input are shown alike: table on one stream, summary on the other', async () => {
  const expected = { code: 0, stdout: table(0, 1, 2, 3, 4), stderr: SUMMARY };
  assert.deepEqual(await runGateway(['audit', file]), expected);
  assert.deepEqual(await runGateway(['audit'], { input: LOG }), expected);
  assert.deepEqual(await runGateway(['audit', '-'], { input: LOG }), expected);
});

const chosen: [flags: string[], rows: number[]][] = [
  [
    ['--user', 'alice'],
    [0, 2, 3],
  ],
  [['--user', 'nobody'], []],
  [['--target=home'], [1]],
  [['--door', 'http'], [1]],
  [['--door=mcp'], []],
  [['--key', 'laptop', '--user', 'bob'], [1]],
  [['--key', 'other'], []],
  [['--refused'], [3, 4]],
  [['--refused', '--user=alice'], [3]],
  [
    ['--since', '2026-11-15T10:00:03'],
    [3, 4],
  ],
  [['--since', '2026-11-16'], []],
  [
    ['--since', '80000h'],
    [0, 1, 2, 3, 4],
  ],
  [
    ['--since', '5000d'],
    [0, 1, 2, 3, 4],
  ],
  [
    ['--last', '2'],
    [3, 4],
  ],
  [['--last', '0'], []],
  [
    ['--last', 'all'],
    [0, 1, 2, 3, 4],
  ],
];
for (const [flags, rows] of chosen) {
  test(`${flags.join(' ')} leaves the rows ${rows.join(', ') || 'none'}`, async () => {
    const { code, stdout } = await runHere(['audit', file, ...flags]);
    assert.deepEqual([code, stdout], [0, table(...rows)]);
  });
}

test('--since 1h counts from now', async () => {
  const ago = (minutes: number) =>
    line({ ts: new Date(Date.now() - minutes * 60_000).toISOString(), bytes: minutes });
  const input = ago(90) + ago(10);
  const { stdout } = await runGateway(['audit', '--since', '1h'], { input });
  assert.match(stdout, / 10 {2}https/);
  assert.doesNotMatch(stdout, / 90 {2}https/);
});

test('a log without calls says so', async () => {
  const { code, stdout, stderr } = await runGateway(['audit'], { input: 'nonsense\n' });
  assert.deepEqual([code, stdout], [0, '']);
  assert.equal(stderr, 'no call is in the log\n1 line not understood\n');
});

for (const [what, flags, code, message] of [
  ['a strange time', [file, '--since', 'soon'], 2, /^--since is a time such as 90m/],
  ['a strange door', [file, '--door', 'back'], 2, /^--door is mcp or http/],
  ['a strange number', [file, '--last', '-1'], 2, /^--last is a whole number up to/],
  ['a number beyond all bounds', [file, '--last', '99999'], 2, /^--last is a whole number up to/],
  ['a page that follows', [file, '--html', '--follow'], 2, /^a page cannot follow/],
  [
    'a missing file',
    ['/nonexistent'],
    1,
    /^the audit lines cannot be read: .*there is no such file/,
  ],
  [
    'a missing file to follow',
    ['/nonexistent', '--follow'],
    1,
    /cannot be read: .*there is no such file/,
  ],
  ['a folder', ['/'], 1, /^the audit lines cannot be read: .*it is a directory/],
] as const) {
  test(`${what} ends with ${code} and says why`, async () => {
    const finished = await runHere(['audit', ...flags]);
    assert.deepEqual([finished.code, finished.stdout], [code, '']);
    assert.match(finished.stderr, message);
  });
}

describe('on a terminal', () => {
  test('the last rows, colours and the summary stand together, and rows fit the width', async () => {
    const long = join(directory, 'long.jsonl');
    const url = `https://api.github.com/${'x'.repeat(300)}`;
    writeFileSync(long, `${line({ url }).repeat(60)}${LOG}`);
    const { code, screen } = await atTerminal(['audit', long], [], { env: { COLUMNS: '120' } });
    assert.equal(code, 0);
    assert.equal(screen.match(/^2026-11-15 10:00:00/gm)?.length, 36);
    assert.match(screen, /the last 40; --last all shows every call\n\n/);
    assert.match(screen, /\x1b\[1m65 calls/);
    assert.match(screen, /\x1b\[31m2026-11-15 10:00:03 .* method_not_allowed\x1b\[39m/);
    assert.match(screen, /\x1b\[33m2026-11-15 10:00:02 .* reflected 2, truncated\x1b\[39m/);
  });

  test('--html writes the page into a file that only its owner reads', async () => {
    const { code, screen } = await atTerminal(['audit', file, '--html'], [], { cwd: directory });
    assert.equal(code, 0);
    assert.match(screen, /5 calls,/);
    assert.match(screen, /the page is gateway-audit\.html\n$/);
    const page = join(directory, 'gateway-audit.html');
    assert.match(readFileSync(page, 'utf8'), /^<!doctype html>/);
    assert.equal(statSync(page).mode & 0o777, 0o600);
  });

  test('nothing of a line steers the terminal or makes a separate row', async () => {
    const nasty = '\x1b[2J\x1b]0;taken\x07\r\n2026-11-15 99:99:99\x9b31m\u202e\b\u2028';
    const fields = { user: nasty, target: nasty, method: nasty, url: nasty, error: nasty };
    const path = join(directory, 'nasty.jsonl');
    writeFileSync(path, `${line(fields)}\x1b[31m raw \x1b[2J\n`);
    for (const flags of [[], ['--html']]) {
      const { screen } = await atTerminal(['audit', path, ...flags], [], {
        env: { NO_COLOR: '1' },
        cwd: directory,
      });
      assert.match(screen, /1 line not understood/);
      assert.ok(!/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]/.test(screen), JSON.stringify(screen));
      assert.doesNotMatch(screen, /^2026-11-15 99/m);
    }
  });
});

describe('--follow', () => {
  function follow(args: readonly string[]) {
    const child = spawn(process.execPath, [ENTRY, 'audit', '--follow', ...args], {
      env: { PATH: process.env.PATH ?? '' },
      timeout: PATIENCE_MS,
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const closed = once(child, 'close');
    return {
      child,
      shows: async (wanted: string) => {
        while (!stdout.includes(wanted)) await once(child.stdout, 'data');
      },
      end: async () => {
        const [code] = await closed;
        return { code, stdout, stderr };
      },
    };
  }

  test('a file goes on with what is added, and ends with the summary when interrupted', async () => {
    const path = join(directory, 'growing.jsonl');
    writeFileSync(path, LOG.slice(0, -20));
    const following = follow([path, '--last', '1', '--user', 'alice']);
    await following.shows('method_not_allowed');
    appendFileSync(path, `"}\n${line({ method: 'PUT', url: 'https://added.example' })}`);
    await following.shows('https://added.example');
    appendFileSync(path, line({ user: 'bob', url: 'https://other.example' }));
    appendFileSync(path, line({ url: 'https://last.example' }).repeat(3));
    await following.shows('https://last.example');
    following.child.kill('SIGINT');
    const { code, stdout, stderr } = await following.end();
    assert.equal(code, 0);
    assert.equal(stdout.match(/^2026/gm)?.length, 5);
    assert.doesNotMatch(stdout, /other\.example|reflected/);
    assert.match(stderr, /^7 calls, /);
  });

  test('standard input is shown as it comes', async () => {
    const following = follow([]);
    following.child.stdin.write(line({ url: 'https://one.example' }));
    await following.shows('https://one.example');
    following.child.stdin.end(line({ url: 'https://two.example' }));
    const { code, stdout, stderr } = await following.end();
    assert.equal(code, 0);
    assert.match(stdout, /two\.example/);
    assert.match(stderr, /^2 calls, /);
  });
});

describe('a hundred megabytes', () => {
  const MEGABYTES = 100;
  const MAX_KILOBYTES = 260 * 1024;
  const MAX_OF_ONE_LINE = 150 * 1024;

  /** Gives the input piece by piece, and the most memory the program ever held. */
  async function feed(args: readonly string[], piece: (index: number) => string) {
    const child = spawn(process.execPath, [ENTRY, 'audit', ...args], {
      env: { PATH: process.env.PATH ?? '' },
      stdio: ['pipe', 'ignore', 'pipe'],
      timeout: PATIENCE_MS,
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const closed = once(child, 'close');
    let [bytes, peak] = [0, 0];
    for (let index = 0; bytes < MEGABYTES * 1_000_000; index++) {
      const text = piece(index);
      bytes += text.length;
      if (!child.stdin.write(text)) await once(child.stdin, 'drain');
      peak = Math.max(peak, memoryKib(child.pid!, 'VmHWM'));
    }
    child.stdin.end();
    const [code] = await closed;
    return { code, stderr, peak };
  }

  test('of calls whose every name is new stay in bounded memory', async () => {
    let count = 0;
    const piece = (index: number) => {
      let text = '';
      for (let each = 0; each < 500; each++, count++) {
        const name = `${index}-${each}-${'n'.repeat(150)}`;
        const hour = new Date(Date.UTC(2001, 0) + count * 3_600_000).toISOString();
        text += line({
          ts: hour,
          user: name,
          target: name,
          error: name,
          redacted: 1,
          duration_ms: count,
        });
      }
      return text;
    };
    const { code, stderr, peak } = await feed(['--html'], piece);
    assert.equal(code, 0);
    assert.match(stderr, new RegExp(`^${count.toLocaleString('en')} calls, 2001-01-01 00:00`));
    assert.ok(peak > 10_000 && peak < MAX_KILOBYTES, `${peak} kB`);
  });

  test('without a line end stay in bounded memory', async () => {
    const text = 'x'.repeat(1_000_000);
    const { code, stderr, peak } = await feed([], () => text);
    assert.equal(code, 0);
    assert.match(stderr, /^no call is in the log\n1 line not understood\n$/);
    assert.ok(peak > 10_000 && peak < MAX_OF_ONE_LINE, `${peak} kB`);
  });
});
