import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prepareFile } from './prepared-file.ts';

test('a note that exhausts the parser is left out with its reason, which quotes nothing of it', () => {
  const bytes = Buffer.from('# A\n\nA private sentence.\n');
  const exhausting = new Proxy(bytes, {
    get: (target, name) => {
      if (new Error().stack?.includes('parseNote')) throw new RangeError('A private sentence.');
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const file = { path: 'a.md', size: bytes.length, mtimeMs: 0, bytes: exhausting };
  const { note, skipped } = prepareFile(file, 'sha256-0');
  assert.deepEqual([note, skipped], [undefined, 'cannot be parsed: RangeError']);
});
