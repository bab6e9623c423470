import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { at, get, put, storageParts, tree } from '../../../test/support/notes/notes-storage.ts';
import { contentHash } from '../files/content-hash.ts';
import { Directory } from '../files/directory.ts';
import { OwnWrites } from '../files/own-writes.ts';
import type { Transaction } from './change-types.ts';

const bytes = (text: string): Buffer => Buffer.from(text);

test('64 parallel appends give 64 lines', async (t) => {
  const { root, changes } = await storageParts(t);
  await put(root, 'log.md', '');
  const appended = await Promise.all(
    Array.from({ length: 64 }, (_, line) =>
      changes.run({ tool: 'note_edit', scope: [at('log.md')] }, async (tx) => {
        const note = await tx.read(at('log.md'));
        await tx.write(at('log.md'), Buffer.concat([note.bytes, bytes(`line ${line}\n`)]));
      }),
    ),
  );
  const lines = (await get(root, 'log.md')).trimEnd().split('\n');
  assert.equal(new Set(lines).size, 64);
  assert.equal(new Set(appended.map(({ changeId }) => changeId)).size, 64);
  assert.deepEqual(await tree(root), ['log.md']);
});

test('a hash that is not the note’s is hash_mismatch with the difference', async (t) => {
  const { root, changes, seen } = await storageParts(t);
  await put(root, 'a.md', 'old');
  seen.add(contentHash(bytes('old')), bytes('old'));
  await put(root, 'a.md', 'from outside');
  const write = changes.run({ tool: 'note_write', scope: [at('a.md')] }, (tx) =>
    tx.write(at('a.md'), bytes('new'), contentHash(bytes('old'))),
  );
  await assert.rejects(write, {
    code: 'hash_mismatch',
    data: {
      path: 'a.md',
      content_hash: contentHash(bytes('from outside')),
      difference: '-old\n+from outside',
    },
  });
  assert.equal(await get(root, 'a.md'), 'from outside');
});

const BETWEEN: [string, (root: string, text: string) => Promise<void>][] = [
  ['written in place', (root, text) => writeFile(join(root, 'a.md'), text)],
  [
    'replaced',
    async (root, text) => {
      await rm(join(root, 'a.md'));
      await writeFile(join(root, 'a.md'), text);
    },
  ],
];
for (const [how, meanwhile] of BETWEEN) {
  test(`an edit from outside in every attempt (${how}) is kept and hash_mismatch`, async (t) => {
    const { root, changes } = await storageParts(t);
    await put(root, 'a.md', 'old');
    await put(root, 'b.md', 'other');
    let attempt = 0;
    const run = changes.run({ tool: 'note_edit', scope: 'vault' }, async (tx) => {
      await tx.read(at('a.md'));
      await tx.write(at('b.md'), bytes('other, changed'));
      await tx.write(at('a.md'), bytes('new'));
      await meanwhile(root, `theirs ${++attempt}`);
    });
    const refusal = await run.catch((error) => error);
    const kept = `theirs ${attempt}`;
    assert.equal(refusal.code, 'hash_mismatch');
    assert.deepEqual(refusal.data, {
      path: 'a.md',
      content_hash: contentHash(bytes(kept)),
      difference: `-theirs ${attempt - 1}\n+${kept}`,
    });
    assert.equal(await get(root, 'a.md'), kept);
    assert.equal(await get(root, 'b.md'), 'other');
    assert.deepEqual(await tree(root), ['a.md', 'b.md']);
  });
}

