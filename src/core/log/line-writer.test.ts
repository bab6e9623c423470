import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

const MODULE = new URL('./line-writer.ts', import.meta.url).href;

/** Runs a script with the writer on its standard output, read only after it had time to fill. */
async function outputOf(script: string, slowly = false): Promise<string> {
  const source = `import { lineWriter } from '${MODULE}'; const write = lineWriter(1); ${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (slowly) await once(child.stderr, 'data');
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(child, 'close');
  return text;
}

const COUNT = `for (let i = 0; i < 5000; i++) write(i + '\\n');`;
const EXPECTED = Array.from({ length: 5_000 }, (_, i) => `${i}\n`).join('');

for (const [how, script] of [
  ['a normal end', COUNT],
  ['process.exit', `${COUNT} process.exit(0);`],
  ['an exception that ends the process', `${COUNT} throw new Error('x');`],
] as const) {
  test(`no line is lost by ${how}`, async () => {
    assert.equal(await outputOf(script), EXPECTED);
  });
}

test('a reader that is slow loses nothing', async () => {
  const long = `const line = 'x'.repeat(1000) + '\\n'; for (let i = 0; i < 2000; i++) write(line);`;
  const text = await outputOf(`console.error('filled'); ${long}`, true);
  assert.equal(text.length, 2_000 * 1_001);
});

/** Writes this much to a pipe that nobody reads, and says on standard error when it could go on. */
async function onUnreadPipe(script: string): Promise<{ wentOn: boolean; lines: string[] }> {
  const source = `import { lineWriter } from '${MODULE}'; const write = lineWriter(1); ${script}`;
  const node = `${process.execPath} --input-type=module -e "$SOURCE"`;
  const child = spawn('sh', ['-c', `${node} | { read _ <&3; cat; }`], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, SOURCE: source },
  });
  let text = '';
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const [said] = await once(child.stderr!, 'data');
  // Only now is there a reader.
  (child.stdio[3] as NodeJS.WritableStream).write('go\n');
  await once(child, 'close');
  return { wentOn: String(said) === 'went on', lines: text.trimEnd().split('\n') };
}

test('a pipe that nobody reads stops nothing, and alarms are kept where others are lost', async () => {
  const { wentOn, lines } = await onUnreadPipe(`
    const line = 'x'.repeat(1023) + '\\n';
    let n = 0;
    const more = () => {
      for (let i = 0; i < 1000; i++) write(line, 'decoy_hit');
      write('stolen ' + n + '\\n', 'honeytoken_used');
      if (++n < 20) setImmediate(more);
      else { process.stderr.write('went on'); setTimeout(() => {}, 1000); }
    };
    more();`);
  assert.ok(wentOn);
  const alarms = lines.filter((line) => line.startsWith('stolen'));
  assert.deepEqual(
    alarms,
    Array.from({ length: 20 }, (_, n) => `stolen ${n}`),
  );
  const { event, lines: lost } = JSON.parse(lines.at(-1)!);
  assert.equal(event, 'log_lost');
  assert.equal(lines.length - 21 + lost, 20_000);
});

test('a reader that is gone ends nothing', async () => {
  const source = `import { lineWriter } from '${MODULE}'; const write = lineWriter(1);
    setTimeout(() => { write('late\\n'); setTimeout(() => process.exit(7), 20); }, 100);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.destroy();
  const [code] = await once(child, 'close');
  assert.equal(code, 7);
});

/** Writes into a file that may not become longer than so many bytes, until the limit is lifted. */
async function onFullDisk(t: TestContext, script: string, maxBytes: number): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'lines-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const log = join(directory, 'log');
  const source = `import { lineWriter } from '${MODULE}'; const write = lineWriter(1); ${script}`;
  const node = [process.execPath, '--input-type=module', '-e', source];
  const fd = openSync(log, 'a');
  const child = spawn('prlimit', [`--fsize=${maxBytes}:unlimited`, ...node], {
    stdio: ['pipe', fd, 'pipe'],
  });
  closeSync(fd);
  const [complaint] = await once(child.stderr!, 'data');
  assert.match(String(complaint), /^the log cannot be written \(EFBIG\); its lines wait\n$/);
  assert.equal(readFileSync(log).length, maxBytes);
  execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited']);
  child.stdin!.end();
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  return readFileSync(log, 'utf8').trimEnd().split('\n');
}

const UNTIL_ROOM = `process.stdin.resume().on('end', () => setTimeout(() => {}, 1500));`;

test('lines that a full disk has no room for are written when it has', async (t) => {
  const lines = await onFullDisk(t, `${COUNT} ${UNTIL_ROOM}`, 4096);
  assert.equal(lines.join('\n'), EXPECTED.trimEnd());
});

test('they are written at the exit, too', async (t) => {
  const lines = await onFullDisk(
    t,
    `${COUNT} process.stdin.resume().on('end', () => process.exit(0));`,
    4096,
  );
  assert.equal(lines.join('\n'), EXPECTED.trimEnd());
});

test('so many lines wait, and the log says how many more there were', async (t) => {
  const flood = `const line = 'x'.repeat(1023) + '\\n'; let n = 0;
    const more = () => { for (let i = 0; i < 1000; i++) write(line); if (++n < 10) setImmediate(more); };
    more();`;
  const lines = await onFullDisk(t, `${flood} ${UNTIL_ROOM}`, 4096);
  const last = JSON.parse(lines.pop()!);
  assert.deepEqual({ ...last, ts: '' }, { ts: '', level: 'error', event: 'log_lost', lines: 2000 });
  assert.equal(lines.length, 8000);
});

test('a disk that stays full ends nothing', async () => {
  const source = `import { lineWriter } from '${MODULE}'; const write = lineWriter(1);
    write('a\\n'); setTimeout(() => { write('b\\n'); process.exitCode = 7; }, 50);`;
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['ignore', full, 'ignore'],
  });
  closeSync(full);
  const [code] = await once(child, 'close');
  assert.equal(code, 7);
});
