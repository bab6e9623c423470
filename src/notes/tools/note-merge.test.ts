import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { arbitraryWeb, fillVault, ledLinks } from '../../../test/support/notes/link-web.ts';
import { tree } from '../../../test/support/notes/notes-storage.ts';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';

describe('note_merge', () => {
  test('text, frontmatter and names go over, links lead there, the note is in the trash', async (context) => {
    const bench = await notesBench(context, {
      files: {
        'a/old.md':
          '---\ntags: [x]\naliases: [Elder]\nsource: web\n---\n# Old\n\n[s](s.md) [[new]]\n',
        'a/s.md': '[[old]] [o](old.md#Old)',
        'new.md': '---\ntags: [y]\n---\n# New\n\n[[old]] and [[#New]]\n',
        'n.md': '[[a/old#Old|l]] [[Elder]] ![[old]] [[older]] `[[old]]`',
      },
    });
    const before = await bench.bytes('a/old.md');
    const result = await bench.call('note_merge', { path: 'a/old', into: 'new' });
    assert.equal(
      await bench.text('new.md'),
      '---\ntags: [y, x]\nsource: web\naliases: [old, Elder]\n---\n# New\n\n[[new]] and [[#New]]\n\n# Old\n\n[s](a/s.md) [[new]]\n',
    );
    assert.equal(await bench.text('a/s.md'), '[[new]] [o](../new.md#Old)');
    assert.equal(await bench.text('n.md'), '[[new#Old|l]] [[Elder]] ![[new]] [[older]] `[[old]]`');
    assert.equal(bench.exists('a/old.md'), false);
    const { path, merged_from, link_edits, warnings } = result;
    assert.deepEqual([path, merged_from, warnings], ['new.md', 'a/old.md', []]);
    assert.deepEqual([link_edits.links, link_edits.notes], [5, 3]);
    assert.ok((await bench.open.vault.trash.locate(result.trash_id)).path === 'a/old.md');
    await bench.open.vault.changes.undo(result.change_id);
    assert.ok(before.equals(await bench.bytes('a/old.md')));
    assert.equal(await bench.text('a/s.md'), '[[old]] [o](old.md#Old)');
  });

  test('a duplicate leaves its names and its place to the other', async (context) => {
    const bench = await notesBench(context, {
      files: { 'a.md': '# T\n\ntext\n', 'b.md': '---\nid: 1\n---\n# T\n\ntext', 'n.md': '[[a]]' },
    });
    await bench.call('note_merge', { path: 'a.md', into: 'b.md' });
    assert.equal(await bench.text('b.md'), '---\nid: 1\naliases: [a]\n---\n# T\n\ntext');
    assert.equal(await bench.text('n.md'), '[[b]]');
  });

  test('a target that need not change keeps its hash, and a dry run has no trash', async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': '# T\n', 'b.md': '# T\n' } });
    const { content_hash } = await bench.call('note_read', { path: 'b' });
    const dry = await bench.call('note_merge', { path: 'a', into: 'b', dry_run: true });
    assert.deepEqual([dry.content_hash, dry.trash_id], [content_hash, null]);
    const done = await bench.call('note_merge', { path: 'a', into: 'b' });
    assert.equal(done.content_hash, content_hash);
    assert.notEqual(done.trash_id, null);
  });

  test('links to a heading that both notes have are reported', async (context) => {
    const bench = await notesBench(context, {
      files: { 'a.md': '# Log\n\na\n', 'b.md': '# B\n\n## Log\n', 'n.md': '[[a#Log]]' },
    });
    const { warnings } = await bench.call('note_merge', { path: 'a', into: 'b' });
    assert.deepEqual(warnings, [
      'both notes have the heading "Log"; links to it lead to the first',
    ]);
  });

  const refused: [about: string, args: object, code: string][] = [
    ['one note twice', { path: 'a.md', into: 'a' }, 'invalid_arguments'],
    ['what is not there', { path: 'z', into: 'a' }, 'note_not_found'],
    ['an attachment', { path: 'i.png', into: 'a' }, 'path_invalid'],
    ['into a frontmatter nobody can read', { path: 'a', into: 'bad' }, 'frontmatter_invalid'],
    ['a note that changed since', { path: 'a', into: 'b', content_hash: 'x' }, 'hash_mismatch'],
  ];
  for (const [about, args, code] of refused) {
    test(`${about} is refused and nothing changes`, async (context) => {
      const files = { 'a.md': 'a', 'b.md': '[[a]]', 'bad.md': '---\na: [\n---\n', 'i.png': '' };
      const bench = await notesBench(context, { files });
      assert.equal((await bench.refusal('note_merge', args)).code, code);
      for (const [path, text] of Object.entries(files)) assert.equal(await bench.text(path), text);
    });
  }

  test('in a random web no line is lost and every link leads on', async (context) => {
    const bench = await notesBench(context);
    const { root, changes } = bench.open.vault;
    const property = fc.asyncProperty(arbitraryWeb, async (web) => {
      await fillVault(bench, web);
      const [source, target] = [web[0]!, web[1]!];
      const led = new Map(
        await Promise.all(
          web.map(async ({ path }) => [path, await ledLinks(bench, path)] as const),
        ),
      );
      const { change_id, warnings } = await bench.call('note_merge', {
        path: source.path,
        into: target.path,
      });
      const moved = (path: string) => (path === source.path ? target.path : path);
      const rest = web.filter((note) => note !== source);
      assert.deepEqual(await tree(root), rest.map(({ path }) => path).sort());
      for (const { path } of rest) {
        const after = await ledLinks(bench, path);
        const before = [...led.get(path)!, ...(path === target.path ? led.get(source.path)! : [])];
        const ends = (links: typeof after) =>
          links.filter(({ link }) => link.place !== 'frontmatter').map(({ to }) => to);
        const wanted = ends(before).map((end) => end && moved(end));
        const found = ends(after);
        // A copy is not put there twice; a link that led nowhere may find the note by its new alias.
        if (found.length < wanted.length) wanted.length = ends(led.get(path)!).length;
        assert.deepEqual(
          found.map((end, at) => (wanted[at] === null ? null : end)),
          wanted,
          `${path}: ${warnings}`,
        );
      }
      await changes.undo(change_id);
      for (const { path, bytes } of web) assert.ok(bytes.equals(await bench.bytes(path)));
    });
    await fc.assert(property, { numRuns: propertyRuns(80) });
  });
});
