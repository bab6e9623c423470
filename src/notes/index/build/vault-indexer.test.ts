import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { dumpIndexFile } from '../../../../test/support/notes/index-dump.ts';
import { randomFrom, writeVault } from '../../../../test/support/notes/vault-generator.ts';
import { MAX_INDEXED_BYTES } from '../content/indexed-note.ts';
import { VaultIndexer } from './vault-indexer.ts';

/** To root no folder is shut. */
const NOBODY = 65534;

function vault(t: TestContext) {
  const base = mkdtempSync(join(tmpdir(), 'indexer-'));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'vault');
  mkdirSync(root);
  const open = (file = 'index.db') => {
    const indexer = new VaultIndexer(root, join(base, file), Date.now);
    t.after(() => indexer.close());
    return indexer;
  };
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  let fresh = 0;
  const rebuilt = async () => {
    const file = `fresh-${fresh++}.db`;
    await open(file).build(() => {});
    return dump(file);
  };
  const dump = (file = 'index.db') => dumpIndexFile(join(base, file));
  return { base, root, open, write, dump, rebuilt };
}

function skipped(file: string): Record<string, unknown> {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare('SELECT path, skipped FROM files').all();
  database.close();
  return Object.fromEntries(rows.map((row) => [row.path, row.skipped]));
}

