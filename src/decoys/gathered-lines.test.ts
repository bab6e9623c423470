import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const MODULE = new URL('gathered-lines.ts', import.meta.url).href;

function outputOf(program: string): { status: number | null; stdout: string } {
  const text = `const { gatheredLines } = await import('${MODULE}'); const write = gatheredLines(1); ${program}`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', text], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
}

const LINES = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`).join('');
const WRITE = "for (let index = 0; index < 50_000; index++) write('line ' + index + '\\n');";

for (const [how, end] of [
  ['in its own time', ''],
  ['by exit', 'process.exit(0);'],
  ['after an exception', "throw new Error('broken');"],
] as const) {
  test(`every line is written, whole and in order, when the process ends ${how}`, () => {
    assert.equal(outputOf(`${WRITE}${end}`).stdout, LINES);
  });
}

test('a line that waits keeps the process until it is written, and no longer', () => {
  const { status, stdout } = outputOf("write('one\\n');");
  assert.deepEqual([status, stdout], [0, 'one\n']);
});
