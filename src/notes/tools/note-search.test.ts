import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type NotesBench, notesBench } from '../../../test/support/notes/notes-tools.ts';

const FILES = {
  'garden/roses.md':
    '---\nstatus: active\nrating: 5\ntags: [plant/rose]\n---\n# Roses\n\nred thorn\n',
  'garden/tulips.md': '---\nstatus: done\nrating: 2\ntags: [plant]\n---\n# Tulips\n\nred bulb\n',
  'work/plan.md': '# Plan\n\n## Spring\n\nbuy a red spade, C++ and foo-bar\n',
};

async function paths({ call }: NotesBench, args: object): Promise<string[]> {
  const { hits } = await call('note_search', args);
  return hits.map(({ path }: { path: string }) => path);
}

describe('note_search', () => {
  test('a hit says where it is and why', async (context) => {
    const { call } = await notesBench(context, { files: FILES });
    const { hits, index_state, relaxed, cursor } = await call('note_search', { query: 'spade' });
    const [{ score, ...hit }] = hits;
    assert.ok(score > 0);
    assert.deepEqual(hit, {
      path: 'work/plan.md',
      title: 'Plan',
      heading_path: ['Plan', 'Spring'],
      line: 5,
      snippet: 'buy a red spade, C++ and foo-bar',
    });
    assert.deepEqual([index_state, relaxed, cursor], ['ready', undefined, undefined]);
  });

  test('every filter', async (context) => {
    const bench = await notesBench(context, {
      files: FILES,
      now: () => new Date(Date.now() + 3 * 86_400_000),
    });
    const roses = 'garden/roses.md';
    const tulips = 'garden/tulips.md';
    const plan = 'work/plan.md';
    const rows: [object, string[]][] = [
      [{}, [roses, tulips, plan]],
      [{ prefix: 'garden' }, [roses, tulips]],
      [{ prefix: 'garden/' }, [roses, tulips]],
      [{ prefix: roses }, [roses]],
      [{ prefix: '' }, [roses, tulips, plan]],
      [{ prefix: 'gar' }, []],
      [{ glob: 't*' }, [tulips]],
      [{ glob: 'garden/**' }, [roses, tulips]],
      [{ tags: ['plant'] }, [roses, tulips]],
      [{ tags: ['#plant/rose'] }, [roses]],
      [{ tags: ['plant', 'nope'] }, []],
      [{ where: [{ key: 'status', op: 'eq', value: 'Active' }] }, [roses]],
      [{ where: [{ key: 'rating', op: 'lt', value: 3 }] }, [tulips]],
      [{ where: [{ key: 'status', op: 'missing' }] }, [plan]],
      [
        {
          where: [
            { key: 'status', op: 'exists' },
            { key: 'rating', op: 'gte', value: 5 },
          ],
        },
        [roses],
      ],
      [{ modified_after: '7d' }, [roses, tulips, plan]],
      [{ modified_after: '1d' }, []],
      [{ modified_before: '1d' }, [roses, tulips, plan]],
      [{ modified_before: '2020-01-01' }, []],
    ];
    for (const [filter, expected] of rows) {
      const found = await paths(bench, { query: 'red', ...filter });
      assert.deepEqual(found.sort(), [...expected].sort(), JSON.stringify(filter));
    }
  });

  test('every mode, and what was searched for instead', async (context) => {
    const bench = await notesBench(context, { files: FILES });
    assert.deepEqual(await paths(bench, { query: 'red thorn', mode: 'all' }), ['garden/roses.md']);
    assert.equal((await paths(bench, { query: 'thorn bulb', mode: 'any' })).length, 2);
    assert.deepEqual(await paths(bench, { query: 'thorn bulb', mode: 'all' }), []);
    assert.deepEqual(await paths(bench, { query: 'spade red', mode: 'phrase' }), []);
    assert.deepEqual(await paths(bench, { query: 'red spade', mode: 'phrase' }), ['work/plan.md']);
    assert.deepEqual(await paths(bench, { query: 'o-ba', mode: 'substring' }), ['work/plan.md']);
    const relaxed = await bench.call('note_search', { query: 'thorn bulb' });
    assert.deepEqual([relaxed.hits.length, relaxed.relaxed], [2, 'any']);
    const signs = await bench.call('note_search', { query: '++' });
    assert.deepEqual([signs.hits.length, signs.relaxed], [1, 'substring']);
  });

  test('pages hold every note once', async (context) => {
    const files = Object.fromEntries(
      Array.from({ length: 57 }, (_, index) => [`${index}.md`, `# N ${index}\n\nquince\n`]),
    );
    const { call } = await notesBench(context, { files });
    for (const mode of ['auto', 'any', 'substring']) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const args = { query: 'quince', mode, limit: 10, ...(cursor && { cursor }) };
        const page = await call('note_search', args);
        seen.push(...page.hits.map(({ path }: { path: string }) => path));
        cursor = page.cursor;
      } while (cursor !== undefined);
      assert.deepEqual([seen.length, new Set(seen).size], [57, 57], mode);
    }
  });

  test('of very many matches the pages show each once, and say that there are more', async (context) => {
    const text = (n: number) =>
      `# N ${n}\n\n## ${n % 3 === 0 ? 'alpha part' : 'other'}\n\n${'alpha '.repeat(1 + ((n * 7) % 5))}${'beta '.repeat(1 + ((n * 3) % 4))}${'and more '.repeat(n % 11)}\n`;
    const { call } = await notesBench(context, {
      files: Object.fromEntries(
        Array.from({ length: 1200 }, (_, n) => [`f${n % 7}/n${n}.md`, text(n)]),
      ),
    });
    const seen: string[] = [];
    let cursor: string | undefined;
    let capped: string | undefined;
    do {
      const args = { query: 'alpha beta', limit: 37, ...(cursor && { cursor }) };
      const page = await call('note_search', args);
      seen.push(...page.hits.map(({ path }: { path: string }) => path));
      ({ cursor, capped } = page);
    } while (cursor !== undefined);
    assert.deepEqual([seen.length, new Set(seen).size], [400, 400]);
    assert.match(capped!, /only the best/);
    const narrow = await call('note_search', { query: 'alpha', prefix: 'f1', limit: 100 });
    assert.equal(narrow.capped, undefined);
  });

  test('wrong arguments are refused', async (context) => {
    const { refusal } = await notesBench(context, { files: FILES });
    const wrong: object[] = [
      {},
      { query: '' },
      { query: 'x'.repeat(1001) },
      { query: 'x', mode: 'fuzzy' },
      { query: 'x', limit: 0 },
      { query: 'x', limit: 101 },
      { query: 'x', limit: 1.5 },
      { query: 'x', cursor: '!' },
      { query: 'x', where: [{ key: 'a', op: 'like', value: 'b' }] },
      { query: 'x', where: [{ key: 'a', op: 'eq' }] },
      { query: 'x', where: [{ key: 'a', op: 'exists', value: false }] },
      { query: 'x', where: [{ key: 'a', op: 'missing', value: 'b' }] },
      { query: 'x', where: [{ key: 'a', op: 'eq', value: 'b', sql: '1' }] },
      { query: 'x', tags: Array(11).fill('a') },
      { query: 'x', modified_after: 'last week' },
      { query: 'x', modified_before: '2026-13-45' },
      { query: 'x', nonsense: 1 },
    ];
    for (const args of wrong) {
      const { code } = await refusal('note_search', args);
      assert.equal(code, 'invalid_arguments', JSON.stringify(args).slice(0, 80));
    }
    const unknown = await refusal('note_search', { query: 'x', vault: 'nope' });
    assert.equal(unknown.code, 'vault_unknown');
    assert.deepEqual(unknown.data.vaults, ['default']);
  });

  test('an index that knows nothing yet refuses; one that knows something answers', async (context) => {
    const { vaults, refusal, call, data } = await notesBench(context, { files: FILES });
    const opened = await vaults.create('second');
    const { code } = await refusal('note_search', { query: 'x', vault: 'second' });
    assert.equal(code, 'index_building');
    await opened.ready();
    assert.equal((await call('note_search', { query: 'x', vault: 'second' })).index_state, 'ready');
    await writeFile(join(data, 'second/a.md'), 'quince');
    await opened.index.refresh(['a.md']);
    const building = opened.index.build();
    const found = await call('note_search', { query: 'quince', vault: 'second' });
    await building;
    assert.deepEqual([found.hits.length, found.index_state], [1, 'building']);
  });
});
