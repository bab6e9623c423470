import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { dumpVaultIndex } from '../../../test/support/notes/index-dump.ts';
import { at, tree } from '../../../test/support/notes/notes-storage.ts';
import { type NotesBench, notesBench } from '../../../test/support/notes/notes-tools.ts';

type Files = Readonly<Record<string, string>>;

/** Every file of the vault with its bytes. */
async function contents(bench: NotesBench): Promise<Map<string, string>> {
  const root = bench.open.vault.root;
  const files = new Map<string, string>();
  for (const path of await tree(root))
    files.set(path, (await bench.bytes(path)).toString('latin1'));
  return files;
}

const ROWS: [about: string, files: Files, args: object, after: Files][] = [
  [
    'what names foo is mended, what only looks so is not',
    {
      'foo.md': '# Foo\n\n## h\n',
      'foobar.md': 'x',
      'a/n.md':
        '[[foo#h|a]] ![[foo]] [x](../foo.md) [y](../foo.md#h "t") [[foobar]] `[[foo]]` (foo)\n\n[r]: <../foo.md>\n\n```\n[[foo]]\n```\n',
      'front.md': '---\nup: "[[foo]]"\n---\n',
    },
    { path: 'foo.md', to: 'b/bar baz.md' },
    {
      'b/bar baz.md': '# Foo\n\n## h\n',
      'foobar.md': 'x',
      'a/n.md':
        '[[bar baz#h|a]] ![[bar baz]] [x](../b/bar%20baz.md) [y](../b/bar%20baz.md#h "t") [[foobar]] `[[foo]]` (foo)\n\n[r]: <../b/bar baz.md>\n\n```\n[[foo]]\n```\n',
      'front.md': '---\nup: "[[bar baz]]"\n---\n',
    },
  ],
  [
    'the moved note’s own relative links lead where they led',
    {
      'a/n.md': '[c](c.md) [u](../up.md) ![i](img.png) [e](%C3%BC.md) [[c]] [s](n.md#x) [[#x]]\n',
      'a/c.md': 'c',
      'a/ü.md': 'u',
      'a/img.png': 'i',
      'up.md': 'up',
    },
    { path: 'a/n', to: 'deep/er/m' },
    {
      'deep/er/m.md':
        '[c](../../a/c.md) [u](../../up.md) ![i](../../a/img.png) [e](../../a/%C3%BC.md) [[c]] [s](m.md#x) [[#x]]\n',
      'a/c.md': 'c',
      'a/ü.md': 'u',
      'a/img.png': 'i',
      'up.md': 'up',
    },
  ],
  [
    'a name with spaces at its ends is linked to in a way that keeps them',
    { 'foo.md': 'f', 'n.md': '[[foo]] ![[foo#h|l]] [x](foo.md) [y](<foo.md>)\n' },
    { path: 'foo.md', to: ' bar .md' },
    {
      ' bar .md': 'f',
      'n.md': '[foo](<./ bar .md>) ![l](<./ bar .md#h>) [x](./%20bar%20.md) [y](<./ bar .md>)\n',
    },
  ],
  [
    'a name that is no longer unique becomes a path',
    { 'foo.md': 'f', 'x/bar.md': 'b', 'n.md': '[[foo]] [[bar]]' },
    { path: 'foo.md', to: 'y/bar.md' },
    { 'y/bar.md': 'f', 'x/bar.md': 'b', 'n.md': '[[y/bar]] [[bar]]' },
  ],
  [
    'a link that the moved note would catch still leads to the other',
    { 'foo.md': 'f', 'x/y/bar.md': 'b', 'n.md': '[[bar]] ![[bar#h|l]] [t](x/y/bar.md)' },
    { path: 'foo.md', to: 'bar.md' },
    { 'bar.md': 'f', 'x/y/bar.md': 'b', 'n.md': '[[x/y/bar]] ![[x/y/bar#h|l]] [t](x/y/bar.md)' },
  ],
  [
    'a link by title or alias that the moved note would catch is spelt by path',
    {
      'a.md': '---\naliases: [Nick]\n---\n# The Title\n',
      'foo.md': 'f',
      'n.md': '[[Nick]] [[the title|t]]',
    },
    { path: 'foo.md', to: 'Nick.md' },
    {
      'a.md': '---\naliases: [Nick]\n---\n# The Title\n',
      'Nick.md': 'f',
      'n.md': '[[a]] [[the title|t]]',
    },
  ],
  [
    'a link by title or alias stays where it still leads to the moved note',
    { 'a.md': '---\naliases: [Nick]\n---\n# The Title\n', 'n.md': '[[Nick]] [[The Title]] [[a]]' },
    { path: 'a.md', to: 'b.md' },
    { 'b.md': '---\naliases: [Nick]\n---\n# The Title\n', 'n.md': '[[Nick]] [[The Title]] [[b]]' },
  ],
  [
    'when a namesake is left behind, links follow the note and not the name',
    { 'foo.md': 'f', 'z/foo.md': 'other', 'n.md': '[[foo]] [[z/foo]]' },
    { path: 'foo.md', to: 'far/away/foo.md' },
    { 'far/away/foo.md': 'f', 'z/foo.md': 'other', 'n.md': '[[far/away/foo]] [[z/foo]]' },
  ],
  [
    'an attachment',
    { 'a/img.png': 'i', 'n.md': '![[img.png|100]] ![x](a/img.png)', 'a/m.md': '![x](img.png)' },
    { path: 'a/img.png', to: 'files/' },
    {
      'files/img.png': 'i',
      'n.md': '![[img.png|100]] ![x](files/img.png)',
      'a/m.md': '![x](../files/img.png)',
    },
  ],
  [
    'a folder: links within it, into it and out of it',
    {
      'p/a.md': '[b](sub/b.md) [o](../out.md) [[b]]',
      'p/sub/b.md': '[a](../a.md) [[p/a]]',
      'out.md': '[a](p/a.md) [[p/sub/b|x]] [[a]]',
    },
    { path: 'p/', to: 'q/r/' },
    {
      'q/r/a.md': '[b](sub/b.md) [o](../../out.md) [[b]]',
      'q/r/sub/b.md': '[a](../a.md) [[q/r/a]]',
      'out.md': '[a](q/r/a.md) [[q/r/sub/b|x]] [[a]]',
    },
  ],
  [
    'only the case of a name',
    { 'foo.md': 'f', 'n.md': '[[foo]]' },
    { path: 'foo.md', to: 'Foo.md' },
    { 'Foo.md': 'f', 'n.md': '[[Foo]]' },
  ],
  [
    'links stay as they are when that is asked for',
    { 'foo.md': 'f', 'n.md': '[[foo]]' },
    { path: 'foo.md', to: 'bar.md', update_links: false },
    { 'bar.md': 'f', 'n.md': '[[foo]]' },
  ],
];

