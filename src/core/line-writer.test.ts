import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

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
