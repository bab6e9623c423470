/** Every fix that a review names can be run as it stands, and mends what it is named for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tree } from '../../../test/support/notes/notes-storage.ts';
import { type NotesBench, notesBench } from '../../../test/support/notes/notes-tools.ts';

const LONG = 'many words that make this note more than a stub, so that it is not taken for one';

const FILES: Record<string, string> = {
  'hub.md': `# Hub\n\n${LONG}\n\n[[topic#Secnd part]] here\n\n[[Twin]] there\n\n[[void]] ![[used.png]]\n`,
  'links.md': `${LONG}\n\n[[new/place]] [x](sub/other.md) [[bad\\name]] [[a//b]] [[.hidden/x]] [y](a/../b.md) [[C:x?]] [[tail/]] [[ ]] [[A/new]]\n`,
  'topic.md': `# Topic\n\n${LONG} [[hub]]\n\n## Second part\n\n- [ ] pay 📅 2026-01-01\n- [ ] later [[hub]]\n* [ ] later [[hub]]\n`,
  'a/Twin.md': `# Twin\n\n${LONG} one`,
  'b/Twin.md': `# Twin\n\n${LONG} two`,
  'copy.md': `# Original\n\n${LONG} three\n`,
  'original.md': `# Original\n\n${LONG} three`,
  'mention.md': `# Mention\n\n${LONG}\n\nWe spoke of the lonely island today.\n`,
  'mention2.md': `# Mention\n\n${LONG}\n\nA note on C# names, and the Twin notes we have.\n`,
  'lonely island.md': `# Lonely island\n\n${LONG} four`,
  'C# names.md': `${LONG} 4b`,
  'bad.md': `---\na: [\n---\n# Bad\n\n${LONG} [[hub]] six`,
  'bad.sync-conflict-20260101-120000-ABCDEF.md': `# Bad\n\n${LONG} [[hub]] 6b`,
  'short.md': '# Short [[hub]]',
  'empty.md': '',
  'hub.sync-conflict-20260101-120000-ABCDEF.md': `# Hub\n\n${LONG} [[hub]] seven`,
  'lost (conflicted copy 2026-01-01).md': `# Lost\n\n${LONG} [[hub]] eight`,
  '(conflicted copy 2026-01-01).md': `# Nameless\n\n${LONG} [[hub]] nine`,
  '.sync-conflict-20260101-120000-ABCDEF.md': `# Hidden\n\n${LONG} ten`,
  'pic (conflicted copy 2026-01-01).png': 'x',
  'pic.png': 'y',
  'gone (conflicted copy 2026-01-01).png': 'z',
  'attachments/used.png': 'x',
  'attachments/unused.png': 'x',
};

interface Item {
  readonly kind: string;
  readonly path: string;
  readonly detail: string;
  readonly fix?: { readonly tool: string; readonly arguments: object; readonly effect?: string };
}

async function reviewed(bench: NotesBench): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const args = { limit: 100, ...(cursor !== undefined && { cursor }) };
    const page = await bench.call('vault_review', args);
    items.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return items;
}

/** Reviews do not end where these are gone: they show what is needed to mend it. */
const ONLY_SHOWN = ['orphan'];

