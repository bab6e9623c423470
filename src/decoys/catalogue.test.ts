import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CATALOGUE, CORPUS, entryOf } from './catalogue.ts';

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
