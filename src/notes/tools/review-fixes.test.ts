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
  'copy.md': `---\nid: 2\n---\n\n# Original\n\n${LONG} three\n`,
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
  readonly fix?: { readonly tool: string; readonly arguments: object };
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

test('every fix of a review runs as it stands, and what it is for is gone then', async (context) => {
  const bench = await notesBench(context, { files: FILES });
  const { root, changes } = bench.open.vault;
  const before = await tree(root);
  const items = await reviewed(bench);
  const tools = new Set<string>();
  for (const { kind, path, detail, fix } of items) {
    if (fix === undefined) continue;
    tools.add(fix.tool);
    const about = `${kind} of ${path}: ${fix.tool} ${JSON.stringify(fix.arguments)}`;
    const answer = await bench.answer(fix.tool, fix.arguments);
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
    'task_toggle',
  ]);
  assert.deepEqual(await tree(root), before);
});
