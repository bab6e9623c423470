import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

const AUTHOR = { author: { name: 'Ada', email: 'ada@example.org' } };
const GARDEN = `---
title: The garden
aliases: [Backyard, .NET]
---
# Garden

Intro.

## Plants

Roses.

### Roses

Red.

## Tools

Spade.
`;

describe('note_read', () => {
  test('a note comes as it is stored, with its hash and its frontmatter', async (context) => {
    const text = '\ufeff---\r\na: 1\r\n---\r\n# T\r\n\r\nno newline at the end';
    const { call, open } = await notesBench(context, { files: { 'f/a.md': text } });
    const read = await call('note_read', { path: 'f/a.md' });
    const file = await open.vault.read((await call('note_read', { path: 'f/a' })).path);
    assert.equal(read.content, text);
    assert.equal(read.content_hash, file.contentHash);
    assert.deepEqual(read.frontmatter, { a: 1 });
    assert.deepEqual([read.path, read.lines, read.total_lines], ['f/a.md', '1-6', 6]);
    assert.equal(read.next, undefined);
  });

  test('a note is found by path, name, title, alias, and in other case', async (context) => {
    const { call } = await notesBench(context, { files: { 'home/garden.md': GARDEN } });
    const names = [
      ...['home/garden.md', 'home/garden', 'garden', 'garden.md', 'The garden', 'backyard'],
      ...['THE GARDEN', 'HOME/GARDEN.MD', '.NET', ' garden '],
    ];
    for (const path of names) {
      assert.equal((await call('note_read', { path })).path, 'home/garden.md', path);
    }
  });

  test('a path counts before a name, a folder does not hide a note', async (context) => {
    const { call } = await notesBench(context, {
      files: {
        'plan.md': 'at the root',
        'x/plan.md': 'below',
        'ideas/a.md': 'a',
        'x/ideas.md': 'not a folder',
        'Release 2.0.md': 'with a dot',
      },
    });
    assert.equal((await call('note_read', { path: 'plan' })).content, 'at the root');
    assert.equal((await call('note_read', { path: 'ideas' })).content, 'not a folder');
    assert.equal((await call('note_read', { path: 'Release 2.0' })).content, 'with a dot');
  });

  test('of several notes with one name none is taken; all are named', async (context) => {
    const { refusal } = await notesBench(context, {
      files: { 'a/plan.md': '1', 'b/plan.md': '2', 'c/x.md': '# Same\n', 'd/y.md': '# Same\n' },
    });
    const byName = await refusal('note_read', { path: 'plan' });
    assert.deepEqual(
      [byName.code, byName.data.candidates],
      ['note_not_found', ['a/plan.md', 'b/plan.md']],
    );
    const byTitle = await refusal('note_read', { path: 'same' });
    assert.deepEqual(byTitle.data.candidates, ['c/x.md', 'd/y.md']);
  });

  test('a note that is not there is answered with the nearest ones', async (context) => {
    const { refusal } = await notesBench(context, { files: { 'home/garden.md': GARDEN } });
    const { code, message, data } = await refusal('note_read', { path: 'gardne' });
    assert.equal(code, 'note_not_found');
    assert.match(message, /did you mean "home\/garden.md"/);
    assert.deepEqual(data.did_you_mean, ['home/garden.md']);
  });

  test('the note of a day', async (context) => {
    const { call, refusal } = await notesBench(context, {
      files: { 'daily/2026-11-15.md': 'sunday', 'daily/2026-11-14.md': 'saturday' },
      now: () => new Date(2026, 10, 15, 12),
    });
    assert.equal((await call('note_read', { path: 'daily:today' })).content, 'sunday');
    assert.equal((await call('note_read', { path: 'daily:2026-11-14' })).content, 'saturday');
    assert.equal((await refusal('note_read', { path: 'daily:2026-11-13' })).code, 'note_not_found');
    for (const day of ['', 'tomorrow', '2026-02-30', '../../x', '2026-11-14/../x']) {
      const { code } = await refusal('note_read', { path: `daily:${day}` });
      assert.equal(code, 'invalid_arguments', day);
    }
  });

  test('one section by its heading or the path of headings', async (context) => {
    const { call, refusal } = await notesBench(context, {
      files: {
        'a.md': GARDEN,
        'twins.md': '# A\n## X\n1\n# B\n## X\n2\n',
        'pair.md': '# A\n## X\n## X\n',
      },
    });
    const plants = await call('note_read', { path: 'a', heading: 'plants' });
    assert.equal(plants.content, '## Plants\n\nRoses.\n\n### Roses\n\nRed.\n\n');
    assert.equal(plants.lines, '9-16');
    const roses = { heading_path: ['Garden', 'Plants', 'Roses'] };
    assert.equal((await call('note_read', { path: 'a', ...roses })).lines, '13-16');
    assert.equal(
      (await call('note_read', { path: 'twins', heading_path: ['B', 'X'] })).content,
      '## X\n2\n',
    );
    const ambiguous = await refusal('note_read', { path: 'twins', heading: 'X' });
    assert.deepEqual([ambiguous.code, ambiguous.data.candidates.length], ['heading_ambiguous', 2]);
    assert.match(ambiguous.message, /; give heading_path or lines of the one you mean$/);
    const twins = await refusal('note_read', { path: 'pair', heading_path: ['A', 'X'] });
    assert.match(twins.message, /; give lines of the one you mean$/);
    for (const heading of ['Plant', 'Intro.', '', 'Plants\0']) {
      const { code } = await refusal('note_read', { path: 'a', heading });
      assert.equal(code, 'heading_not_found', heading);
    }
  });

  test('some lines', async (context) => {
    const { call, refusal } = await notesBench(context, { files: { 'a.md': '1\n2\n3\n4\n' } });
    const rows = {
      '2': '2\n',
      '2-3': '2\n3\n',
      '3-': '3\n4\n',
      '1-99': '1\n2\n3\n4\n',
      '4:1-': '\n',
    };
    for (const [lines, content] of Object.entries(rows)) {
      assert.equal((await call('note_read', { path: 'a', lines })).content, content, lines);
    }
    for (const lines of ['0', '5', '3-2', '', '-1', 'x', '1-2-3', '1e3', '9999999999']) {
      const { code } = await refusal('note_read', { path: 'a', lines });
      assert.equal(code, 'invalid_arguments', lines);
    }
    const both = await refusal('note_read', { path: 'a', lines: '1', heading: 'x' });
    assert.equal(both.code, 'invalid_arguments');
  });

  test('the outline, also of a part', async (context) => {
    const { call } = await notesBench(context, { files: { 'a.md': GARDEN } });
    const { outline, content } = await call('note_read', { path: 'a', view: 'outline' });
    assert.equal(content, undefined);
    assert.deepEqual(outline, [
      { line: 5, level: 1, heading: 'Garden' },
      { line: 9, level: 2, heading: 'Plants' },
      { line: 13, level: 3, heading: 'Roses' },
      { line: 17, level: 2, heading: 'Tools' },
    ]);
    const part = await call('note_read', { path: 'a', view: 'outline', heading: 'Plants' });
    assert.equal(part.outline.length, 2);
  });

  test('everything that is known of a note', async (context) => {
    const text = '---\ntags: [x]\naliases: [Y]\n---\n# T\n\n- [ ] do #z\n\n[[other]]\n';
    const { call } = await notesBench(context, { files: { 'a.md': text } });
    const full = await call('note_read', { path: 'a', view: 'full' });
    assert.equal(full.content, text);
    assert.deepEqual(
      [full.title, full.tags, full.aliases, full.links],
      ['T', ['x', 'z'], ['Y'], ['other']],
    );
    assert.deepEqual(full.tasks, [{ line: 7, done: false, text: 'do #z' }]);
    assert.equal(full.cut, undefined);
  });

  test('several notes at once; one that fails does not take the others with it', async (context) => {
    const { call, refusal } = await notesBench(context, {
      files: { 'a.md': 'A', 'b.md': 'B' },
    });
    const { notes } = await call('note_read', { paths: ['b', 'gone', '../x', '.git/config', 'a'] });
    assert.deepEqual(
      notes.map(
        (note: { content?: string; error?: { code: string } }) => note.content ?? note.error?.code,
      ),
      ['B', 'note_not_found', 'path_invalid', 'path_hidden', 'A'],
    );
    const none = [{}, { path: 'a', paths: ['b'] }, { paths: [] }, { paths: Array(11).fill('a') }];
    for (const args of none) {
      assert.equal((await refusal('note_read', args)).code, 'invalid_arguments');
    }
  });

  test('a note as it was, also one that is gone', async (context) => {
    const { call, refusal, open, put } = await notesBench(context, {
      files: { 'a.md': 'old\n' },
      git: AUTHOR,
    });
    await open.vault.git?.settled();
    const [{ commit }] = (await call('note_history', { path: 'a' })).revisions;
    await put('a.md', 'new\n');
    const was = await call('note_read', { path: 'a', revision: commit });
    assert.deepEqual([was.content, was.revision], ['old\n', commit]);
    const path = (await open.vault.read(was.path)).path;
    await open.vault.changes.run({ tool: 'test', scope: [path] }, (tx) => tx.remove(path));
    assert.equal((await call('note_read', { path: 'a', revision: commit })).content, 'old\n');
    const revisions = ['HEAD', '--output=x', `${commit}^`, commit.slice(0, 8), 'f'.repeat(40), ''];
    for (const revision of revisions) {
      const { code } = await refusal('note_read', { path: 'a', revision });
      assert.equal(code, 'revision_not_found', revision);
    }
    const hidden = await refusal('note_read', { path: '.git/config', revision: commit });
    assert.equal(hidden.code, 'path_hidden');
  });

  test('a note that was renamed is read as it was under the name it had then', async (context) => {
    const { call, refusal, open } = await notesBench(context, {
      files: { 'a.md': 'one\ntwo\nthree\n' },
      git: AUTHOR,
    });
    await call('note_move', { path: 'a', to: 'f/new' });
    await open.vault.git?.settled();
    const { revisions } = await call('note_history', { path: 'f/new' });
    const read = await call('note_read', { path: 'f/new', revision: revisions[1].commit });
    assert.deepEqual([read.path, read.content], ['f/new.md', 'one\ntwo\nthree\n']);
    const other = await refusal('note_read', { path: 'c', revision: revisions[0].commit });
    assert.equal(other.code, 'revision_not_found');
  });

  test('without git there are no revisions', async (context) => {
    const { refusal } = await notesBench(context, { files: { 'a.md': 'x' } });
    const { code } = await refusal('note_read', { path: 'a', revision: 'f'.repeat(40) });
    assert.equal(code, 'versioning_off');
  });

  test('a binary file is reported, not shown', async (context) => {
    const { call } = await notesBench(context, {
      files: {
        'x.png': Buffer.from([0x89, 0x50, 0xff]),
        'nul.md': Buffer.from('a\0b'),
        'latin1.md': Buffer.from([0x61, 0xe9, 0x0a]),
        'rows.csv': 'a,b\n',
        'empty.md': '',
      },
    });
    for (const path of ['x.png', 'nul.md']) {
      const read = await call('note_read', { path });
      assert.deepEqual([read.binary, read.content, read.warnings.length], [true, '', 1], path);
      assert.equal((await call('note_read', { path, view: 'outline' })).binary, true);
    }
    const latin1 = await call('note_read', { path: 'latin1' });
    assert.equal(latin1.content, 'a\ufffd\n');
    assert.match(latin1.warnings[0], /not all UTF-8/);
    assert.equal((await call('note_read', { path: 'rows.csv' })).content, 'a,b\n');
    const empty = await call('note_read', { path: 'empty' });
    assert.deepEqual([empty.content, empty.total_lines], ['', 0]);
  });

  test('frontmatter that cannot be read or shown is said', async (context) => {
    const { call } = await notesBench(context, {
      files: {
        'bad.md': '---\na: [\n---\nx\n',
        'circle.md': '---\na: &x [*x]\n---\nx\n',
        'long.md': `---\na: ${'x'.repeat(30_000)}\n---\nx\n`,
      },
    });
    for (const path of ['bad', 'circle', 'long']) {
      const { frontmatter, warnings, content } = await call('note_read', { path });
      assert.equal(frontmatter, null, path);
      assert.equal(warnings.length, 1, path);
      assert.ok(content.startsWith('---\na: '), path);
    }
  });

  test('a long note is read on with next, to the last byte', async (context) => {
    const text = `# T\n\n${'“line”\twith 漢字 and "quotes" \\ \u0001\n'.repeat(3000)}`;
    const { call } = await notesBench(context, { files: { 'a.md': text } });
    let content = '';
    let lines: string | undefined;
    let parts = 0;
    do {
      const args = { path: 'a', ...(lines !== undefined && { lines }) };
      const part = await call('note_read', args);
      assert.ok(JSON.stringify(part).length < 20_000);
      content += part.content;
      lines = part.next;
      parts++;
    } while (lines !== undefined);
    assert.equal(content, text);
    assert.ok(parts < 10, `${parts} parts`);
    const more = await call('note_read', { path: 'a', max_chars: 200_000 });
    assert.equal(more.content, text);
  });

  test('a link is never followed', async (context) => {
    const { refusal, data, open } = await notesBench(context, { files: { 'a.md': 'x' } });
    await writeFile(join(data, 'secret.md'), 'secret');
    await mkdir(join(data, 'outside'));
    await writeFile(join(data, 'outside/secret.md'), 'secret');
    await symlink(join(data, 'secret.md'), join(data, 'default/link.md'));
    await symlink(join(data, 'outside'), join(data, 'default/linked'));
    await open.index.refresh(['link.md', 'linked']);
    for (const path of ['link.md', 'link', 'linked/secret.md', 'linked']) {
      assert.equal((await refusal('note_read', { path })).code, 'path_invalid', path);
    }
    assert.equal((await refusal('note_read', { path: 'secret' })).code, 'note_not_found');
  });
});
