import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

const MODULE = new URL('./log-file.ts', import.meta.url).href;
let directory: string;
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'log-file-'));
});
after(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a script that has `write`, whose lines go to standard output and to the file. */
function run(path: string, script: string) {
  const source = `import { alsoToFile } from '${MODULE}';
    const write = alsoToFile(${JSON.stringify(path)}, (line) => process.stdout.write(line), 1000);
    ${script}`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' });
}

test('every line is in both, also those of a program that ends at once', () => {
  const path = join(directory, 'both');
  const { stdout } = run(path, `write('one\\n'); write('two\\n'); process.exit(0);`);
  assert.equal(stdout, 'one\ntwo\n');
  assert.equal(readFileSync(path, 'utf8'), 'one\ntwo\n');
  assert.equal(statSync(path).mode & 0o777, 0o640);
});

test('a full file is renamed, so that two files are the most there is', () => {
  const path = join(directory, 'full');
  const lines = `for (let at = 0; at < 100; at++) { write(at + 'x'.repeat(99) + '\\n'); await new Promise(setImmediate); }`;
  run(path, lines);
  const files = readdirSync(directory).filter((name) => name.startsWith('full'));
  assert.deepEqual(files.toSorted(), ['full', 'full.1']);
  for (const name of files) assert.ok(statSync(join(directory, name)).size <= 1_000);
  assert.match(readFileSync(path, 'utf8'), /^99x+\n$/m);
});

test('a file that cannot be written stops nothing, and that is said once', () => {
  const path = join(directory, 'missing', 'file');
  const { stdout, stderr, status } = run(
    path,
    `write('one\\n'); await new Promise(setImmediate); write('two\\n');`,
  );
  assert.deepEqual([stdout, status], ['one\ntwo\n', 0]);
  assert.match(stderr, /^the log file cannot be written: ENOENT.*\n$/);
});

for (const [what, make] of [
  ['a link', (path: string) => symlinkSync(join(directory, 'elsewhere'), path)],
  ['a pipe that nobody reads', (path: string) => execFileSync('mkfifo', [path])],
] as const) {
  test(`${what} in the place of the file is not written to, and stops nothing`, () => {
    const path = join(directory, what.replaceAll(' ', '-'));
    writeFileSync(join(directory, 'elsewhere'), 'kept');
    make(path);
    const { stdout, stderr, status } = run(path, `write('one\\n');`);
    assert.deepEqual([stdout, status], ['one\n', 0]);
    assert.match(stderr, /^the log file cannot be written: /);
    assert.equal(readFileSync(join(directory, 'elsewhere'), 'utf8'), 'kept');
  });
}
