/** `notes reindex`: beside a server and without one, in a pipe and on a terminal. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { DataLock } from '../../src/notes/vaults/data-lock.ts';
import {
  cleaner,
  dataDirectory,
  NOTES_ENTRY,
  type NotesProcess,
  place,
  runNotes,
  startNotes,
} from '../support/notes/notes.ts';
import { PATIENCE_MS } from '../support/programs/patience.ts';
import type { LogLine } from '../support/programs/program.ts';

const FILES = { 'default/a.md': '# Quince\n', 'default/b/c.md': 'b\n', 'work/d.md': 'd\n' };
const SOCKET = '.notes.sock';

/** Makes the index of the default vault wrong behind everybody's back. */
function spoil(data: string): void {
  const index = new DatabaseSync(join(data, 'default/.notes/index.db'));
  index.exec("UPDATE files SET title = 'spoilt'");
  index.close();
}

function isSpoilt(data: string): boolean {
  const index = new DatabaseSync(join(data, 'default/.notes/index.db'));
  const { n } = index.prepare("SELECT count(*) AS n FROM files WHERE title = 'spoilt'").get() as {
    n: number;
  };
  index.close();
  return n > 0;
}

const DONE = ['default: 2 of 2 notes indexed', 'work: 1 of 1 notes indexed'];

function doneLines(stdout: string): string[] {
  return stdout.split('\n').filter((line) => line.endsWith('indexed'));
}

test('without a server it rebuilds every vault itself', async (context) => {
  const data = dataDirectory(context);
  place(data, FILES);
  const env = { NOTES_DATA: data };
  const first = await runNotes(['reindex'], { env });
  assert.deepEqual([first.code, first.stderr, doneLines(first.stdout)], [0, '', DONE]);
  spoil(data);
  assert.ok(isSpoilt(data));
  assert.equal((await runNotes(['reindex'], { env })).code, 0);
  assert.ok(!isSpoilt(data));
});

describe('beside a server', () => {
  const suite = cleaner();
  let notes: NotesProcess;
  before(async () => {
    notes = await startNotes(suite, { files: FILES });
    await notes.indexed();
  });
  after(() => suite.clean());

  test('a running server does it, tells the progress, and serves meanwhile and after', async () => {
    spoil(notes.data);
    const ended = await runNotes(['reindex'], { env: { NOTES_DATA: notes.data } });
    assert.deepEqual([ended.code, ended.stderr, doneLines(ended.stdout)], [0, '', DONE]);
    assert.ok(!isSpoilt(notes.data));
    await notes.line(({ event }) => event === 'reindex_started');
    const { value } = await notes.call('note_search', { query: 'quince' });
    assert.equal(value.hits[0].path, 'a.md');
  });

  test('several at once each end well', async () => {
    const env = { NOTES_DATA: notes.data };
    const all = await Promise.all([1, 2, 3].map(() => runNotes(['reindex'], { env })));
    for (const ended of all) assert.deepEqual([ended.code, doneLines(ended.stdout)], [0, DONE]);
  });

  test('what is no request is cut off, and the server goes on', async () => {
    for (const text of ['GET / HTTP/1.1\r\n', 'x'.repeat(5_000), '{"command":"reindex" }\n']) {
      const socket = connect(join(notes.data, SOCKET));
      socket.on('error', () => {});
      let answer = '';
      socket.setEncoding('utf8').on('data', (more: string) => {
        answer += more;
      });
      socket.write(text);
      await once(socket, 'close');
      assert.equal(answer, '');
    }
    const ended = await runNotes(['reindex'], { env: { NOTES_DATA: notes.data } });
    assert.equal(ended.code, 0);
  });

  test('a client that goes away in the middle harms nothing', async () => {
    const isStart = ({ event }: LogLine) => event === 'reindex_started';
    const earlier = notes.lines().filter(isStart).length;
    const socket = connect(join(notes.data, SOCKET));
    socket.write('{"command":"reindex"}\n');
    await notes.linesThat(isStart, earlier + 1);
    socket.destroy();
    const ended = await runNotes(['reindex'], { env: { NOTES_DATA: notes.data } });
    assert.deepEqual([ended.code, doneLines(ended.stdout)], [0, DONE]);
  });

  test('only the user of the server may connect, and the socket goes with the server', async () => {
    const path = join(notes.data, SOCKET);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    await notes.stop();
    assert.ok(!existsSync(path));
  });
});