describe('note_move', () => {
  test('a date just before a millisecond is the same one in the index as in a rebuild', async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': 'a' } });
    const { index, vault } = bench.open;
    execFileSync('touch', ['-d', '2026-11-15T12:00:00.123999999Z', join(vault.root, 'a.md')]);
    await index.refresh(['a.md']);
    await bench.call('note_move', { path: 'a', to: 'b' });
    const kept = dumpVaultIndex(vault.root);
    await index.rebuild();
    assert.deepEqual(kept, dumpVaultIndex(vault.root));
  });

  for (const [about, files, args, after] of ROWS) {
    test(`${about}; undo takes back every byte`, async (context) => {
      const bench = await notesBench(context, { files });
      const before = await contents(bench);
      const tried = await bench.call('note_move', { ...args, dry_run: true });
      assert.equal(tried.change_id, null);
      assert.deepEqual(await contents(bench), before);
      const moved = await bench.call('note_move', args);
      assert.deepEqual(moved.link_edits, tried.link_edits);
      assert.deepEqual(moved.warnings, []);
      const now = new Map(
        Object.entries(after).map(([path, text]) => [path, Buffer.from(text).toString('latin1')]),
      );
      assert.deepEqual(new Map([...(await contents(bench))].sort()), new Map([...now].sort()));
      await bench.open.vault.changes.undo(moved.change_id);
      assert.deepEqual(await contents(bench), before);
      const index = dumpVaultIndex(bench.open.vault.root);
      await bench.open.index.rebuild();
      assert.deepEqual(index, dumpVaultIndex(bench.open.vault.root));
    });
  }

  test('the result tells what moved and which links were mended', async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': 'A', 'n.md': 'x\n[[a|l]]' } });
    const moved = await bench.call('note_move', { path: 'a', to: 'b' });
    assert.deepEqual(moved.link_edits, {
      links: 1,
      notes: 1,
      shown: [{ path: 'n.md', line: 2, from: 'a', to: 'b' }],
    });
    const { path, moved_from, moved_files, content_hash, change_id } = moved;
    assert.deepEqual([path, moved_from, moved_files], ['b.md', 'a.md', 1]);
    assert.equal(content_hash, (await bench.open.vault.read(at('b.md'))).contentHash);
    assert.match(change_id, /./);
  });

  test('five hundred notes of a folder are one change', async (context) => {
    const files: Record<string, string> = { 'hub.md': '' };
    for (let n = 0; n < 500; n++) {
      files[`old/${n % 20}/n${n}.md`] =
        `[next](../${(n + 1) % 20}/n${n + 1}.md) [up](../../hub.md)\n`;
      files['hub.md'] += `[${n}](old/${n % 20}/n${n}.md)\n`;
    }
    const bench = await notesBench(context, { files });
    const before = await contents(bench);
    const moved = await bench.call('note_move', { path: 'old', to: 'new/place' });
    assert.equal(moved.moved_files, 500);
    assert.deepEqual([moved.link_edits.notes, moved.link_edits.links], [501, 1000]);
    assert.deepEqual(moved.warnings, []);
    assert.equal(
      await bench.text('new/place/1/n1.md'),
      '[next](../2/n2.md) [up](../../../hub.md)\n',
    );
    assert.ok(JSON.stringify(moved).length < 20_000);
    const stats = await bench.open.index.stats();
    assert.equal(stats.counts.broken_links, 1);
    await bench.open.vault.changes.undo(moved.change_id);
    assert.deepEqual(await contents(bench), before);
  });

  test('a frontmatter that cannot hold the new name is reported', async (context) => {
    const bench = await notesBench(context, {
      files: { 'a.md': 'A', 'n.md': '---\nup: "[[a]]"\n---\n' },
    });
    const { warnings } = await bench.call('note_move', { path: 'a.md', to: 'b#c.md' });
    assert.match(warnings[0], /line 2 of "n.md" could not be updated; it should lead to "b#c.md"/);
  });

  test('notes that are no text are not looked at, and told of', async (context) => {
    const files = {
      'a/n.md': 'x\0 [x](b.md)\n',
      'a/b.md': 'b [n](n.md)\n',
      'ref.md': 'y\0 [[n]]\n',
      'ok.md': '[[n]]\n',
    };
    const bench = await notesBench(context, { files });
    const moved = await bench.call('note_move', { path: 'a/n', to: 'c/m' });
    const unread = '2 notes are not indexed; links in them were not checked';
    assert.deepEqual(moved.warnings, [
      'the links of "c/m.md" were not updated; it contains NUL bytes, as UTF-16 and binary files do',
      unread,
    ]);
    assert.equal(moved.link_edits.links, 2);
    assert.equal(await bench.text('ref.md'), files['ref.md']);
    const other = await bench.call('note_move', { path: 'ok', to: 'fine' });
    assert.deepEqual(other.warnings, [unread]);
    const plain = await bench.call('note_move', { path: 'fine', to: 'ok', update_links: false });
    assert.deepEqual(plain.warnings, []);
  });

  const refused: [about: string, args: object, code: string][] = [
    ['a note onto another', { path: 'a.md', to: 'b.md' }, 'note_exists'],
    ['a note onto a twin in case', { path: 'a.md', to: 'B.md' }, 'note_exists'],
    ['a folder onto another', { path: 'p/', to: 'q/' }, 'note_exists'],
    ['a folder by a hash', { path: 'p/', to: 'r/', content_hash: 'x' }, 'invalid_arguments'],
    ['a folder into itself', { path: 'p', to: 'p/x' }, 'path_invalid'],
    ['the vault', { path: '/', to: 'x' }, 'path_invalid'],
    ['a note that is not there', { path: 'zz.md', to: 'b.md' }, 'note_not_found'],
    ['a folder that is not there', { path: 'zz/', to: 'y/' }, 'note_not_found'],
    ['what may be a note or a folder', { path: 'both', to: 'x' }, 'path_invalid'],
    ['a note to the name of a folder', { path: 'a.md', to: 'p' }, 'path_invalid'],
    ['a note to another kind', { path: 'a.md', to: 'a.txt' }, 'path_invalid'],
    ['an attachment to another kind', { path: 'i.png', to: 'i.md' }, 'path_invalid'],
    ['from a hidden place', { path: '.notes/journal', to: 'x' }, 'path_hidden'],
    ['to a hidden place', { path: 'a.md', to: '.git/a.md' }, 'path_hidden'],
    ['out of the vault', { path: 'a.md', to: '../a.md' }, 'path_invalid'],
    ['a note that changed since', { path: 'a.md', to: 'c.md', content_hash: 'x' }, 'hash_mismatch'],
  ];
  for (const [about, args, code] of refused) {
    test(`${about} is refused and nothing moves`, async (context) => {
      const files = {
        'a.md': 'a',
        'b.md': 'b',
        'both.md': '',
        'both/x.md': '',
        'p/x.md': '',
        'q/y.md': '',
        'i.png': '',
      };
      const bench = await notesBench(context, { files });
      const before = await contents(bench);
      assert.equal((await bench.refusal('note_move', args)).code, code);
      assert.deepEqual(await contents(bench), before);
    });
  }

  test('a folder that has no note in it moves, too', async (context) => {
    const bench = await notesBench(context);
    await mkdir(join(bench.open.vault.root, 'p/.hidden'), { recursive: true });
    await writeFile(join(bench.open.vault.root, 'p/.hidden/x'), '');
    await bench.call('note_move', { path: 'p/', to: 'q/' });
    assert.deepEqual(await readdir(join(bench.open.vault.root, 'q')), ['.hidden']);
  });
});

test('HTML links to a moved file are reported, and no others', async (context) => {
  const html = '<img src="pics/my%20pic.png" width="3"> <a href=x.md>x</a>\n';
  const files = {
    'pics/my pic.png': 'x',
    'x.md': '# X\n',
    'a.md': `# A\n\n${html}`,
    'b.md': '<img src="other my pic.png"> <img alt="my pic.png"> <a href="xx.md">\n',
  };
  const bench = await notesBench(context, { files });
  const picture = await bench.call('note_move', { path: 'pics/my pic.png', to: 'pics/new.png' });
  const told = (name: string) =>
    `line 3 of "a.md" has an HTML link to "${name}", which was not updated`;
  assert.deepEqual(picture.warnings, [told('my pic.png')]);
  assert.deepEqual((await bench.call('note_move', { path: 'x', to: 'y' })).warnings, [
    told('x.md'),
  ]);
  assert.equal(await bench.text('a.md'), files['a.md']);
});
