import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { openIndex } from './open-index.ts';
import { DamagedIndex, type Migration, migrations, openForWriting } from './schema.ts';

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