test('every fix of a review runs as it stands or after its dry run, and what it is for is gone then', async (context) => {
  const bench = await notesBench(context, { files: FILES });
  const { root, changes } = bench.open.vault;
  const before = await tree(root);
  const items = await reviewed(bench);
  const tools = new Set<string>();
  for (const { kind, path, detail, fix } of items) {
    if (fix === undefined) continue;
    tools.add(fix.tool);
    const about = `${kind} of ${path}: ${fix.tool} ${JSON.stringify(fix.arguments)}`;
    const asIs = await bench.answer(fix.tool, fix.arguments);
    assert.ok(!asIs.isError, `${about} ${JSON.stringify(asIs.content[0])}`);
    const isDry = 'dry_run' in fix.arguments;
    assert.equal(fix.effect !== undefined, isDry, about);
    if (isDry) assert.deepEqual(await tree(root), before, about);
    const done = { ...fix.arguments, dry_run: false };
    const answer = isDry ? await bench.answer(fix.tool, done) : asIs;
    assert.ok(!answer.isError, `${about} ${JSON.stringify(answer.content[0])}`);
    if (ONLY_SHOWN.includes(kind)) continue;
    const same = (other: Item) =>
      other.kind === kind && other.path === path && other.detail === detail;
    const [had, has] = [items, await reviewed(bench)].map((all) => all.filter(same).length);
    assert.ok(has! < had!, `${about} did not mend it`);
    const { change_id } = answer.structuredContent as { change_id: string };
    await changes.undo(change_id);
  }
  assert.deepEqual([...tools].sort(), [
    'note_create',
    'note_delete',
    'note_edit',
    'note_merge',
    'note_move',
    'note_related',
  ]);
  assert.deepEqual(await tree(root), before);
});

const DAILY =
  '# Journal\n\n## Tasks\n\n- [ ] \n\n## Notes\n\nNothing happened today, as on any other day.\n';
const TEMPLATE = '# {{title}}\n\nup: [[{{parent}}]]\n\n## Tasks\n\n- [ ] <% tp.file.cursor() %>\n';
const CANVAS = JSON.stringify({ nodes: [{ id: '1', type: 'file', file: 'hub.md' }], edges: [] });

test('in a vault of templates, journals and canvases no work is removed by default', async (context) => {
  const files: Record<string, string> = {
    'hub.md': `# Hub\n\n${LONG}\n`,
    'map.canvas': CANVAS,
    'books.base': 'views:\n  - type: table\n',
    'Templates/day.md': TEMPLATE,
    'Templates/person.md': TEMPLATE,
    'Templates/empty.md': '',
    'person template.md': TEMPLATE,
    'sources/one.md': `---\nid: 1\n---\n# Quote\n\n${LONG}\n`,
    'sources/two.md': `---\nid: 2\n---\n# Quote\n\n${LONG}\n`,
  };
  const days = ['journals/2026_11_14', 'journals/2026_11_15', 'daily/2026-11-14', 'Diary/Monday'];
  for (const path of [...days, '2026-11-15 Sunday', '2026-W47', 'log/20261115']) {
    files[`${path}.md`] = DAILY;
  }
  const bench = await notesBench(context, { files });
  const before = await tree(bench.open.vault.root);
  const items = await reviewed(bench);
  assert.deepEqual(
    items.filter(({ kind }) => kind === 'duplicate' || kind === 'unused_attachment'),
    [],
  );
  assert.ok(items.some(({ kind }) => kind === 'open_task'));
  for (const { kind, path, fix } of items) {
    if (kind === 'open_task' || path.startsWith('Templates/')) {
      assert.ok(fix === undefined || fix.tool === 'note_related', `${kind} of ${path}`);
    }
    if (fix !== undefined) await bench.answer(fix.tool, fix.arguments);
  }
  assert.deepEqual(await tree(bench.open.vault.root), before);
});

test('daily notes and templates are known where Obsidian keeps them', async (context) => {
  const files = {
    '.obsidian/daily-notes.json': '{"folder": "Tage", "template": "Vorlage Tag"}',
    '.obsidian/templates.json': '{"folder": "Vorlagen"}',
    'Tage/Montag.md': DAILY,
    'Tage/Dienstag.md': DAILY,
    'Vorlagen/leer.md': '',
    'Vorlagen/a.md': TEMPLATE,
    'Vorlagen/b.md': TEMPLATE,
    'Vorlage Tag.md': '',
    'Other/a.md': DAILY,
    'Other/b.md': DAILY,
    'Other/empty.md': '',
  };
  const bench = await notesBench(context, { files });
  const items = await reviewed(bench);
  const removing = items.filter(({ fix }) => fix?.effect !== undefined);
  assert.deepEqual(removing.map(({ kind, path }) => [kind, path]).sort(), [
    ['duplicate', 'Other/b.md'],
    ['stub', 'Other/empty.md'],
  ]);
});