test('a note whose change fails after it is in place is reported to the watcher', async (t) => {
  const own = new OwnWrites();
  const forgotten: string[] = [];
  own.onForget((path) => forgotten.push(path));
  const { root, changes, journal } = await storageParts(t, { own });
  await put(root, 'a.md', 'old');
  const end = journal.end.bind(journal);
  let [attempt, failed] = [0, ''];
  const run = changes.run({ tool: 'note_edit', scope: [at('a.md')] }, async (tx) => {
    await tx.write(at('a.md'), bytes('ours'));
    attempt++;
    // A note that an editor keeps replacing is put in place before the journal is durable.
    if (attempt <= 5) await writeFile(join(root, 'a.md'), `theirs ${attempt}`);
    else {
      journal.end = async (id, outcome, durable) => {
        failed = id;
        await end(id, outcome, durable);
        throw new Error('the disk is full');
      };
    }
  });
  await assert.rejects(run, /the disk is full/);
  assert.equal(await get(root, 'a.md'), 'ours');
  assert.deepEqual(forgotten.slice(-1), ['a.md']);
  assert.equal(journal.isOpen(failed), false);
});

test('a file that appears at the path of a new note is left alone', async (t) => {
  const { root, changes } = await storageParts(t);
  const run = changes.run({ tool: 'note_create', scope: [at('x/a.md')] }, async (tx) => {
    await tx.create(at('x/a.md'), bytes('ours'));
    await put(root, 'x/a.md', 'theirs');
  });
  await assert.rejects(run, { code: 'note_exists' });
  assert.equal(await get(root, 'x/a.md'), 'theirs');
  assert.deepEqual(await tree(root), ['x/a.md']);
});

test('a change that fails half-way leaves every note and folder as it was', async (t) => {
  const own = new OwnWrites();
  const forgotten: string[] = [];
  own.onForget((path) => forgotten.push(path));
  const { root, changes } = await storageParts(t, { own });
  await put(root, 'a.md', 'a');
  await put(root, 'b.md', 'b');
  await put(root, 'f/c.md', 'c');
  const run = changes.run({ tool: 'note_merge', scope: 'vault' }, async (tx) => {
    await tx.write(at('a.md'), bytes('a2'));
    await tx.move(at('b.md'), at('new/folder/b.md'));
    await tx.moveFolder(at('f'), at('g/f'));
    await tx.remove(at('a.md'));
    await tx.create(at('z.md'), bytes('z'));
    await put(root, 'z.md', 'theirs');
  });
  await assert.rejects(run, { code: 'note_exists' });
  assert.deepEqual(await tree(root), ['a.md', 'b.md', 'f/c.md', 'z.md']);
  assert.equal(await get(root, 'a.md'), 'a');
  assert.deepEqual((await readdir(root)).sort(), ['.notes', 'a.md', 'b.md', 'f', 'z.md']);
  assert.deepEqual(
    forgotten.filter((path) => !path.startsWith('.')).toSorted(),
    ['a.md', 'b.md', 'f', 'f/c.md', 'g/f/c.md', 'new/folder/b.md'],
    'what it had written is left to the watcher',
  );
});

test('a dry run tells what it would do and writes nothing', async (t) => {
  const { root, changes } = await storageParts(t);
  await put(root, 'a.md', 'a');
  const { changeId, files } = await changes.run(
    { tool: 'note_edit', scope: [at('a.md')], dryRun: true },
    (tx) => tx.write(at('a.md'), bytes('b')),
  );
  assert.equal(changeId, null);
  assert.equal(files[0]?.after?.toString(), 'b');
  assert.equal(await get(root, 'a.md'), 'a');
  assert.deepEqual(await readdir(join(root, '.notes/journal')), []);
});

test('the mode of a note stays as it was', async (t) => {
  const { root, changes } = await storageParts(t);
  await put(root, 'a.md', 'a');
  await chmod(join(root, 'a.md'), 0o640);
  await changes.run({ tool: 'x', scope: [at('a.md')] }, (tx) => tx.write(at('a.md'), bytes('b')));
  assert.equal((await stat(join(root, 'a.md'))).mode & 0o777, 0o640);
});

test('a change of the whole vault runs alone', async (t) => {
  const { root, changes } = await storageParts(t);
  await put(root, 'a.md', '0');
  const increment = async (tx: Transaction): Promise<void> => {
    const { bytes: read } = await tx.read(at('a.md'));
    await tx.write(at('a.md'), bytes(String(Number(read) + 1)));
  };
  await Promise.all(
    Array.from({ length: 30 }, (_, i) =>
      changes.run({ tool: 'x', scope: i % 3 === 0 ? 'vault' : [at('a.md')] }, increment),
    ),
  );
  assert.equal(await get(root, 'a.md'), '30');
});

