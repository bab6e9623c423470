import assert from 'node:assert/strict';
import { cp, readdir, readFile, rename, rm, truncate, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import {
  at,
  get,
  put,
  storageParts,
  temporaryDirectory,
} from '../../../test/support/notes/notes-storage.ts';
import { contentHash } from '../files/content-hash.ts';
import { Journal } from './journal.ts';
import {
  type BeginRecord,
  decodeRecord,
  encodeRecord,
  type JournalRecord,
} from './journal-record.ts';

const CHANGE = { tool: 't', git: false, operations: [], folders: [] };

function record(id: string, before: Uint8Array[]): BeginRecord {
  const operations = before.map((bytes, index) => ({
    kind: 'write' as const,
    path: `n"\n${index}.md`,
    before: Buffer.from(bytes),
    beforeHash: contentHash(bytes),
    afterHash: 'x',
  }));
  return {
    type: 'begin',
    id,
    at: '2026-11-15T12:00:00.000Z',
    tool: 't',
    git: true,
    operations,
    folders: ['a'],
  };
}

test('records are read back as they were, and one cut short anywhere counts as never written', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 3 }), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (changes, share) => {
        const records = changes.map((before, index) => record(`1-${index}-00000000`, before));
        const encoded = records.map(encodeRecord);
        const cut = Math.floor(Buffer.concat(encoded).length * share);
        const segment = Buffer.concat(encoded).subarray(0, cut);
        const read: JournalRecord[] = [];
        for (let next = decodeRecord(segment, 0); next; next = decodeRecord(segment, next.next)) {
          read.push(next.record);
        }
        let whole = 0;
        for (let end = encoded[0]!.length; end <= cut; end += encoded[++whole]?.length ?? Infinity);
        assert.deepEqual(read, records.slice(0, whole));
      },
    ),
  );
});

test('a change is found whole, long or short, and the rest of its segment is not read', async (t) => {
  const journal = await Journal.open(await temporaryDirectory(t), Date.now);
  t.after(() => journal.close());
  const sizes = [10, 70_000, 3_000_000, 10, 500_000];
  const ids: string[] = [];
  for (const size of sizes) {
    const { operations } = record('', [Buffer.alloc(size, `${size}`)]);
    ids.push(await journal.begin({ ...CHANGE, operations }));
  }
  for (const [index, size] of sizes.entries()) {
    const found = await journal.find(ids[index]!);
    const operation = found?.operations[0];
    assert.ok(operation?.kind === 'write' && operation.before);
    assert.deepEqual(operation.before, Buffer.alloc(size, `${size}`));
    assert.ok(operation.before.buffer.byteLength <= 4 * size + 70_000, `${size}`);
  }
});

test('a flipped bit in a record makes it unreadable, not wrong', () => {
  const whole = record('1-0-00000000', [Buffer.from('some content')]);
  const bytes = encodeRecord(whole);
  for (let index = 0; index < bytes.length - 1; index++) {
    const damaged = Buffer.from(bytes);
    damaged[index]! ^= 0x10;
    const read = decodeRecord(damaged, 0);
    if (read !== undefined) assert.deepEqual(read.record, whole, `byte ${index}`);
  }
});

const BIG = 3 * 1024 * 1024;

async function unfinished(t: TestContext, root: string): Promise<string[]> {
  const journal = await Journal.open(root, Date.now);
  t.after(() => journal.close());
  return (await journal.unfinished()).map(({ id }) => id);
}

test('a change begun in one segment is still known as unfinished after the next has begun', async (t) => {
  const root = await temporaryDirectory(t);
  const journal = await Journal.open(root, Date.now);
  t.after(() => journal.close());
  const { type: _type, id: _id, at: _at, ...change } = record('', [Buffer.alloc(BIG)]);
  const open = await journal.begin(change);
  for (let i = 0; i < 4; i++) await journal.end(await journal.begin(change), 'done', false);
  assert.ok((await readdir(join(root, '.notes/journal'))).length > 1);
  assert.deepEqual(await unfinished(t, root), [open]);
  await journal.end(open, 'done', true);
  assert.deepEqual(await unfinished(t, root), []);
});

test('a start that is killed while it ends what was begun leaves the rest to the next', async (t) => {
  const root = await temporaryDirectory(t);
  const journal = await Journal.open(root, Date.now);
  t.after(() => journal.close());
  const { type: _type, id: _id, at: _at, ...change } = record('', [Buffer.from('x')]);
  const older = await journal.begin(change);
  const newer = await journal.begin(change);
  const second = await Journal.open(root, Date.now);
  t.after(() => second.close());
  assert.deepEqual(
    (await second.unfinished()).map(({ id }) => id),
    [newer, older],
  );
  await second.end(newer, 'reverted', true);
  assert.deepEqual(await unfinished(t, root), [older]);
});

test('what was begun is known, too, after a segment that was made and not yet written', async (t) => {
  const root = await temporaryDirectory(t);
  const journal = await Journal.open(root, Date.now);
  t.after(() => journal.close());
  const { type: _type, id: _id, at: _at, ...change } = record('', [Buffer.from('x')]);
  const open = await journal.begin(change);
  await put(root, '.notes/journal/000002.journal', '');
  assert.deepEqual(await unfinished(t, root), [open]);
});

