import assert from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type NotesBench, notesBench } from '../../../test/support/notes/notes-tools.ts';

const FILES = {
  'b.md': '# Zebra\n\none two three\n',
  'a/c.md': '# Apple\n',
  'a/deep/d.md': '# Mango\n\nmany words stand here, more than elsewhere\n',
  'attachments/x.png': 'x',
  '.hidden/e.md': 'x',
};

async function paths({ call }: NotesBench, args: object): Promise<string[]> {
  const { items } = await call('note_list', args);
  return items.map(({ path }: { path: string }) => path);
}

describe('note_list', () => {
  test('what there is of a note, an attachment and a folder', async (context) => {
    const { call } = await notesBench(context, { files: FILES });
    const [{ modified, ...note }] = (await call('note_list', { prefix: 'a/deep' })).items;
    assert.ok(!Number.isNaN(Date.parse(modified)));
    assert.deepEqual(note, { path: 'a/deep/d.md', title: 'Mango', words: 8, bytes: 52 });
    const attachments = await call('note_list', { kind: 'attachment' });
    assert.deepEqual(
      [attachments.items[0].path, attachments.items[0].bytes],
      ['attachments/x.png', 1],
    );
    const folders = await call('note_list', { kind: 'folder' });
    assert.deepEqual(folders.items, [
      { path: 'a', notes: 2 },
      { path: 'a/deep', notes: 1 },
    ]);
  });

  test('notes of a time, by days, spans and yesterday', async (context) => {
    const now = new Date(2026, 10, 15, 12);
    const bench = await notesBench(context, { files: FILES, now: () => now });
    const days = { 'b.md': 14, 'a/c.md': 9, 'a/deep/d.md': 1 };
    for (const [path, day] of Object.entries(days)) {
      const modified = new Date(2026, 10, day, 9);
      await utimes(join(bench.data, 'default', path), modified, modified);
    }
    await bench.open.index.refresh(Object.keys(days));
    assert.deepEqual(await paths(bench, { modified_after: '7d' }), ['a/c.md', 'b.md']);
    assert.deepEqual(await paths(bench, { modified_after: 'yesterday' }), ['b.md']);
    const span = { modified_after: '2026-11-09', modified_before: 'yesterday' };
    assert.deepEqual(await paths(bench, span), ['a/c.md']);
    const { code } = await bench.refusal('note_list', { modified_after: 'soon' });
    assert.equal(code, 'invalid_arguments');
  });

  test('every filter and order', async (context) => {
    const bench = await notesBench(context, { files: FILES });
    await utimes(join(bench.data, 'default/a/c.md'), 2_000_000_000, 2_000_000_000);
    await bench.open.index.refresh(['a/c.md']);
    const [c, d, b] = ['a/c.md', 'a/deep/d.md', 'b.md'];
    const rows: [object, string[]][] = [
      [{}, [c, d, b]],
      [{ sort: 'path' }, [c, d, b]],
      [{ sort: 'title' }, [c, d, b]],
      [{ sort: 'size' }, [d, b, c]],
      [{ sort: 'words' }, [d, b, c]],
      [{ prefix: 'a' }, [c, d]],
      [{ prefix: 'a', depth: 1 }, [c]],
      [{ depth: 1 }, [b]],
      [{ depth: 2 }, [c, b]],
      [{ glob: '[bc].md' }, []],
      [{ glob: '?.md', prefix: 'a' }, [c, d]],
      [{ glob: 'a/*.md' }, [c]],
      [{ kind: 'folder', depth: 1 }, ['a']],
      [{ kind: 'folder', glob: 'd*' }, ['a/deep']],
      [{ kind: 'folder', prefix: 'a' }, ['a/deep']],
      [{ prefix: 'nowhere' }, []],
    ];
    for (const [args, expected] of rows) {
      assert.deepEqual(await paths(bench, args), expected, JSON.stringify(args));
    }
    assert.equal((await paths(bench, { sort: 'modified' }))[0], c);
  });

  test('pages hold every file once, in every order', async (context) => {
    const files = Object.fromEntries(
      Array.from({ length: 123 }, (_, index) => [`f${index % 40}/${index}.md`, '# Same\n']),
    );
    const { call } = await notesBench(context, { files });
    const kinds = [
      { kind: 'folder' },
      {},
      { sort: 'title' },
      { sort: 'modified' },
      { sort: 'size' },
    ];
    for (const args of kinds) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await call('note_list', { ...args, limit: 50, ...(cursor && { cursor }) });
        seen.push(...page.items.map(({ path }: { path: string }) => path));
        cursor = page.cursor;
      } while (cursor !== undefined);
      const expected = 'kind' in args ? 40 : 123;
      assert.deepEqual([seen.length, new Set(seen).size], [expected, expected]);
    }
  });

  test('a prefix in the other composition leads to the same folder', async (context) => {
    const bench = await notesBench(context, {
      files: { 'cafe\u0301/a.md': 'x', 'caf\u00e9s/b.md': 'x' },
    });
    assert.deepEqual(await paths(bench, { prefix: 'caf\u00e9' }), ['cafe\u0301/a.md']);
    assert.deepEqual(await paths(bench, { prefix: 'cafe\u0301s' }), ['caf\u00e9s/b.md']);
  });

  test('wrong arguments are refused', async (context) => {
    const { refusal } = await notesBench(context, { files: FILES });
    const wrong: object[] = [
      ...[{ depth: 0 }, { kind: 'file' }, { sort: 'x'.repeat(201) }, { limit: 501 }],
      ...[{ cursor: 'x' }, { glob: 'x'.repeat(201) }, { prefix: 5 }, { path: 'a' }],
      { kind: 'folder', sort: 'modified' },
    ];
    for (const args of wrong) {
      const { code } = await refusal('note_list', args);
      assert.equal(code, 'invalid_arguments', JSON.stringify(args).slice(0, 60));
    }
  });
});