test('a listener sees the bytes that were written and cannot fail the write', async (t) => {
  const { root, changes, lines } = await storageParts(t);
  const told: string[] = [];
  changes.onChange(({ files }) => {
    told.push(String(files[0]?.after));
    throw new Error('the index is broken');
  });
  await changes.run({ tool: 'x', scope: [at('a.md')] }, (tx) => tx.create(at('a.md'), bytes('a')));
  assert.deepEqual(told, ['a']);
  assert.equal(await get(root, 'a.md'), 'a');
  assert.match(lines.join(''), /the index is broken/);
});

test('creation treats names that differ only in case or composition as one name', async (t) => {
  const { root, changes } = await storageParts(t);
  await put(root, 'Foo.md', 'x');
  await put(root, 'cafe\u0301.md', 'decomposed');
  await put(root, 'Ordner/x.md', 'x');
  const create = (path: string) =>
    changes.run({ tool: 'x', scope: [at(path)] }, (tx) => tx.create(at(path), bytes('new')));
  for (const path of ['foo.md', 'FOO.md', 'caf\u00e9.md', 'CAF\u00c9.md']) {
    await assert.rejects(create(path), { code: 'note_exists' }, path);
  }
  await assert.rejects(create('ordner/y.md'), { code: 'path_invalid' });
  const { files } = await changes.run({ tool: 'x', scope: [at('caf\u00e9.md')] }, (tx) =>
    tx.write(at('caf\u00e9.md'), bytes('written')),
  );
  assert.equal(files[0]?.path, 'cafe\u0301.md');
  assert.equal(await get(root, 'cafe\u0301.md'), 'written');
  const renamed = await changes.run({ tool: 'x', scope: 'vault' }, (tx) =>
    tx.move(at('Foo.md'), at('foo.md')),
  );
  assert.equal(renamed.value, 'foo.md');
  assert.deepEqual(await tree(root), ['Ordner/x.md', 'cafe\u0301.md', 'foo.md']);
});

test('a name of 255 bytes can be created, written, moved, removed and restored', async (t) => {
  const { root, changes } = await storageParts(t);
  const long = at(`${'é'.repeat(126)}.md`);
  const other = at(`${'ü'.repeat(126)}.md`);
  assert.equal(Buffer.byteLength(long), 255);
  await mkdir(join(root, 'x'));
  await changes.run({ tool: 'x', scope: [long] }, (tx) => tx.create(long, bytes('a')));
  await changes.run({ tool: 'x', scope: [long] }, (tx) => tx.write(long, bytes('b')));
  await changes.run({ tool: 'x', scope: 'vault' }, (tx) => tx.move(long, other));
  const { value } = await changes.run({ tool: 'x', scope: [other] }, (tx) => tx.remove(other));
  await changes.run({ tool: 'x', scope: 'vault' }, (tx) => tx.restore(value));
  assert.equal(await get(root, other), 'b');
});

test('a folder in which a file was replaced is synced where it lies after it has moved', async (t) => {
  const { root, changes } = await storageParts(t);
  await put(root, 'f/deep/a.md', 'a');
  const synced = new Set<string>();
  const { sync } = Directory.prototype;
  t.mock.method(Directory.prototype, 'sync', function (this: Directory) {
    synced.add(this.folder);
    return sync.call(this);
  });
  await changes.run({ tool: 'x', scope: 'vault' }, async (tx) => {
    await tx.moveFolder(at('f'), at('g/f'));
    await tx.write(at('g/f/deep/a.md'), Buffer.from('a2'));
  });
  assert.equal(await get(root, 'g/f/deep/a.md'), 'a2');
  for (const folder of ['', 'g', 'g/f/deep']) assert.ok(synced.has(folder), `"${folder}"`);
});
