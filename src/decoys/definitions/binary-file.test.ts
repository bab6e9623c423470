import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type BinaryForm, binaryFile } from './binary-file.ts';
import { problemOfTables } from './sqlite-file.ts';

const FILES = [
  { name: 'site/.env', text: 'DB_PASSWORD=x\n' },
  { name: 'site/dump.sql', text: `${'-- dump\n'.repeat(200)}` },
];
const UNPACK: readonly (readonly [BinaryForm, string, readonly string[]])[] = [
  ['zip', 'python3', ['-m', 'zipfile', '-e', 'archive', '.']],
  ['tar', 'tar', ['-xf', 'archive']],
  ['tar.gz', 'tar', ['-xzf', 'archive']],
];

for (const [form, program, args] of UNPACK) {
  const isMissing = spawnSync(program, ['--version']).error !== undefined;
  test(`${program} unpacks ${form}`, { skip: isMissing && `${program} is not installed` }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'archive-'));
    try {
      writeFileSync(join(folder, 'archive'), binaryFile(form, FILES, Date.UTC(2026, 10, 15)));
      const { status, stderr } = spawnSync(program, [...args], { cwd: folder, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      for (const { name, text } of FILES) {
        assert.equal(readFileSync(join(folder, name), 'utf8'), text);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test('gz holds the first file', () => {
  assert.equal(gunzipSync(binaryFile('gz', FILES, 0)).toString(), FILES[0]!.text);
});

function opened(file: Buffer, use: (database: DatabaseSync) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'database-'));
  try {
    const path = join(folder, 'database');
    writeFileSync(path, file);
    const database = new DatabaseSync(path, { readOnly: true });
    use(database);
    database.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('SQLite opens a database, finds it whole, and has every row', () => {
  const rows = Array.from({ length: 400 }, (_, at) => `user${at}@x.internal,${'h'.repeat(60)},é"`);
  const users = { name: 'users', text: `email,hash,a "note"\n${rows.join('\n')}\n` };
  const keys = { name: 'api_keys', text: 'token\nhp_live_x\n' };
  opened(binaryFile('sqlite', [users, keys], 0), (database) => {
    assert.equal(database.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
    const found = database.prepare('SELECT * FROM users ORDER BY id').all();
    assert.deepEqual(
      found.map(({ id, email, hash, 'a "note"': note }) => [id, `${email},${hash},${note}`]),
      rows.map((row, at) => [at + 1, row]),
    );
    assert.equal(database.prepare('SELECT token FROM api_keys').get()?.token, 'hp_live_x');
  });
});

test('a database stays whole whatever its texts are', () => {
  const long = 'x'.repeat(20_000);
  const cases: readonly (readonly [text: string, rows: number])[] = [
    ['a', 0],
    ['a,b\n', 0],
    ['a\n\n\n', 0],
    [`a\n${long}\n`, 1],
    [`a,b\n${long},${long},${long}\n,\n\n`, 2],
    [`a,b\n${','.repeat(20_000)}\n`, 1],
    [`a\n${'\nx'.repeat(20_000)}\n`, 20_001],
  ];
  for (const [text, count] of cases) {
    opened(binaryFile('sqlite', [{ name: 'my table', text }], 0), (database) => {
      assert.equal(database.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
      assert.equal(database.prepare('SELECT * FROM "my table"').all().length, count);
    });
  }
});

test('the last column of a row holds what it has of commas', () => {
  opened(
    binaryFile('sqlite', [{ name: 't', text: 'a,b\n1,{"x": 1, "y": 2}\n' }], 0),
    (database) => {
      assert.deepEqual(
        { ...database.prepare('SELECT a, b FROM t').get() },
        { a: '1', b: '{"x": 1, "y": 2}' },
      );
    },
  );
});

test('tables that do not fit a first page are problems', () => {
  assert.equal(problemOfTables(['a,b\n', 'c\n']), '');
  assert.match(problemOfTables(['a\n', 'a\n', 'a\n', 'a\n']), /more than 3 tables/);
  assert.match(problemOfTables(['{{token}']), /must be its columns/);
  assert.match(problemOfTables([`${'a,'.repeat(40)}\n`]), /more than 32 columns/);
  assert.match(problemOfTables([`${'a'.repeat(400)}\n`]), /300 characters/);
});

test('a heap dump has records up to its end, and the texts of its objects', () => {
  const name = 'org.example.Settings';
  const dump = binaryFile('hprof', [{ name, text: 'db.password=hp_live_x\n# none\n' }], 1_000);
  assert.equal(dump.toString('latin1', 0, 19), 'JAVA PROFILE 1.0.2\0');
  assert.equal(dump.readUInt32BE(19), 8);
  assert.equal(dump.readBigUInt64BE(23), 1_000n);
  const tags: number[] = [];
  const names: string[] = [];
  let at = 31;
  while (at < dump.length) {
    const [tag, length] = [dump[at]!, dump.readUInt32BE(at + 5)];
    tags.push(tag);
    if (tag === 1) names.push(dump.toString('utf8', at + 17, at + 9 + length));
    at += 9 + length;
  }
  assert.equal(at, dump.length);
  assert.deepEqual(tags.slice(-2), [0x1c, 0x2c]);
  assert.ok(names.includes('org/example/Settings') && names.includes('java/lang/System'));
  assert.ok(dump.includes('db.password') && dump.includes('hp_live_x') && !dump.includes('# none'));
});

test('a folder of the Finder names what is in it, in order', () => {
  const text = 'index.php\n.env\nBackup.zip\nñandú\n';
  const file = binaryFile('ds_store', [{ name: 'names', text }], 0);
  assert.deepEqual([...file.subarray(0, 8)], [0, 0, 0, 1, ...Buffer.from('Bud1')]);
  const root = 4 + file.readUInt32BE(8);
  const addressOf = (block: number) => 4 + (file.readUInt32BE(root + 8 + 4 * block) & ~0x1f);
  const tree = addressOf(file.readUInt32BE(root + 8 + 4 * 256 + 9));
  let at = addressOf(file.readUInt32BE(tree)) + 4;
  const count = file.readUInt32BE(at);
  at += 4;
  const names: string[] = [];
  for (let record = 0; record < count; record++) {
    const end = at + 4 + 2 * file.readUInt32BE(at);
    names.push(
      Buffer.from(file.subarray(at + 4, end))
        .swap16()
        .toString('utf16le'),
    );
    assert.equal(file.toString('latin1', end, end + 8), 'Ilocblob');
    at = end + 12 + file.readUInt32BE(end + 8);
  }
  assert.deepEqual(names, ['.env', 'Backup.zip', 'index.php', 'ñandú']);
});

test('a folder with too many names keeps those that fit', () => {
  const text = Array.from({ length: 1_000 }, (_, at) => `name-${at}`).join('\n');
  const file = binaryFile('ds_store', [{ name: 'names', text }], 0);
  const count = file.readUInt32BE(4 + 0x1000 + 4);
  assert.ok(count > 50 && count < 200);
  assert.equal(file.readUInt32BE(4 + 0x20 + 8), count);
});
