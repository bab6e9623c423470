import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { openIndex } from './index-writer-connection.ts';
import { type Migration, migrations } from './migrations.ts';
import { DamagedIndex, openForWriting, SECTIONS_PER_NOTE } from './schema.ts';

const directory = mkdtempSync(join(tmpdir(), 'index-schema-'));
after(() => rmSync(directory, { recursive: true }));

function filled(name: string): string {
  const file = join(directory, name);
  const database = openForWriting(file);
  database.exec(
    `INSERT INTO files (path, kind, depth, size, mtime_ms, indexed_ms, hash)
      VALUES ('a.md', 'note', 0, 1, 5, 9, 'abc')`,
  );
  database.close();
  return file;
}

function rowAfter(file: string, added: Migration): Record<string, unknown> {
  const database = openForWriting(file, [...migrations, added]);
  const row = { ...database.prepare('SELECT * FROM files').get() };
  database.close();
  return row;
}

describe('versions of the index', () => {
  test('a migration that knows its values leaves what was indexed as it was', () => {
    const sql = 'ALTER TABLE files ADD COLUMN extra INTEGER DEFAULT 7';
    const row = rowAfter(filled('kept.db'), { sql, needsReindexing: false });
    assert.deepEqual([row.extra, row.mtime_ms, row.hash], [7, 5, 'abc']);
  });

  test('a migration that does not has every file read again, also after a crash', () => {
    const sql = 'ALTER TABLE files ADD COLUMN extra INTEGER';
    const row = rowAfter(filled('again.db'), { sql, needsReindexing: true });
    assert.deepEqual([row.mtime_ms, row.hash], [-1, null]);
  });

  test('an index from before files were marked as linked learns which are', () => {
    const file = join(directory, 'unmarked.db');
    const before = openForWriting(file, migrations.slice(0, 2));
    before.exec(`
      INSERT INTO files (id, path, kind, depth, size, mtime_ms, indexed_ms) VALUES
        (1, 'from.md', 'note', 0, 1, 5, 9), (2, 'to.md', 'note', 0, 1, 5, 9),
        (3, 'alone.md', 'note', 0, 1, 5, 9), (4, 'itself.md', 'note', 0, 1, 5, 9);
      INSERT INTO links (source, place, line, kind, target, key, destination) VALUES
        (1, 0, 1, 'wiki', 'to', 'to', 2), (1, 1, 1, 'wiki', 'nowhere', 'nowhere', NULL),
        (4, 0, 1, 'wiki', '', '', 4);
    `);
    before.close();
    const database = openForWriting(file);
    const linked = database.prepare('SELECT path FROM files WHERE linked = 1 ORDER BY id').all();
    assert.deepEqual(
      linked.map(({ path }) => path),
      ['from.md', 'to.md'],
    );
    database.close();
  });

  test('sections that have ids of an earlier version are gone, and their files are read again', () => {
    const file = join(directory, 'former-ids.db');
    const before = openForWriting(file, migrations.slice(0, 4));
    before.exec(`
      INSERT INTO files (id, path, kind, depth, size, mtime_ms, indexed_ms, hash)
        VALUES (1, 'a.md', 'note', 0, 1, 5, 9, 'abc');
      INSERT INTO sections VALUES (1048576, 1, '[]', 0, 'former');
      INSERT INTO sections_fts (rowid, title, heading, body) VALUES (1048576, 'a', '', 'former');
    `);
    before.close();
    const database = openForWriting(file);
    const found = `SELECT count(*) AS n FROM sections_fts WHERE sections_fts MATCH 'former'`;
    assert.equal(database.prepare(found).get()?.n, 0);
    assert.equal(database.prepare('SELECT count(*) AS n FROM sections').get()?.n, 0);
    assert.equal(database.prepare('SELECT mtime_ms FROM files').get()?.mtime_ms, -1);
    database.close();
  });

  test('a failing migration leaves the version it found', () => {
    const file = filled('failing.db');
    assert.throws(() => rowAfter(file, { sql: 'NONSENSE', needsReindexing: true }));
    const database = openForWriting(file);
    assert.equal(database.prepare('SELECT hash FROM files').get()?.hash, 'abc');
    database.close();
  });

  test('one that was changed by another hand and cannot be brought forward is no index of ours', () => {
    const file = join(directory, 'changed.db');
    const before = openForWriting(file, migrations.slice(0, 3));
    before.exec('DROP INDEX files_by_kind');
    before.close();
    assert.throws(() => openForWriting(file), DamagedIndex);
    const sql = openIndex(file);
    assert.equal(sql.get<{ n: number }>('SELECT count(*) AS n FROM files')?.n, 0);
    sql.close();
  });

  test('a disk that is full is no damage, and the index stays', () => {
    const file = filled('full.db');
    const sql = 'PRAGMA max_page_count = 1; CREATE TABLE more AS SELECT zeroblob(1000000)';
    const full: Migration = { sql, needsReindexing: false };
    assert.throws(
      () => openForWriting(file, [...migrations, full]),
      (error) => /full/.test(String(error)) && !(error instanceof DamagedIndex),
    );
    const database = openForWriting(file);
    assert.equal(database.prepare('SELECT hash FROM files').get()?.hash, 'abc');
    database.close();
  });

  test('a newer version, and one without its tables, are no index of ours', () => {
    const newer = filled('newer.db');
    const database = new DatabaseSync(newer);
    database.exec('PRAGMA user_version = 99');
    database.close();
    assert.throws(() => openForWriting(newer), DamagedIndex);
    const bare = join(directory, 'bare.db');
    const other = new DatabaseSync(bare);
    other.exec('PRAGMA user_version = 1');
    other.close();
    assert.throws(() => openForWriting(bare), DamagedIndex);
  });
});

/** As FTS5 lays them out: a table of so many slots, half full, the next free one for a taken one. */
function longestRun(slots: number, firstNote: number, sectionsPerNote: number): number {
  const taken = new Set<number>();
  for (let at = 0; taken.size < slots / 2; at++) {
    const note = firstNote + Math.floor(at / sectionsPerNote);
    let slot = (note * SECTIONS_PER_NOTE + (at % sectionsPerNote)) % slots;
    while (taken.has(slot)) slot = (slot + 1) % slots;
    taken.add(slot);
  }
  let longest = 0;
  for (let slot = 0, run = 0; slot < 2 * slots; slot++) {
    run = taken.has(slot % slots) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

test('deleted sections never pile up where FTS5 looks for them', () => {
  for (const slots of [64, 128, 256, 512]) {
    for (const sectionsPerNote of [1, 3, 5]) {
      const longest = longestRun(slots, 700, sectionsPerNote);
      assert.ok(longest <= 10, `${longest} of ${slots} with ${sectionsPerNote} a note`);
    }
  }
});
