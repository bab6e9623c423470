/** `decoys alert` as a process: a real receiver on loopback, a program in the place of sendmail. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { hitLine, logOf, runDecoys } from '../support/decoys/run-decoys.ts';
import { entryOf } from '../support/programs/entry.ts';
import { PATIENCE_MS } from '../support/programs/patience.ts';

const ENTRY = entryOf('decoys');

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers with the next status, else with 200. */
class Receiver {
  readonly statuses: (number | readonly [status: number, headers: Record<string, string>])[] = [];
  readonly received: Received[] = [];
  readonly #server: Server;
  #onReceived = () => {};

  constructor() {
    this.#server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const next = this.statuses.shift() ?? 200;
      const [status, headers] = typeof next === 'number' ? [next, {}] : next;
      this.received.push({ headers: request.headers, body });
      response.writeHead(status, headers).end('{"ok": true}');
      this.#onReceived();
    });
  }

  async open(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/topic`;
  }

  async until(count: number): Promise<readonly Received[]> {
    while (this.received.length < count) {
      await new Promise<void>((resolve) => {
        this.#onReceived = resolve;
      });
    }
    return this.received;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

let directory: string;
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'decoys-alert-'));
});
after(() => rmSync(directory, { recursive: true, force: true }));

interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<{ readonly code: number | null; readonly stderr: string }>;
  stop(): Promise<void>;
}

function start(args: readonly string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [ENTRY, 'alert', ...args], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['pipe', 'inherit', 'pipe'],
    timeout: PATIENCE_MS,
  });
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const finished = once(child, 'close').then(([code]) => ({ code: code as number | null, stderr }));
  return {
    child,
    finished,
    stop: async () => {
      child.kill('SIGTERM');
      assert.equal((await finished).code, 0, stderr);
    },
  };
}

let made = 0;
async function setUp(t: TestContext) {
  const receiver = new Receiver();
  await receiver.open();
  t.after(() => receiver.close());
  const log = join(directory, `log-${++made}.jsonl`);
  const state = join(directory, `state-${made}`);
  writeFileSync(log, '');
  return { receiver, log, args: ['--to', receiver.url, '--state', state, log], state };
}

function use(hash: string, fields: object = {}): object {
  return {
    ...hitLine('198.51.100.9'),
    event: 'honeytoken_used',
    'honeytoken.hash': hash,
    'honeytoken.received_by': '203.0.113.7',
    'honeytoken.confidence': 'high',
    'honeytoken.field': 'accessToken',
    'user_agent.original': '@everyone <!channel>\r\nX-Evil: 1',
    ...fields,
  };
}

const hashesOf = (received: readonly Received[]) =>
  received.flatMap(({ body }) =>
    JSON.parse(body).alerts.map(({ facts }: { facts: { hash: string } }) => facts.hash),
  );

test('it tells of a theft as it is written, once, over restarts, rotation and a kill', async (t) => {
  const { receiver, log, args, state } = await setUp(t);
  let running = start(args);
  appendFileSync(log, `no JSON\n${logOf(use('a'), hitLine('203.0.113.7'), use('a'))}`);
  const [first] = await receiver.until(1);
  const { severity, alerts } = JSON.parse(first!.body);
  assert.equal(severity, 'high');
  assert.equal(alerts[0].facts['used by'], '198.51.100.9');
  assert.equal(first!.headers['x-evil'], undefined);
  await running.stop();
  assert.equal(statSync(state).mode & 0o777, 0o600);

  appendFileSync(log, logOf(use('a'), use('b')));
  renameSync(log, `${log}.1`);
  writeFileSync(log, logOf(use('c')));
  running = start(args);
  assert.deepEqual(hashesOf(await receiver.until(3)), ['a', 'b', 'c']);
  // What was sent and not yet noted would be sent again, with the same id.
  const isNoted = () => JSON.parse(readFileSync(state, 'utf8')).queue.waiting.length === 0;
  while (!isNoted()) await new Promise((resolve) => setTimeout(resolve, 10));
  running.child.kill('SIGKILL');
  await running.finished;

  appendFileSync(log, logOf(use('d')));
  running = start(args);
  const all = hashesOf(await receiver.until(4));
  await running.stop();
  assert.equal(new Set(all).size, 4);
  assert.equal(all.at(-1), 'd');
});

test('a receiver that fails is asked again, and what waits is not lost by a restart', async (t) => {
  const { receiver, log, args } = await setUp(t);
  receiver.statuses.push(503, [429, { 'retry-after': '600' }]);
  writeFileSync(log, logOf(use('a')));
  let running = start(args);
  await receiver.until(2);
  await running.stop();
  assert.match(
    (await running.finished).stderr,
    /answered 503; trying again in 1 s\n.*429; .* in 600 s/,
  );
  running = start(args);
  const received = await receiver.until(3);
  await running.stop();
  assert.equal(new Set(received.map(({ body }) => JSON.parse(body).id)).size, 1);
});

test('a message that is refused for good does not hold up the next', async (t) => {
  const { receiver, log, args } = await setUp(t);
  receiver.statuses.push(400, 413, 422);
  writeFileSync(log, logOf(use('a')));
  const running = start(args);
  await receiver.until(3);
  appendFileSync(log, logOf(use('b')));
  assert.deepEqual(hashesOf(await receiver.until(4)), ['a', 'a', 'a', 'b']);
  await running.stop();
  assert.match((await running.finished).stderr, /an alert was refused and is left out/);
});

test('a redirect is not followed', async (t) => {
  const { receiver, log, args } = await setUp(t);
  receiver.statuses.push([307, { location: receiver.url }]);
  writeFileSync(log, logOf(use('a')));
  const running = start(args);
  await receiver.until(1);
  await running.stop();
  assert.match((await running.finished).stderr, /answered 307/);
});

test('hits are told with --min low alone', async (t) => {
  const { receiver, log, args } = await setUp(t);
  writeFileSync(log, logOf(hitLine('203.0.113.7'), hitLine('203.0.113.8')));
  const running = start(['--min', 'low', ...args]);
  const [first, second] = await receiver.until(2);
  await running.stop();
  assert.match(`${first!.body}${second!.body}`, /203\.0\.113\.7.*203\.0\.113\.8/);
});

test('standard input is read to its end, and read again it tells nothing twice', async (t) => {
  const { receiver, args } = await setUp(t);
  const withoutFile = args.slice(0, -1);
  for (const [lines, told] of [
    [logOf(use('a'), use('b')), ['a', 'b']],
    [logOf(use('a'), use('b')), ['a', 'b']],
    [logOf(use('a'), use('b'), use('c')), ['a', 'b', 'c']],
  ] as const) {
    const running = start(withoutFile);
    running.child.stdin!.end(lines);
    assert.deepEqual(await running.finished, { code: 0, stderr: '' });
    assert.deepEqual(hashesOf(receiver.received), told);
  }
});

test('a receiver that hangs does not hold up whoever writes the log', async (t) => {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const running = start(['--to', `http://127.0.0.1:${port}/`, '--state', join(directory, 'hangs')]);
  running.child.stdin!.write(logOf(use('a')));
  const [socket] = await once(server, 'connection');
  const many = logOf(...Array.from({ length: 1_000 }, (_, at) => use(`${at}`)));
  // More than a pipe holds: it is written only while somebody reads.
  for (let round = 0; round < 20; round++) {
    await new Promise<void>((resolve) => running.child.stdin!.write(many, () => resolve()));
  }
  running.child.kill('SIGKILL');
  socket.destroy();
  await running.finished;
});

