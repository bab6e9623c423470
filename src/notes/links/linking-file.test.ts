/** Files from elsewhere are read in linear time, whatever they contain, and without exhausting the stack. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLinkParts } from './linking-file.ts';

const targets = (path: string, text: string) =>
  readLinkParts(path, text).map(({ kind, value }) => `${kind} ${value.slice(0, 20)}`);

test('a canvas with a card of many megabytes is read', () => {
  const cards = { nodes: [{ text: 'a'.repeat(16_000_000) }, { file: 'b.md' }] };
  assert.deepEqual(targets('a.canvas', JSON.stringify(cards)), [
    `markdown ${'a'.repeat(20)}`,
    'path b.md',
  ]);
  const escapes = { nodes: [{ text: '\n'.repeat(16_000_000) }] };
  assert.doesNotThrow(() => targets('a.canvas', JSON.stringify(escapes)));
});

test('a link in a base that is never closed takes linear time', () => {
  const open = `[[a${' '.repeat(1_000_000)}`;
  assert.deepEqual(targets('a.base', `${open}[[b]]`), ['wiki b']);
});
