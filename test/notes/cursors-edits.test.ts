/** A caller works with each page before it asks for the next: no item is passed over for that. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { notesResources } from '../../src/notes/resources.ts';
import { recordingLog } from '../support/notes/notes-storage.ts';
import { type NotesBench, notesBench } from '../support/notes/notes-tools.ts';

const COUNT = 30;
const CALLER = { user: 'ada', incarnation: '1', clientId: 'test' };

function files(): Record<string, string> {
  const all: Record<string, string> = {};
  for (let n = 10; n < 10 + COUNT; n++) {
    const due = n % 3 === 0 ? ` 📅 2026-11-${n - 9 < 10 ? '0' : ''}${n - 9}` : '';
    all[`f${n}/n${n}.md`] =
      `# Title ${n}\n\n${'word '.repeat(n)}\n\n- [ ] task ${n}${due}\n#t${n}\n`;
  }
  return all;
}

/** Every item of a list, of which each page is dealt with before the next is asked for. */
async function dealtWith(
  bench: NotesBench,
  tool: string,
  args: object,
  list: string,
  deal: (item: { path: string; tag: string }) => Promise<unknown>,
): Promise<unknown[]> {
  const seen: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await bench.call(tool, { ...args, limit: 7, ...(cursor && { cursor }) });
    for (const item of page[list]) {
      seen.push(item.tag ?? item.path);
      await deal(item);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return seen;
}

const SORTS = ['path', 'title', 'modified', 'size', 'words'];
const LISTS: [tool: string, args: object, list: string][] = [
  ...SORTS.map((sort): [string, object, string] => ['note_list', { sort }, 'items']),
  ['task_list', { done: false }, 'tasks'],
  ['note_search', { query: 'task', mode: 'substring' }, 'hits'],
  ['vault_grep', { pattern: 'task' }, 'matches'],
];

describe('every item is seen once', () => {
  for (const [tool, args, list] of LISTS) {
    test(`${tool} ${JSON.stringify(args)}, where each note is deleted`, async (context) => {
      const bench = await notesBench(context, { files: files() });
      const seen = await dealtWith(bench, tool, args, list, ({ path }) =>
        bench.call('note_delete', { path }),
      );
      assert.deepEqual(seen.toSorted(), Object.keys(files()).toSorted());
    });
  }

  test('task_list, where each task is done', async (context) => {
    const bench = await notesBench(context, { files: files() });
    const seen = await dealtWith(bench, 'task_list', { done: false }, 'tasks', ({ path }) =>
      bench.call('task_toggle', { path, line: 5, done: true }),
    );
    assert.equal(new Set(seen).size, COUNT);
  });

  test('folders, where each is moved away', async (context) => {
    const bench = await notesBench(context, { files: files() });
    const seen = await dealtWith(bench, 'note_list', { kind: 'folder' }, 'items', ({ path }) =>
      path.startsWith('z') ? Promise.resolve() : bench.call('note_move', { path, to: `z/${path}` }),
    );
    assert.equal(seen.filter((path) => /^f\d+$/.test(String(path))).length, COUNT);
  });

  test('tag_list, where each tag is taken out', async (context) => {
    const bench = await notesBench(context, { files: files() });
    const seen = await dealtWith(bench, 'tag_list', {}, 'tags', ({ tag }) =>
      bench.put(`f${tag.slice(1)}/n${tag.slice(1)}.md`, 'none'),
    );
    assert.equal(new Set(seen).size, COUNT);
  });

  test('resources, where notes go between two pages', async (context) => {
    const many: Record<string, string> = {};
    for (let n = 1000; n < 1250; n++) many[`n${n}.md`] = 'x';
    const bench = await notesBench(context, { files: many });
    const { log } = recordingLog();
    const resources = notesResources({ vaults: bench.vaults, log, now: () => new Date() });
    const first = await resources.list(undefined, CALLER);
    for (const { name } of first.resources) await bench.call('note_delete', { path: name });
    const second = await resources.list(first.nextCursor, CALLER);
    assert.deepEqual(
      [first.resources[99]?.name, second.resources[0]?.name],
      ['n1099.md', 'n1100.md'],
    );
  });
});
