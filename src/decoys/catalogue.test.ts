import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CATALOGUE, CORPUS, entryOf } from './catalogue.ts';
import { builtIns } from './definitions/built-in.ts';

const reference = new URL('../../docs/decoys.md', import.meta.url);

test('docs/decoys.md has every tag with its category, intention and technique', () => {
  const text = readFileSync(reference, 'utf8');
  const rows = text.replaceAll(/ +/g, ' ').split('\n');
  for (const { tag, category, intention, technique, references } of CATALOGUE) {
    const row = rows.find(
      (line) => line.startsWith(`| \`${tag}`) && line.includes(`| ${category} |`),
    );
    for (const part of [intention, technique.id, technique.url, ...references]) {
      assert.ok(row?.includes(part), `${tag}: ${part}`);
    }
  }
});

test('every tag of every decoy is in the catalogue', () => {
  for (const { tag } of CORPUS) assert.ok(entryOf(tag), tag);
  assert.equal(entryOf('rest-api-idor-users')?.tag, 'rest-api-idor');
  assert.equal(entryOf('nothing'), undefined);
});

test('no path of a decoy file stands twice: the second would never answer', () => {
  const seen = new Set<string>();
  for (const { tag, decoys } of builtIns()) {
    for (const { paths, methods } of decoys) {
      for (const { text } of paths) {
        const key = `${String(methods)} ${text.toLowerCase()}`;
        assert.ok(!seen.has(key), `${key} of ${tag}`);
        seen.add(key);
      }
    }
  }
});