test('a password of the URL with a percent sign that escapes nothing is sent as it is', async (t) => {
  const { receiver, log, args } = await setUp(t);
  writeFileSync(log, logOf(use('a')));
  const to = receiver.url.replace('http://', 'http://me:100%25%sure@');
  const running = start(['--to', to, ...args.slice(2)]);
  const [told] = await receiver.until(1);
  await running.stop();
  const expected = `Basic ${Buffer.from('me:100%%sure').toString('base64')}`;
  assert.equal(told?.headers.authorization, expected);
});

test('ntfy gets a title in ASCII and a priority, and the password of the URL as Basic', async (t) => {
  const { receiver, log, args } = await setUp(t);
  writeFileSync(log, logOf(use('a')));
  const secret = join(directory, 'url');
  writeFileSync(secret, `${receiver.url.replace('http://', 'http://:s3cret@')}\n`);
  const running = start(['--to', `file:${secret}`, '--format', 'ntfy', ...args.slice(2)]);
  const [{ headers, body } = { headers: {}, body: '' }] = await receiver.until(1);
  await running.stop();
  assert.equal(headers.title, 'Gatehouse: Honeytoken used by somebody else');
  assert.equal(headers.priority, '5');
  assert.equal(headers.authorization, `Basic ${Buffer.from(':s3cret').toString('base64')}`);
  assert.match(body, /agent: @everyone <!channel>\\u000d\\u000aX-Evil: 1/);
});

