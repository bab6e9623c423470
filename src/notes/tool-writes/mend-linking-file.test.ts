import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NotesBench, notesBench } from '../../../test/support/notes/notes-tools.ts';

const CANVAS = `{
	"nodes":[
		{"id":"1","type":"file","file":"a/Note.md","subpath":"#Part","x":0,"y":0},
		{"id":"2","type":"text","text":"See [[Note]] and [it](a/Note.md)\\n\\"file\\":\\"a/Note.md\\" é","x":1},
		{"id":"3","type":"file","file":"img/p \\"1\\".png","x":2},
		{"id":"4","type":"group","background":"img/bg.png","label":"file"},
		{"id":"5","type":"file","file":"gone.md"},
		{"id":"6","type":"link","url":"https://a.example/Note.md"}
	],
	"edges":[]
}`;
const BASE = `filters:
  and:
    - file.hasLink("Note")
    - 'file.folder == "a"'
    - file.inFolder("a/deep")
    - "link(\\"a/Note\\") && note.topic == [[Note|x]]"
    - file.path != "a/Note.md"
    - status == "a"
views:
  - type: table # Note
`;
const FILES = {
  'board.canvas': CANVAS,
  'views/all.base': BASE,
  'a/Note.md': '# Note\n\n## Part\n\ntext\n',
  'a/deep/x.md': 'x',
  'img/p "1".png': 'p',
  'img/bg.png': 'b',
  'img/unused.png': 'u',
};

async function changed(bench: NotesBench, path: string, before: string): Promise<string[]> {
  const old = before.split('\n');
  const now = (await bench.text(path)).split('\n');
  assert.equal(now.length, old.length);
  return now.filter((line, at) => line !== old[at]).map((line) => line.trim());
}

test('links in canvases and bases are counted, and what they use is not unused', async (context) => {
  const bench = await notesBench(context, { files: FILES });
  const { in: links } = await bench.call('note_links', { path: 'a/Note' });
  assert.deepEqual(
    links.map(({ from, line, anchor }: { from: string; line: number; anchor?: string }) => [
      from,
      line,
      anchor,
    ]),
    [
      ['board.canvas', 3, 'Part'],
      ['board.canvas', 4, undefined],
      ['board.canvas', 4, undefined],
      ['views/all.base', 6, undefined],
      ['views/all.base', 3, undefined],
      ['views/all.base', 6, undefined],
      ['views/all.base', 7, undefined],
    ],
  );
  const { counts } = await bench.call('vault_stats');
  assert.deepEqual([counts.notes, counts.broken_links, counts.orphans], [2, 1, 1]);
  const review = await bench.call('vault_review', { only: ['unused_attachment', 'broken_link'] });
  assert.deepEqual(
    review.items.map(({ kind, path }: { kind: string; path: string }) => [kind, path]),
    [
      ['broken_link', 'board.canvas'],
      ['unused_attachment', 'img/unused.png'],
    ],
  );
  const deleted = await bench.call('note_delete', { path: 'a/Note', dry_run: true });
  assert.ok(JSON.stringify(deleted.linked_from).includes('board.canvas'));
});

test('moving a note updates canvases and bases and nothing else in them, and is undone', async (context) => {
  const bench = await notesBench(context, { files: FILES });
  const moved = await bench.call('note_move', { path: 'a/Note', to: 'b/Idea.md' });
  assert.deepEqual(await changed(bench, 'board.canvas', CANVAS), [
    '{"id":"1","type":"file","file":"b/Idea.md","subpath":"#Part","x":0,"y":0},',
    '{"id":"2","type":"text","text":"See [[Idea]] and [it](b/Idea.md)\\n\\"file\\":\\"a/Note.md\\" é","x":1},',
  ]);
  assert.deepEqual(await changed(bench, 'views/all.base', BASE), [
    '- file.hasLink("Idea")',
    '- "link(\\"b/Idea\\") && note.topic == [[Idea|x]]"',
    '- file.path != "b/Idea.md"',
  ]);
  assert.deepEqual([moved.link_edits.notes, moved.link_edits.links], [2, 7]);
  assert.deepEqual(moved.warnings, []);
  assert.equal((await bench.call('note_links', { path: 'b/Idea' })).in.length, 7);
  await bench.call('change_undo', { change_id: moved.change_id });
  assert.equal(await bench.text('board.canvas'), CANVAS);
  assert.equal(await bench.text('views/all.base'), BASE);
});

test('moving a folder updates bases that name it, and pictures in canvases', async (context) => {
  const bench = await notesBench(context, { files: FILES });
  await bench.call('note_move', { path: 'a/', to: 'z' });
  assert.deepEqual(await changed(bench, 'views/all.base', BASE), [
    `- 'file.folder == "z"'`,
    '- file.inFolder("z/deep")',
    '- "link(\\"z/Note\\") && note.topic == [[Note|x]]"',
    '- file.path != "z/Note.md"',
  ]);
  await bench.call('note_move', { path: 'img/', to: 'Pictures' });
  const text = await bench.text('board.canvas');
  assert.match(text, /"file":"Pictures\/p \\"1\\"\.png"/);
  assert.match(text, /"background":"Pictures\/bg\.png"/);
});

test('renaming a heading updates the card that shows it', async (context) => {
  const bench = await notesBench(context, { files: FILES });
  const args = { path: 'a/Note', mode: 'rename_heading', heading: 'Part', content: 'Piece' };
  await bench.call('note_section_edit', args);
  const [line] = await changed(bench, 'board.canvas', CANVAS);
  assert.match(line!, /"file":"a\/Note\.md","subpath":"#Piece"/);
});

test('a name that a base cannot hold is reported, and a broken canvas is left alone', async (context) => {
  const files = { ...FILES, 'bad.canvas': '{"nodes": [{"file":"a/Note.md"' };
  const bench = await notesBench(context, { files });
  const { warnings } = await bench.call('note_move', { path: 'a/Note', to: `a/It's "it".md` });
  assert.match(
    warnings.join('\n'),
    /the link "Note" in line 3 of "views\/all\.base" was not updated/,
  );
  assert.equal(await bench.text('bad.canvas'), files['bad.canvas']);
  assert.match(await bench.text('board.canvas'), /"file":"a\/It's \\"it\\"\.md"/);
});

test('the index follows a canvas that is edited, and one that goes', async (context) => {
  const bench = await notesBench(context, { files: FILES });
  const linked = async () => (await bench.call('note_links', { path: 'a/Note' })).in.length;
  await bench.put('board.canvas', '{"nodes":[{"file":"a/Note.md"}]}');
  assert.equal(await linked(), 5);
  await bench.call('note_delete', { path: 'board.canvas' });
  assert.equal(await linked(), 4);
});
