import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fingerprintOf, readCorpus, writeCorpus } from './corpus.ts';
import { plainFts5 } from './engines/plain-fts5.ts';

const notes = readCorpus();
const vault = mkdtempSync(join(tmpdir(), 'corpus-'));
after(() => rmSync(vault, { recursive: true }));

test('no note comes from a package for one platform, and none is a licence or a changelog', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  for (const { path } of notes) {
    const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/');
    assert.equal(packages[`node_modules/${name}`].os, undefined, path);
    assert.doesNotMatch(path, /\/(LICENSE|CHANGELOG|HISTORY)\.md$/);
  }
});

test('no text is in two notes', () => {
  assert.equal(new Set(notes.map(({ text }) => text)).size, notes.length);
});

test('the fingerprint is that of paths and texts', () => {
  const [first, ...others] = notes;
  assert.equal(fingerprintOf(readCorpus()), fingerprintOf(notes));
  assert.notEqual(fingerprintOf([{ ...first!, text: 'edited' }, ...others]), fingerprintOf(notes));
  assert.notEqual(
    fingerprintOf([{ ...first!, path: 'moved.md' }, ...others]),
    fingerprintOf(notes),
  );
});

const FOUND_FIRST = [
  ['stems of English', 'deleting directories', 'bun-types/docs/guides/runtime/delete-directory.md'],
  ['pieces of Chinese', '查看内核启动信息', 'linux-command/command/dmesg.md'],
  ['pieces of Japanese', '高性能なツールチェーン', '@biomejs/biome/README.ja.md'],
] as const;

test('plain FTS5 finds by stems and by pieces of Chinese and Japanese', async () => {
  writeCorpus(vault, notes);
  const engine = plainFts5();
  await engine.index(vault);
  for (const [what, query, path] of FOUND_FIRST) {
    assert.equal((await engine.search(query))[0], path, what);
  }
  assert.deepEqual(await engine.search('"?!'), []);
  await engine.close();
});
