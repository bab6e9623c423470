/** What the programs load at their start, and what they must not. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const ROOT = new URL('..', import.meta.url);

for (const program of ['gateway', 'notes', 'decoys']) {
  test(`${program} does not load the HTTP client that is in Node`, () => {
    const script = `await import('./src/${program}/serve.ts');
      console.log(JSON.stringify(process.moduleLoadList));`;
    const args = ['--input-type=module', '--eval', script];
    const loaded = JSON.parse(
      execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' }),
    );
    assert.ok(loaded.some((name: string) => name.endsWith(' http')));
    assert.deepEqual(
      loaded.filter((name: string) => name.includes('undici')),
      [],
    );
  });
}
