/** No path leads a tool that touches many notes out of the visible vault, also through links. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory, tree } from '../support/notes/notes-storage.ts';
import { type NotesBench, notesBench } from '../support/notes/notes-tools.ts';

const FILES = { 'a.md': '# A\n\n## S\n\nsecret\n', 'f/b.md': '[[a]]\n', 'i.png': 'i' };

const PLACES: [tool: string, args: (path: string) => object][] = [
  ['note_move', (path) => ({ path, to: 'moved' })],
  ['note_move', (to) => ({ path: 'a.md', to })],
  ['note_move', (folder) => ({ path: 'a.md', to: `${folder}/` })],
  ['note_move', (folder) => ({ path: `${folder}/`, to: 'moved/' })],
  ['note_move', (to) => ({ path: 'f/', to: `${to}/` })],
  ['note_move', (to) => ({ path: 'i.png', to: `${to}/i.png` })],
  ['note_merge', (path) => ({ path, into: 'a' })],
  ['note_merge', (into) => ({ path: 'a', into })],
  ['note_split', (path) => ({ path, level: 1 })],
  ['note_split', (to) => ({ path: 'a', heading: 'S', to })],
  ['note_split', (to) => ({ path: 'a', level: 2, to: `${to}/` })],
  ['note_move', () => ({ path: 'a.md', to: 'dir/' })],
  ['note_move', () => ({ path: 'dir/', to: 'moved/' })],
  ['note_move', () => ({ path: 'dir', to: 'moved' })],
  ['note_split', () => ({ path: 'a', level: 2, to: 'dir/' })],
  ['vault_replace', () => ({ pattern: 'secret', replace: 'x', prefix: 'dir/' })],
  ['vault_replace', (prefix) => ({ pattern: 'secret', replace: 'x', prefix })],
];

const PATHS = [
  ...['.', '..', '../out.md', 'f/../../out.md', './a.md', 'f//b.md', '/etc/passwd', '/etc/x.md'],
  ...['f\\b.md', '..\\out.md', 'a\0.md', 'a\n.md', '.git/config', '.notes/index.db', '.x.md'],
  ...['f/.x/a.md', '\u200b.git/x.md', 'a\ud800.md', 'dir/secret.md', 'dir/new.md', 'file.md'],
  ...['dangling.md', 'notes/trash', 'loop/x.md', 'a.md/x.md', 'x'.repeat(256), 'f/'.repeat(520)],
];

async function everything(bench: NotesBench, outside: string): Promise<string[]> {
  const inside = (await tree(bench.open.vault.root)).map((path) => `in ${path}`);
  const files: string[] = [];
  for (const path of Object.keys(FILES)) files.push(await bench.text(path));
  const out = await readFile(join(outside, 'secret.md'), 'utf8');
  return [...inside, ...files, ...(await readdir(outside)), out];
}

test('a path that leads astray is refused at every place, and not a byte moves', async (context) => {
  const bench = await notesBench(context, { files: FILES });
  const { root } = bench.open.vault;
  const outside = await temporaryDirectory(context);
  await writeFile(join(outside, 'secret.md'), '# Out\n\nsecret\n');
  await mkdir(join(root, '.git'));
  await symlink(outside, join(root, 'dir'));
  await symlink(join(outside, 'secret.md'), join(root, 'file.md'));
  await symlink(join(outside, 'nowhere.md'), join(root, 'dangling.md'));
  await symlink(join(root, '.notes'), join(root, 'notes'));
  await symlink('loop', join(root, 'loop'));
  await bench.open.index.build();
  const before = await everything(bench, outside);
  for (const [tool, args] of PLACES) {
    for (const path of PATHS) {
      const about = `${tool} ${JSON.stringify(args(path)).slice(0, 120)}`;
      const answer = await bench.answer(tool, args(path));
      const text = JSON.stringify(answer.content);
      if (tool === 'vault_replace' && !answer.isError) {
        // A folder that is not there holds nothing to replace.
        assert.equal((answer.structuredContent as { notes: number }).notes, 0, about);
        continue;
      }
      assert.match(
        text,
        /^\[\{"type":"text","text":"(?:path_invalid|path_hidden|note_not_found|note_exists|invalid_arguments): /,
        about,
      );
      assert.ok(!text.includes(outside), `${about} tells of the outside`);
    }
  }
  assert.deepEqual(await everything(bench, outside), before);
});