test('a segment whose end was cut off still gives the changes before it', async (t) => {
  const { root, changes, journal } = await storageParts(t);
  await put(root, 'a.md', 'a');
  const { changeId } = await changes.run({ tool: 'x', scope: [at('a.md')] }, (tx) =>
    tx.write(at('a.md'), Buffer.from('b')),
  );
  await changes.run({ tool: 'x', scope: [at('a.md')] }, (tx) =>
    tx.write(at('a.md'), Buffer.from('c')),
  );
  await journal.close();
  const segment = join(root, '.notes/journal/000001.journal');
  await truncate(segment, (await readFile(segment)).length - 70);
  const again = await storageParts(t, { root });
  await again.changes.recover();
  await put(root, 'a.md', 'b');
  await again.changes.undo(changeId!);
  assert.equal(await get(root, 'a.md'), 'a');
});

test('segments older than thirty days go, then the oldest of what is too much', async (t) => {
  let now = Date.now();
  const root = await temporaryDirectory(t);
  const journal = await Journal.open(root, () => now);
  t.after(() => journal.close());
  const segments = async (): Promise<string[]> => readdir(join(root, '.notes/journal'));
  const { type: _type, id: _id, at: _at, ...change } = record('', [Buffer.alloc(10)]);
  await journal.end(await journal.begin(change), 'done', true);
  now += 2 * 86_400_000;
  const second = await journal.begin(change);
  await journal.end(second, 'done', true);
  journal.reported(second);
  const old = new Date(now - 31 * 86_400_000);
  await utimes(join(root, '.notes/journal/000001.journal'), old, old);
  await journal.purge();
  assert.deepEqual((await segments()).length, 2, 'a change that is not told of is still needed');
  const restarted = await Journal.open(root, () => now);
  t.after(() => restarted.close());
  await restarted.purge();
  assert.deepEqual(await segments(), ['000002.journal']);
  for (let number = 3; number < 8; number++) {
    const name = `00000${number}.journal`;
    await put(root, `.notes/journal/${name}`, '');
    await truncate(join(root, `.notes/journal/${name}`), 100 * 1024 * 1024);
  }
  const full = await Journal.open(root, () => now);
  t.after(() => full.close());
  await full.purge();
  assert.deepEqual(await segments(), ['000006.journal', '000007.journal']);
});

test('what is too much goes when a segment is full, not only once a day', async (t) => {
  const root = await temporaryDirectory(t);
  for (let number = 3; number < 8; number++) {
    await put(root, `.notes/journal/00000${number}.journal`, '');
    await truncate(join(root, `.notes/journal/00000${number}.journal`), 100 * 1024 * 1024);
  }
  await truncate(join(root, '.notes/journal/000007.journal'), 300 * 1024 * 1024);
  const journal = await Journal.open(root, Date.now);
  t.after(() => journal.close());
  await journal.begin(CHANGE);
  const names = await readdir(join(root, '.notes/journal'));
  assert.deepEqual(names.sort(), ['000007.journal', '000008.journal']);
});

test('a journal that somebody removed is made anew', async (t) => {
  const { root, changes } = await storageParts(t);
  await put(root, 'a.md', 'a');
  const write = async (content: string): Promise<string> => {
    const run = await changes.run({ tool: 'x', scope: [at('a.md')] }, (tx) =>
      tx.write(at('a.md'), Buffer.from(content)),
    );
    return run.changeId!;
  };
  const lost = await write('b');
  await rm(join(root, '.notes'), { recursive: true });
  const kept = await write('c');
  await assert.rejects(changes.undo(lost), { code: 'undo_expired' });
  await changes.undo(kept);
  assert.equal(await get(root, 'a.md'), 'b');
});

const LATER: [string, (journal: Journal) => Promise<unknown>][] = [
  ['the next change', (journal) => journal.begin({ ...CHANGE, tool: 'next' })],
  ['the daily purge', (journal) => journal.purge()],
  ['the end of the server', (journal) => journal.close()],
];
for (const [when, happens] of LATER) {
  test(`an end that the disk refused is recorded with ${when}`, async (t) => {
    const { root, journal } = await storageParts(t);
    const id = await journal.begin(CHANGE);
    const folder = join(root, '.notes/journal');
    await cp(folder, join(root, 'copy'), { recursive: true });
    await rm(folder, { recursive: true });
    await put(root, '.notes/journal', 'no folder');
    await assert.rejects(journal.end(id, 'done', true));
    await rm(folder);
    await rename(join(root, 'copy'), folder);
    await happens(journal);
    const ends: string[] = [];
    for await (const entry of (await Journal.open(root, Date.now)).since({
      segment: 0,
      offset: 0,
    })) {
      if (entry.type === 'end') ends.push(entry.id);
    }
    assert.deepEqual(ends, [id]);
  });
}

test('a vault that is put in the place of the one that was opened gets the journal from then on', async (t) => {
  const { root, journal } = await storageParts(t);
  await journal.begin(CHANGE);
  await cp(join(root, '.notes'), join(root, 'copy'), { recursive: true });
  await put(root, 'copy/journal/000007.journal', 'of its own');
  await rename(join(root, '.notes'), join(root, 'old'));
  await rename(join(root, 'copy'), join(root, '.notes'));
  const id = await journal.begin(CHANGE);
  assert.equal((await journal.find(id))?.id, id);
  assert.equal(await get(root, '.notes/journal/000007.journal'), 'of its own');
});
