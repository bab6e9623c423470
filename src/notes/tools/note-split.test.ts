import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { arbitraryWeb, fillVault, ledLinks } from '../../../test/support/notes/link-web.ts';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';

const LONG = [
  '---\ntags: [x]\n---\n',
  '# All\n\nSee [[#Two]] and [[all#Deep]].\n\n',
  '## One\n\n[up](../n.md) [[#Two|2]] ![i](i.png)\n\n',
  '## Two\n\n[[#One]]\n\n### Deep\n\ntext ^id\n\n',
  '## Two\n\nagain\n',
].join('');

describe('note_split', () => {
  test('every section of a level becomes a note, and all links lead on', async (context) => {
    const files = {
      'a/all.md': LONG,
      'a/i.png': '',
      'n.md': '[[all#Two]] [x](a/all.md#deep) [[all#^id]] [[all]] [[all#All]] [[all#Nothing]]',
    };
    const bench = await notesBench(context, { files });
    const result = await bench.call('note_split', { path: 'a/all', level: 2, to: 'parts/' });
    assert.deepEqual(result.created, [
      { path: 'parts/One.md', heading: 'One' },
      { path: 'parts/Two.md', heading: 'Two' },
      { path: 'parts/Two 2.md', heading: 'Two' },
    ]);
    assert.equal(
      await bench.text('a/all.md'),
      '---\ntags: [x]\n---\n# All\n\nSee [[Two#Two]] and [[Two#Deep]].\n\n[[One]]\n\n[[Two]]\n\n[[Two 2|Two]]\n',
    );
    assert.equal(
      await bench.text('parts/One.md'),
      '## One\n\n[up](../n.md) [[Two#Two|2]] ![i](../a/i.png)\n',
    );
    assert.equal(
      await bench.text('parts/Two.md'),
      '## Two\n\n[[One#One]]\n\n### Deep\n\ntext ^id\n',
    );
    assert.equal(await bench.text('parts/Two 2.md'), '## Two\n\nagain\n');
    assert.equal(
      await bench.text('n.md'),
      '[[Two#Two]] [x](parts/Two.md#deep) [[Two#^id]] [[all]] [[all#All]] [[all#Nothing]]',
    );
    assert.deepEqual([result.path, result.warnings], ['a/all.md', []]);
    await bench.open.vault.changes.undo(result.change_id);
    for (const [path, text] of Object.entries(files)) assert.equal(await bench.text(path), text);
    assert.equal(bench.exists('parts'), false);
  });

  test('one section moves to the given path', async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': '# A\n\n## B: c/d\n\nb\n' } });
    const tried = await bench.call('note_split', { path: 'a', heading: 'b: c/d', dry_run: true });
    assert.deepEqual(tried.created, [{ path: 'B c d.md', heading: 'B: c/d' }]);
    assert.equal(bench.exists('B c d.md'), false);
    await bench.call('note_split', { path: 'a', line: 3, to: 'x/new' });
    assert.equal(await bench.text('x/new.md'), '## B: c/d\n\nb\n');
    assert.equal(await bench.text('a.md'), '# A\n\n[[new|B: c/d]]\n');
  });

  test('a link that a new note would catch still leads to the other', async (context) => {
    const bench = await notesBench(context, {
      files: {
        'a.md': '# A\n\n[[Topic]]\n\n## Topic\n\nx\n',
        'z/y/Topic.md': 't',
        'n.md': '[[topic]]',
      },
    });
    await bench.call('note_split', { path: 'a', level: 2 });
    assert.equal(await bench.text('a.md'), '# A\n\n[[z/y/Topic]]\n\n[[Topic]]\n');
    assert.equal(await bench.text('n.md'), '[[z/y/Topic]]');
  });

  test('a link to a heading that a website would name as the section stays', async (context) => {
    const files = { 'n.md': '## C++\n\n## C\n', 'm.md': '[[n#C]] [[n#C++]]' };
    const bench = await notesBench(context, { files });
    await bench.call('note_split', { path: 'n', heading: 'C++', to: 'p.md' });
    assert.equal(await bench.text('m.md'), '[[n#C]] [[p#C++]]');
  });

  test('a heading that would make a hidden name makes another', async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': '# A\n\n## \u200b.NET notes\n' } });
    await bench.call('note_split', { path: 'a', level: 2 });
    assert.equal(await bench.text('NET notes.md'), '## \u200b.NET notes\n');
  });

  const refused: [about: string, args: object, code: string][] = [
    ['onto a note that is there', { path: 'a', level: 2 }, 'note_exists'],
    ['a level it does not have', { path: 'a', level: 5 }, 'heading_not_found'],
    ['twins', { path: 'a', heading: 'Twin' }, 'heading_ambiguous'],
    ['a level and a heading', { path: 'a', level: 2, heading: 'B' }, 'invalid_arguments'],
    ['nothing named', { path: 'a' }, 'invalid_arguments'],
    ['to a hidden place', { path: 'a', heading: 'B', to: '.x/' }, 'path_hidden'],
    ['out of the vault', { path: 'a', level: 2, to: '../' }, 'path_invalid'],
    ['what is not there', { path: 'z', level: 1 }, 'note_not_found'],
    ['a note that changed since', { path: 'a', level: 3, content_hash: 'x' }, 'hash_mismatch'],
  ];
  for (const [about, args, code] of refused) {
    test(`${about} is refused and nothing changes`, async (context) => {
      const files = { 'a.md': '# A\n## B\n### Twin\n### Twin\n', 'b.md': 'x' };
      const bench = await notesBench(context, { files: { ...files, 'B.md': 'x' } });
      assert.equal((await bench.refusal('note_split', args)).code, code);
      for (const [path, text] of Object.entries(files)) assert.equal(await bench.text(path), text);
      assert.equal(bench.exists('Twin.md'), false);
    });
  }

  test('in a random web no byte of a section is lost and every link leads on', async (context) => {
    const bench = await notesBench(context);
    const { changes } = bench.open.vault;
    const property = fc.asyncProperty(arbitraryWeb, fc.constantFrom('', 'new'), async (web, to) => {
      await fillVault(bench, web);
      const { path } = web[0]!;
      const folder = to === '' ? posix.dirname(path).replace(/^\.$/, '') : to;
      const created = ['h', 'Other'].map((name) => posix.join(folder, `${name}.md`));
      const before = await Promise.all(web.map((note) => ledLinks(bench, note.path)));
      const args = { path, level: 2, ...(to !== '' && { to }) };
      const { change_id, warnings } = await bench.call('note_split', args);
      assert.deepEqual(warnings, []);
      const wanted = ({ link, to: end }: (typeof before)[0][0]) => {
        if (end !== path) return end;
        if (link.anchor === 'h' || link.anchor === '^b') return created[0]!;
        return link.anchor === 'Other' ? created[1]! : end;
      };
      for (const [at, note] of web.entries()) {
        if (at === 0) continue;
        const after = (await ledLinks(bench, note.path)).map(({ to: end }) => end);
        assert.deepEqual(after, before[at]!.map(wanted), note.path);
      }
      const parts = await Promise.all([path, ...created].map((part) => ledLinks(bench, part)));
      const left = parts.flat().map(({ to: end }) => end);
      const expected = [...before[0]!.map(wanted), ...created];
      // A link that led nowhere may lead somewhere from its new place; all others lead on.
      for (const end of expected) {
        if (end === null) continue;
        assert.ok(left.includes(end), `no link leads to ${end}`);
        left.splice(left.indexOf(end), 1);
      }
      assert.equal(left.length, expected.filter((end) => end === null).length);
      await changes.undo(change_id);
      for (const note of web) assert.ok(note.bytes.equals(await bench.bytes(note.path)));
    });
    await fc.assert(property, { numRuns: propertyRuns(80) });
  });
});
