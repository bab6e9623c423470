/** Each line of a log is read once, whatever becomes of its file, and over restarts. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { LogTail } from './log-tail.ts';

function logFolder(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'log-tail-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** All lines until the end is reached twice in a row. */
async function linesOf(tail: LogTail): Promise<string[]> {
  let text = '';
  for (let ends = 0; ends < 2; ) {
    const bytes = await tail.read();
    ends = bytes.length === 0 ? ends + 1 : 0;
    text += bytes.toString();
  }
  return text.split('\n').filter((line) => line !== '');
}

const ROTATIONS: Readonly<Record<string, (log: string, at: number) => void>> = {
  rename: (log) => renameSync(log, `${log}.1`),
  'copy and truncate': (log) => {
    copyFileSync(log, `${log}.1`);
    truncateSync(log);
  },
  'rename and compress': (log) => {
    writeFileSync(`${log}.2.gz`, gzipSync(readFileSync(log)));
    unlinkSync(log);
  },
};

for (const [name, rotate] of Object.entries(ROTATIONS)) {
  for (const isRunning of [true, false]) {
    const when = isRunning ? 'while it is read' : 'while nobody reads';
    test(`${name} ${when}: every line is read once`, async (t) => {
      const log = join(logFolder(t), 'decoys.jsonl');
      const warnings: string[] = [];
      const tailFrom = (tail?: LogTail) =>
        new LogTail(log, tail?.position, (message) => warnings.push(message));
      writeFileSync(log, 'one\ntwo\n');
      let tail = tailFrom();
      assert.deepEqual(await linesOf(tail), ['one', 'two']);
      appendFileSync(log, 'three\n');
      if (!isRunning) await tail.close();
      rotate(log, 0);
      writeFileSync(log, 'four, which is longer than all that was there before\n');
      if (!isRunning) tail = tailFrom(JSON.parse(JSON.stringify({ position: tail.position })));
      assert.deepEqual(await linesOf(tail), [
        'three',
        'four, which is longer than all that was there before',
      ]);
      assert.deepEqual(warnings, []);
      await tail.close();
    });
  }
}

test('two rotations while nobody reads: the lines between are read, too', async (t) => {
  const folder = logFolder(t);
  const log = join(folder, 'decoys.jsonl');
  writeFileSync(log, 'one\n');
  const tail = new LogTail(log, undefined, () => {});
  assert.deepEqual(await linesOf(tail), ['one']);
  await tail.close();
  appendFileSync(log, 'two\n');
  writeFileSync(`${log}.2.gz`, gzipSync(readFileSync(log)));
  writeFileSync(`${log}.1`, 'three\n');
  writeFileSync(log, 'four\n');
  for (const [at, name] of [`${log}.2.gz`, `${log}.1`].entries()) utimesSync(name, at + 1, at + 1);
  writeFileSync(`${log}.3.gz`, gzipSync('older\n'));
  utimesSync(`${log}.3.gz`, 0, 0);
  const next = new LogTail(log, tail.position, assert.fail);
  assert.deepEqual(await linesOf(next), ['two', 'three', 'four']);
  await next.close();
});

test('a log whose former file is gone is read from its start, and that is said', async (t) => {
  const log = join(logFolder(t), 'decoys.jsonl');
  const warnings: string[] = [];
  writeFileSync(log, 'one\n');
  const tail = new LogTail(log, undefined, (message) => warnings.push(message));
  assert.deepEqual(await linesOf(tail), ['one']);
  writeFileSync(log, 'two\nthree\n');
  assert.deepEqual(await linesOf(tail), ['two', 'three']);
  assert.match(warnings.join(), /has begun anew/);
  await tail.close();
});

test('half a line is not read until it is whole, and one without an end fills no memory', async (t) => {
  const log = join(logFolder(t), 'decoys.jsonl');
  writeFileSync(log, 'one\ntw');
  const tail = new LogTail(log, undefined, () => {});
  assert.deepEqual(await linesOf(tail), ['one']);
  appendFileSync(log, 'o\n');
  assert.deepEqual(await linesOf(tail), ['two']);
  writeFileSync(log, `one\ntwo\n${'x'.repeat(5 * 1024 * 1024)}\nthree\n`);
  let longest = 0;
  const seen: string[] = [];
  for (let bytes = await tail.read(); bytes.length > 0; bytes = await tail.read()) {
    longest = Math.max(longest, bytes.length);
    seen.push(...bytes.toString().split('\n'));
  }
  assert.ok(seen.includes('three'));
  assert.ok(longest <= 2 * 1024 * 1024, `${longest}`);
  await tail.close();
});

test('over any order of writing, rotating and restarting every line is read once, in order', async (t) => {
  const action = fc.constantFrom('write', 'write', 'read', 'restart', ...Object.keys(ROTATIONS));
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 30 }), async (actions) => {
      const folder = logFolder(t);
      const log = join(folder, 'log.jsonl');
      writeFileSync(log, '');
      let tail = new LogTail(log, undefined, () => {});
      let [written, rotated] = [0, 0];
      const seen: string[] = [];
      for (const each of actions) {
        if (each === 'write') appendFileSync(log, `${written++}\n`);
        else if (each === 'read') seen.push(...(await linesOf(tail)));
        else if (each === 'restart') {
          await tail.close();
          tail = new LogTail(log, tail.position, () => {});
        } else if (statSync(log).size > 0) {
          // Lines of a log that was never read cannot be recognised: a first start reads the log alone.
          seen.push(...(await linesOf(tail)));
          appendFileSync(log, `${written++}\n`);
          ROTATIONS[each]!(log, 0);
          for (const name of readdirSync(folder).filter((other) => /\.[12](\.gz)?$/.test(other))) {
            renameSync(
              join(folder, name),
              `${log}.${100 + rotated++}${name.endsWith('.gz') ? '.gz' : ''}`,
            );
          }
          appendFileSync(log, '');
        }
      }
      seen.push(...(await linesOf(tail)));
      await tail.close();
      assert.deepEqual(
        seen,
        Array.from({ length: written }, (_, at) => String(at)),
      );
    }),
    { numRuns: 60 },
  );
});