describe('building an index from files', () => {
  test('every kind of hostile file is indexed, or skipped with its reason', async (t) => {
    const { root, base, open, write } = vault(t);
    write('binary.md', Buffer.from([35, 32, 0, 1, 2]));
    write('invalid.md', Buffer.from([35, 32, 0xff, 0xfe, 0xc3, 10, 119, 111, 114, 100]));
    write('one-line.md', 'word '.repeat(2 * 1024 * 1024));
    write('unbroken.md', 'x'.repeat(1024 * 1024));
    write('headings.md', '# h\n'.repeat(100_000));
    write(
      'nested.md',
      Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n'),
    );
    write(`${'n'.repeat(252)}.md`, 'a long name');
    write('large.md', '');
    truncateSync(join(root, 'large.md'), MAX_INDEXED_BYTES + 1);
    write('.hidden/secret.md', 'hidden');
    writeFileSync(join(base, 'outside.md'), 'outside');
    symlinkSync(join(base, 'outside.md'), join(root, 'link.md'));
    symlinkSync(base, join(root, 'linked-folder'));
    const indexer = open();
    await indexer.build(() => {});
    assert.deepEqual(skipped(join(base, 'index.db')), {
      'binary.md': 'it contains NUL bytes, as UTF-16 and binary files do',
      'invalid.md': null,
      'one-line.md': null,
      'unbroken.md': null,
      'headings.md': null,
      'nested.md': null,
      [`${'n'.repeat(252)}.md`]: null,
      'large.md': `too large: ${MAX_INDEXED_BYTES + 1} bytes, more than the ${MAX_INDEXED_BYTES} that are indexed`,
      'link.md': 'a symbolic link: links are not followed',
    });
    assert.deepEqual(indexer.counts(), { indexed: 6, onDisk: 9, skipped: 3 });
  });

  const SHUT = [0o000, 0o111, 0o444];
  test('a folder that may not be read is left out, and all others are indexed', (t) => {
    const { base, root, write } = vault(t);
    write('a.md', '# A');
    for (const mode of SHUT) write(`shut-${mode}/b.md`, '# B');
    write('z/c.md', '# C');
    const uid = process.getuid?.() === 0 ? NOBODY : undefined;
    if (uid !== undefined) for (const path of [base, root]) chownSync(path, uid, uid);
    const shut = (mode: number) => chmodSync(join(root, `shut-${mode}`), mode);
    const unshut = (mode: number) => chmodSync(join(root, `shut-${mode}`), 0o755);
    const program = `
      import { DatabaseSync } from 'node:sqlite';
      import { VaultIndexer } from ${JSON.stringify(import.meta.resolve('./vault-indexer.ts'))};
      const indexer = new VaultIndexer(${JSON.stringify(root)}, process.argv[1], Date.now);
      await indexer.build(() => {});
      indexer.close();
      const files = new DatabaseSync(process.argv[1]).prepare('SELECT path FROM files ORDER BY path');
      console.log(JSON.stringify(files.all().map(({ path }) => path)));`;
    const args = ['--input-type=module', '--eval', program, join(base, 'index.db')];
    SHUT.forEach(shut);
    let printed: string;
    try {
      const user = uid === undefined ? {} : { uid, gid: uid };
      printed = execFileSync(process.execPath, args, { encoding: 'utf8', ...user });
    } finally {
      SHUT.forEach(unshut);
    }
    assert.deepEqual(JSON.parse(printed), ['a.md', 'z/c.md']);
  });

  test('a build after changes on disk equals a rebuild, and reads only what changed', async (t) => {
    const { root, open, write, dump, rebuilt } = vault(t);
    writeVault(root, { notes: 60 });
    write('moved/in.md', '[[target]]');
    write('target.md', '# Target');
    const old = new Date(1_700_000_000_000);
    for (const path of ['moved/in.md', 'target.md']) utimesSync(join(root, path), old, old);
    const indexer = open();
    await indexer.build(() => {});
    renameSync(join(root, 'moved'), join(root, 'elsewhere'));
    unlinkSync(join(root, 'target.md'));
    write('other/target.md', '# Target, another');
    const result = await indexer.build(() => {});
    assert.equal(result.removed, 2);
    assert.deepEqual(dump(), await rebuilt());
  });

  test('a second write in the same moment and of the same length is not missed', async (t) => {
    const { root, open, write, dump } = vault(t);
    const indexer = open();
    write('a.md', 'first');
    const moment = new Date();
    utimesSync(join(root, 'a.md'), moment, moment);
    await indexer.build(() => {});
    write('a.md', 'other');
    utimesSync(join(root, 'a.md'), moment, moment);
    await indexer.build(() => {});
    const texts = dump().sections as { text: string }[];
    assert.deepEqual(
      texts.map(({ text }) => text),
      ['other'],
    );
  });

  test('files, folders and whole trees that come and go are taken in by name', async (t) => {
    const { root, open, write, dump, rebuilt } = vault(t);
    const indexer = open();
    write('a.md', '[[deep]] [[b]]');
    write('tree/one/deep.md', '# Deep');
    write('tree/two/b.md', '# B');
    await indexer.refresh(['a.md', 'tree']);
    assert.deepEqual(dump(), await rebuilt());
    renameSync(join(root, 'tree'), join(root, 'grown'));
    await indexer.refresh(['tree', 'grown']);
    assert.deepEqual(dump(), await rebuilt());
    rmSync(join(root, 'grown'), { recursive: true });
    await indexer.refresh(['grown']);
    assert.deepEqual(dump(), await rebuilt());
    assert.equal(indexer.counts().indexed, 1);
  });

  test('writes during a build are taken at once, and the end equals a rebuild', async (t) => {
    const { root, open, write, dump, rebuilt } = vault(t);
    writeVault(root, { notes: 300, seed: 3 });
    const indexer = open();
    const random = randomFrom(5);
    let steps = 0;
    await indexer.build(() => {
      const bytes = Buffer.from(`# Written ${steps}\n\n[[written ${random.below(steps + 1)}]]`);
      write(`written ${steps}.md`, bytes);
      indexer.upsert({ path: `written ${steps}.md`, size: bytes.length, mtimeMs: 1, bytes });
      steps++;
    });
    assert.ok(steps > 2);
    await indexer.build(() => {});
    assert.deepEqual(dump(), await rebuilt());
  });

  test('what a build read ahead never replaces what was written since', async (t) => {
    const { root, open, write, dump } = vault(t);
    const paths = Array.from({ length: 600 }, (_, number) => `${number}.md`);
    for (const path of paths) write(path, `# Before ${path}`);
    const indexer = open();
    let isRewritten = false;
    await indexer.build(({ indexed }) => {
      if (indexed === 0 || isRewritten) return;
      isRewritten = true;
      for (const path of paths) {
        const bytes = Buffer.from(`# After ${path}`);
        write(path, bytes);
        const { mtimeMs } = statSync(join(root, path));
        indexer.upsert({ path, size: bytes.length, mtimeMs, bytes });
      }
    });
    assert.ok(isRewritten);
    const titles = dump().files as { title: string }[];
    assert.deepEqual(
      titles.filter(({ title }) => !title.startsWith('After')),
      [],
    );
  });

  test('what a failed write takes back of a build is read again before the build ends', async (t) => {
    const { base, root, open, write, dump, rebuilt } = vault(t);
    writeVault(root, { notes: 300, seed: 6 });
    const indexer = open();
    const other = new DatabaseSync(join(base, 'index.db'));
    other.exec(`CREATE TRIGGER refuse BEFORE INSERT ON files WHEN new.path = 'refused.md'
      BEGIN SELECT RAISE(ABORT, 'refused'); END`);
    other.close();
    let refused: Promise<void> | undefined;
    await indexer.build(({ indexed }) => {
      if (indexed === 0 || refused) return;
      write('refused.md', 'refused');
      refused = assert
        .rejects(indexer.refresh(['refused.md']))
        .then(() => unlinkSync(join(root, 'refused.md')));
    });
    assert.ok(refused);
    await refused;
    assert.equal(indexer.counts().indexed, 300);
    assert.deepEqual(dump(), await rebuilt());
  });

  test('a build that was broken off goes on where it was', async (t) => {
    const { root, open, dump, rebuilt } = vault(t);
    writeVault(root, { notes: 400, seed: 4 });
    const first = open();
    let steps = 0;
    await first.build(() => {
      if (++steps === 2) first.close();
    });
    const second = open();
    const { indexed } = second.counts();
    assert.ok(indexed > 0 && indexed < 400, String(indexed));
    await second.build(() => {});
    assert.deepEqual(dump(), await rebuilt());
  });

  const damages: [name: string, damage: (file: string) => void][] = [
    ['no database', (file) => writeFileSync(file, 'this is not a database at all'.repeat(500))],
    ['a cut file', (file) => truncateSync(file, 8192)],
    ['an empty file', (file) => truncateSync(file, 0)],
    ['a removed file', (file) => unlinkSync(file)],
  ];
  for (const [name, damage] of damages) {
    test(`${name} is built anew`, async (t) => {
      const { root, base, open, dump, rebuilt } = vault(t);
      writeVault(root, { notes: 30 });
      const first = open('damaged.db');
      await first.build(() => {});
      first.close();
      damage(join(base, 'damaged.db'));
      const second = open('damaged.db');
      await second.build(() => {});
      assert.deepEqual(dump('damaged.db'), await rebuilt());
    });
  }
});
