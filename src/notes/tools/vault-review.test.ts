import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

interface Item {
  readonly kind: string;
  readonly path: string;
  readonly line?: number;
  readonly fix?: { readonly tool: string; readonly arguments: object };
}

const LONG = 'word '.repeat(40);

describe('vault_review', () => {
  test('items of the kinds that are asked for, below a folder', async (context) => {
    const { call } = await notesBench(context, {
      files: {
        'x/a.md': `[[gone]] ${LONG}\n- [ ] do it\n`,
        'x/stub.md': '[[a]]\n',
        'y/bad.md': `---\na: [\n---\n${LONG}`,
      },
    });
    const kinds = async (args: object) =>
      (await call('vault_review', args)).items.map(({ kind }: Item) => kind);
    assert.deepEqual(await kinds({ only: ['broken_link'] }), ['broken_link']);
    assert.deepEqual(await kinds({ only: ['malformed_frontmatter', 'stub'], prefix: 'x' }), [
      'stub',
    ]);
    assert.deepEqual(
      [...new Set(await kinds({}))],
      ['malformed_frontmatter', 'broken_link', 'open_task', 'stub', 'orphan'],
    );
  });

  test('a fix is a call that can be run', async (context) => {
    const { call } = await notesBench(context, { files: { 'a.md': `[[gone]]\n${LONG}` } });
    const only = ['broken_link'];
    const [item] = (await call('vault_review', { only })).items as Item[];
    assert.equal(item?.fix?.tool, 'note_create');
    await call(item.fix.tool, item.fix.arguments);
    assert.deepEqual((await call('vault_review', { only })).items, []);
  });

  test('stale is what has not changed for as long as is said', async (context) => {
    const { call } = await notesBench(context, {
      files: { 'a.md': LONG },
      now: () => new Date(Date.now() + 40 * 86_400_000),
    });
    const stale = async (args: object) =>
      (await call('vault_review', { only: ['stale'], ...args })).items.length;
    assert.equal(await stale({}), 0);
    assert.equal(await stale({ stale_after: '30d' }), 1);
    assert.equal(await stale({ stale_after: '6w' }), 0);
  });

  test('pages hold every item once, a share of each kind on the first', async (context) => {
    const { call } = await notesBench(context, {
      files: {
        ...Object.fromEntries(
          Array.from({ length: 60 }, (_, index) => [`stub ${index}.md`, `${index}\n`]),
        ),
        'a.md': `[[gone]] ${LONG}\n`,
      },
    });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await call('vault_review', cursor === undefined ? {} : { cursor });
      if (cursor === undefined) {
        assert.ok(page.items.length <= 15);
        assert.ok(page.items.some(({ kind }: Item) => kind === 'broken_link'));
      }
      seen.push(...page.items.map((item: Item) => `${item.kind} ${item.path} ${item.line}`));
      cursor = page.cursor;
    } while (cursor !== undefined);
    assert.equal(new Set(seen).size, seen.length);
    assert.equal(seen.filter((item) => item.startsWith('stub ')).length, 60);
    assert.equal(seen.filter((item) => item.startsWith('orphan ')).length, 61);
  });

  test('a fix of a whole page is left out, and the page has room all the same', async (context) => {
    const links = `[[b#Secnd]] ${'x'.repeat(100_000)}\n\n[[b#Secnd]]\n`;
    const { call } = await notesBench(context, {
      files: { 'a.md': links.slice(0, -1).concat(' too\n'), 'b.md': '# Second\n' },
    });
    const page = await call('vault_review', { only: ['broken_anchor'] });
    assert.ok(JSON.stringify(page).length < 20_000);
    assert.deepEqual(
      page.items.map(({ fix }: Item) => fix?.tool),
      [undefined, 'note_edit'],
    );
  });

  test('wrong arguments are refused', async (context) => {
    const { refusal } = await notesBench(context, { files: { 'a.md': 'x' } });
    const wrong: object[] = [
      ...[{ only: ['everything'] }, { only: [] }, { only: 'stub' }, { stale_after: '1h' }],
      ...[{ stale_after: '' }, { limit: 0 }, { limit: 101 }, { cursor: 'x' }],
    ];
    for (const args of wrong) {
      const { code } = await refusal('vault_review', args);
      assert.equal(code, 'invalid_arguments', JSON.stringify(args));
    }
  });
});
