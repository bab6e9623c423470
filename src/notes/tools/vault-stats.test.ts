import assert from 'node:assert/strict';
import { stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { at, until } from '../../../test/support/notes/notes-storage.ts';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

const author = { name: 'Ada', email: 'ada@example.org' };

describe('vault_stats', () => {
  test('counts, of the vault and of a folder, and how deep the notes lie', async (context) => {
    const { call } = await notesBench(context, {
      files: {
        'a.md': '# A\n\n[[b]] [[gone]] #tag\n- [ ] open\n- [x] done\n',
        'x/y/b.md': 'words here\n',
        'x/pic.png': 'p',
      },
    });
    const all = await call('vault_stats');
    assert.deepEqual(all.counts, {
      notes: 2,
      words: all.counts.words,
      bytes: 58,
      tags: 1,
      links: 2,
      broken_links: 1,
      orphans: 0,
      open_tasks: 1,
      attachments: 1,
    });
    assert.deepEqual(all.depth, { 0: 1, 2: 1 });
    assert.deepEqual(all.index, { state: 'ready', indexed: 2, on_disk: 2, skipped: 0 });
    assert.deepEqual([all.watcher.mode, all.git], ['events', { enabled: false }]);
    const below = await call('vault_stats', { prefix: 'x/' });
    assert.deepEqual([below.prefix, below.counts.notes, below.counts.words], ['x', 1, 2]);
  });

  test('notes that cannot be indexed are named with the reason', async (context) => {
    const { call, data, open } = await notesBench(context, {
      files: { 'nul.md': Buffer.from('a\0b'), 'a.md': 'x' },
    });
    await symlink('a.md', join(data, 'default/link.md'));
    await open.index.build();
    const { index } = await call('vault_stats');
    assert.deepEqual([index.indexed, index.skipped], [1, 2]);
    assert.deepEqual(
      index.skipped_notes.map(({ path, reason }: { path: string; reason: string }) => [
        path,
        reason.split(':')[0],
      ]),
      [
        ['link.md', 'a symbolic link'],
        ['nul.md', 'it contains NUL bytes, as UTF-16 and binary files do'],
      ],
    );
  });

  test('git that works, and a push that fails', async (context) => {
    const bench = await notesBench(context, {
      files: { 'a.md': 'x' },
      git: { author, remote: 'http://127.0.0.1:1/none.git' },
    });
    const { git } = bench.open.vault;
    await git?.settled();
    await until(() => git?.state().push === 'failing');
    const stats = await bench.call('vault_stats');
    assert.match(stats.git.head, /^[0-9a-f]{40}$/);
    assert.deepEqual(
      [stats.git.push, stats.git.unpushed, stats.git.last_push],
      ['failing', 1, null],
    );
    assert.match(stats.git.last_error, /./);
  });

  test('what lies in the trash', async (context) => {
    const { call, open } = await notesBench(context, {
      files: { 'a.md': 'four', 'b.md': 'fours' },
      now: () => new Date('2026-11-15T10:00:00Z'),
    });
    for (const path of ['a.md', 'b.md']) {
      await open.vault.changes.run({ tool: 'test', scope: [at(path)] }, (tx) =>
        tx.remove(at(path)),
      );
    }
    const { trash } = await call('vault_stats');
    assert.deepEqual(JSON.parse(JSON.stringify(trash)), {
      notes: 2,
      bytes: 9,
      oldest: '2026-11-15T10:00:00.000Z',
    });
  });

  test('a damaged index is reported, and then rebuilt', async (context) => {
    const { call, data, open } = await notesBench(context, { files: { 'a.md': 'x' } });
    const file = join(data, 'default/.notes/index.db');
    await writeFile(file, Buffer.alloc((await stat(file)).size, 0xaa), { flag: 'r+' });
    await writeFile(`${file}-wal`, '');
    const broken = await call('vault_stats');
    assert.equal(broken.counts, null);
    assert.match(broken.index.reason, /damaged/);
    assert.equal(broken.trash.notes, 0);
    await until(() => open.index.state().state === 'ready');
    assert.equal((await call('vault_stats')).counts.notes, 1);
  });

  test('wrong arguments are refused', async (context) => {
    const { refusal } = await notesBench(context);
    assert.equal((await refusal('vault_stats', { prefix: 1 })).code, 'invalid_arguments');
    assert.equal((await refusal('vault_stats', { vault: '../x' })).code, 'vault_unknown');
  });
});