test('on a terminal it draws a bar and ends with one line a vault', async (context) => {
  const data = dataDirectory(context);
  place(data, FILES);
  const command = `'${process.execPath}' '${NOTES_ENTRY}' reindex`;
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NOTES_DATA: data, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
  const child = spawn('script', ['-qfec', command, '/dev/null'], { env, timeout: PATIENCE_MS });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  assert.deepEqual(await once(child, 'close'), [0, null]);
  assert.match(screen, /\r\x1b\[2Kdefault \[#*\.*\] \d+ of \d+ notes/);
  for (const line of DONE) assert.ok(screen.includes(`\r\x1b[2K${line}\r\n`), screen);
});

test('a socket that a killed server left is no hindrance, neither to a command nor to the next server', async (context) => {
  const first = await startNotes(context, { files: FILES });
  first.signal('SIGKILL');
  await first.exited;
  assert.ok(existsSync(join(first.data, SOCKET)));
  const alone = await runNotes(['reindex'], { env: { NOTES_DATA: first.data } });
  assert.deepEqual([alone.code, doneLines(alone.stdout)], [0, DONE]);
  const second = await startNotes(context, { data: first.data });
  const served = await runNotes(['reindex'], { env: { NOTES_DATA: second.data } });
  assert.deepEqual([served.code, doneLines(served.stdout)], [0, DONE]);
});

test('a file of that name which is no socket stays, and the server runs without', async (context) => {
  const data = dataDirectory(context);
  writeFileSync(join(data, SOCKET), 'mine');
  const notes = await startNotes(context, { data });
  await notes.line(({ event }) => event === 'reindex_unavailable');
  await notes.stop();
  assert.equal(statSync(join(data, SOCKET)).size, 4);
});

test('a data directory with a long name has its socket, too', async (context) => {
  const data = join(dataDirectory(context), 'd'.repeat(120));
  mkdirSync(data);
  const notes = await startNotes(context, { data, files: FILES });
  const ended = await runNotes(['reindex'], { env: { NOTES_DATA: data } });
  assert.deepEqual([ended.code, ended.stderr, doneLines(ended.stdout)], [0, '', DONE]);
  await notes.stop();
  assert.ok(!existsSync(join(data, SOCKET)));
});

test('a server that stops in the middle says so', async (context) => {
  const files = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, n) => [`default/${n}.md`, `# ${n}\n\n${'word '.repeat(50)}`]),
  );
  const notes = await startNotes(context, { files });
  const socket = connect(join(notes.data, SOCKET));
  let answer = '';
  socket.setEncoding('utf8').on('data', (more: string) => {
    answer += more;
  });
  socket.write('{"command":"reindex"}\n');
  await notes.line(({ event }) => event === 'reindex_started');
  notes.signal('SIGTERM');
  await once(socket, 'close');
  assert.match(answer, /"ended":"failed","message":"the server was stopped/);
  assert.equal(await notes.exited, 0);
  const errors = notes.lines().filter(({ level }) => level === 'error');
  assert.deepEqual(errors, []);
  const again = await runNotes(['reindex'], { env: { NOTES_DATA: notes.data } });
  assert.match(again.stdout, /default: 3000 of 3000 notes indexed\n$/);
});

test('where another process holds the directory and takes no work, it says so and ends with 1', async (context) => {
  const data = dataDirectory(context);
  const lock = DataLock.take(data);
  context.after(() => lock.release());
  const ended = await runNotes(['reindex'], { env: { NOTES_DATA: data } });
  assert.deepEqual(ended, {
    code: 1,
    stdout: '',
    stderr: `another process uses ${data}, but takes no work; it may be another reindex: try again later\n`,
  });
});

test('without a data directory, and without a vault in it, it says so', async (context) => {
  const data = dataDirectory(context);
  const none = await runNotes(['reindex'], { env: { NOTES_DATA: data } });
  assert.deepEqual(none, {
    code: 0,
    stdout: `there is no vault in ${data}; nothing to index\n`,
    stderr: '',
  });
  rmSync(data, { recursive: true });
  const gone = await runNotes(['reindex'], { env: { NOTES_DATA: data } });
  assert.equal(gone.code, 1);
  assert.match(gone.stderr, /does not exist; make it with: install -d -m 700 -o 0 -g 0 /);
});
