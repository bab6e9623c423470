import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, put, storageParts } from '../../../test/support/notes/notes-storage.ts';
import { readChange } from './journal-segments.ts';
import { newestChanges, writtenBy } from './newest-changes.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

test('changes are told newest first, from any change on, and found by their ids alone', async (t) => {
  const { root, changes } = await storageParts(t);
  const ids: string[] = [];
  for (const name of ['a.md', 'b.md', 'c.md']) {
    const request = { tool: 'note_create', scope: [at(name)] };
    const done = await changes.run(request, (tx) => tx.create(at(name), bytes(name)));
    ids.unshift(done.changeId!);
  }
  const told = async (before?: string) => {
    const found = [];
    for await (const { id } of newestChanges(root, before)) found.push(id);
    return found;
  };
  assert.deepEqual(await told(), ids);
  assert.deepEqual(await told(ids[0]), ids.slice(1));
  assert.deepEqual(await told(ids[2]), []);
  assert.equal((await readChange(root, ids[1]!))?.id, ids[1]);
  const forged = [`${ids[1]!.slice(0, -8)}00000000`, '9-0-00000000', '1-zzzzzzzz-00000000', '..'];
  for (const id of forged) assert.equal(await readChange(root, id), undefined, id);
});

test('a change that was rolled back is not told', async (t) => {
  const { root, journal } = await storageParts(t);
  const operation = { kind: 'write', path: 'a.md', afterHash: 'h' } as const;
  const begun = { tool: 'note_write', git: false, operations: [operation], folders: [] };
  const done = await journal.begin(begun);
  await journal.end(done, 'done', true);
  const reverted = await journal.begin(begun);
  await journal.end(reverted, 'reverted', true);
  const told = [];
  for await (const { id } of newestChanges(root)) told.push(id);
  assert.deepEqual(told, [done]);
});

test('what a change wrote is found in the file, in a later change, and in the trash', async (t) => {
  const { root, changes } = await storageParts(t);
  await put(root, 'note.md', 'one');
  const write = (text: string) =>
    changes.run({ tool: 'note_write', scope: [at('note.md')] }, (tx) =>
      tx.write(at('note.md'), bytes(text)),
    );
  const [two, three] = [await write('two'), await write('three')];
  const found = async (id: string | null) => {
    const record = (await readChange(root, id!))!;
    return [...(await writtenBy(root, [record])).values()].map(String);
  };
  assert.deepEqual([await found(two.changeId), await found(three.changeId)], [['two'], ['three']]);
  await changes.run({ tool: 'note_delete', scope: [at('note.md')] }, (tx) =>
    tx.remove(at('note.md')),
  );
  assert.deepEqual(await found(three.changeId), ['three']);
  await put(root, 'other.md', 'one');
  const edited = await changes.run({ tool: 'note_write', scope: [at('other.md')] }, (tx) =>
    tx.write(at('other.md'), bytes('ours')),
  );
  await put(root, 'other.md', 'of an editor');
  assert.deepEqual(await found(edited.changeId), []);
});