test('mail goes through sendmail, whose failure is told and tried again', async (t) => {
  const { log, args } = await setUp(t);
  const bin = join(directory, 'bin');
  const mailed = join(directory, 'mail');
  mkdirSync(bin);
  const script = `#!/bin/sh
test -e ${mailed}.failed || { touch ${mailed}.failed; echo 'no relay' >&2; exit 75; }
printf '%s\\n' "$@" > ${mailed}.args
cat > ${mailed}.part && mv ${mailed}.part ${mailed}
`;
  writeFileSync(join(bin, 'sendmail'), script);
  chmodSync(join(bin, 'sendmail'), 0o755);
  const rest = args.slice(2);
  const running = start(['--to', 'mailto:ops@example.org', ...rest], {
    PATH: `${bin}:${process.env.PATH}`,
  });
  running.child.stderr!.once('data', () => {});
  writeFileSync(log, logOf(use('a')));
  await once(running.child.stderr!, 'data');
  const isMailed = () => existsSync(mailed);
  while (!isMailed()) await new Promise((resolve) => setTimeout(resolve, 20));
  await running.stop();
  assert.match((await running.finished).stderr, /sendmail ended with 75: no relay; trying again/);
  assert.equal(readFileSync(`${mailed}.args`, 'utf8'), '-i\n--\nops@example.org\n');
  const [head = '', body = ''] = readFileSync(mailed, 'utf8').split('\n\n');
  assert.match(
    head,
    /^To: <ops@example\.org>\nSubject: Gatehouse: Honeytoken used by somebody else\n/,
  );
  assert.match(Buffer.from(body, 'base64').toString(), /used by: 198\.51\.100\.9/);
});

test('syslog gets a datagram, or a counted frame over TCP', async (t) => {
  const { log, args } = await setUp(t);
  writeFileSync(log, logOf(use('a')));
  const udp = createSocket('udp4').bind(0, '127.0.0.1');
  await once(udp, 'listening');
  t.after(() => udp.close());
  const byUdp = start(['--to', `syslog://127.0.0.1:${udp.address().port}`, ...args.slice(2)]);
  const [datagram] = await once(udp, 'message');
  await byUdp.stop();
  assert.match(
    String(datagram),
    /^<81>1 2026-11-15T10:00:00\.000Z \S+ gatehouse-decoys - honeytoken_used - /,
  );

  appendFileSync(log, logOf(use('b')));
  const tcp = createTcpServer({ allowHalfOpen: false }).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  t.after(() => tcp.close());
  const { port } = tcp.address() as AddressInfo;
  const byTcp = start([
    '--to',
    `syslog+tcp://127.0.0.1:${port}`,
    '--format',
    'syslog',
    ...args.slice(2),
  ]);
  const [socket] = await once(tcp, 'connection');
  let frame = '';
  for await (const chunk of socket.setEncoding('utf8')) frame += chunk;
  await byTcp.stop();
  const [, length, line = ''] = /^(\d+) (.*)$/s.exec(frame) ?? [];
  assert.equal(Number(length), Buffer.byteLength(line));
});

for (const [what, args, message] of [
  ['no URL', ['--to', 'hunter2'], /^--to is a URL: https/],
  ['a scheme that nobody speaks', ['--to', 'ftp://hunter2'], /^--to is a URL: https/],
  ['a mail option for an address', ['--to', 'mailto:-oQ/tmp@example.org'], /no address such as/],
  ['two mail addresses', ['--to', 'mailto:a@example.org,b@example.org'], /no address such as/],
  [
    'a header in an address',
    ['--to', 'mailto:a@example.org?bcc=b@example.org'],
    /no address such as/,
  ],
  ['a file that is not there', ['--to', 'file:/nonexistent'], /^--to .*cannot be read/],
  [
    'a format of chats for syslog',
    ['--to', 'syslog://h', '--format', 'slack'],
    /--format is syslog/,
  ],
  ['syslog for a webhook', ['--to', 'https://hunter2/', '--format', 'syslog'], /needs --to syslog/],
] as const) {
  test(`${what} is refused, and not repeated`, async () => {
    const { code, stderr } = await runDecoys(['alert', ...args]);
    assert.equal(code, 2);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /hunter2/);
  });
}

test('a state that cannot be read ends it, since to begin anew would repeat everything', async () => {
  const state = join(directory, 'broken');
  writeFileSync(state, '{"version": 1, "qu');
  const { code, stderr } = await runDecoys([
    'alert',
    '--to',
    'https://h.example/',
    '--state',
    state,
  ]);
  assert.equal(code, 1);
  assert.match(stderr, /repair or remove it; without it, old alerts are sent again/);
});
