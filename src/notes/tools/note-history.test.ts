import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { at, temporaryDirectory } from '../../../test/support/notes/notes-storage.ts';
import { type NotesBench, notesBench } from '../../../test/support/notes/notes-tools.ts';

const git = { author: { name: 'Ada', email: 'ada@example.org' } };
const HEX = /^[0-9a-f]{40}$/;

/** Returns when its commit is made, however slow the machine: a tool waits a moment only. */
async function commit(bench: NotesBench, path: string, text: string): Promise<string> {
  const changeId = await write(bench, path, text);
  await bench.open.vault.git?.settled();
  return changeId;
}

async function write({ open }: NotesBench, path: string, text: string): Promise<string> {
  const request = { tool: 'test', scope: [at(path)] };
  const { changeId } = await open.vault.changes.run(request, async (tx) => {
    if ((await tx.find(at(path))) === undefined) await tx.create(at(path), Buffer.from(text));
    else await tx.write(at(path), Buffer.from(text));
  });
  return changeId!;
}

async function remove({ open }: NotesBench, path: string): Promise<void> {
  await open.vault.changes.run({ tool: 'test', scope: [at(path)] }, (tx) => tx.remove(at(path)));
  await open.vault.git?.settled();
}

function ownGit({ data }: NotesBench, ...args: string[]): string {
  const identity = ['-c', 'user.name=Eve', '-c', 'user.email=eve@example.org'];
  const options = { cwd: join(data, 'default'), encoding: 'utf8', stdio: 'pipe' } as const;
  return execFileSync('git', [...identity, ...args], options).trim();
}

describe('note_history', () => {
  test('revisions of a note and of the vault, newest first, right after a write', async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': 'one\n', 'b.md': 'b\n' }, git });
    const changeId = await write(bench, 'a.md', 'two\n');
    let answer = await bench.call('note_history', { path: 'a' });
    // Git is given two seconds; on a machine that needs more, the answer says so.
    while (answer.pending > 0) answer = await bench.call('note_history', { path: 'a' });
    const { revisions, path } = answer;
    assert.equal(path, 'a.md');
    assert.equal(revisions.length, 2);
    const [{ commit: id, at: moment, ...newest }] = revisions;
    assert.match(id, HEX);
    assert.ok(!Number.isNaN(Date.parse(moment)));
    assert.deepEqual(newest, {
      author: 'Ada',
      subject: newest.subject,
      change_id: changeId,
      path: 'a.md',
    });
    assert.equal((await bench.call('note_history', { path: 'b' })).revisions.length, 1);
    assert.equal((await bench.call('note_history')).revisions.length, 2);
  });

  test('the difference between two revisions, since one, and of one change', async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': 'one\n' }, git });
    const first = await commit(bench, 'a.md', 'two\n');
    const second = await commit(bench, 'b.md', 'new\n');
    const { revisions } = await bench.call('note_history');
    const commits = revisions.map(({ commit }: { commit: string }) => commit);
    const both = await bench.call('note_history', { from: commits[2], to: commits[0] });
    assert.deepEqual([both.from, both.to], [commits[2], commits[0]]);
    assert.deepEqual(
      both.files.map((file: { path: string; status: string }) => [file.path, file.status]),
      [
        ['a.md', 'changed'],
        ['b.md', 'added'],
      ],
    );
    assert.match(both.files[0].diff, /^-one\n\+two$/m);
    const since = await bench.call('note_history', { from: first });
    assert.deepEqual([since.from, since.to, since.files.length], [commits[1], commits[0], 1]);
    const change = await bench.call('note_history', { to: second });
    assert.deepEqual([change.from, change.to], [commits[1], commits[0]]);
    const ofNote = await bench.call('note_history', {
      from: commits[2],
      to: commits[0],
      path: 'b',
    });
    assert.deepEqual([ofNote.path, ofNote.files.length], ['b.md', 1]);
    const begin = await bench.call('note_history', { to: commits[2] });
    assert.match(begin.files[0].diff, /^\+one$/m);
  });

  test('a change is found by its id after a restart, too', async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': 'one\n' }, git });
    const changeId = await commit(bench, 'a.md', 'two\n');
    const { to } = await bench.call('note_history', { to: changeId });
    await bench.vaults.close();
    const again = await notesBench(context, { data: bench.data, git });
    assert.equal((await again.call('note_history', { to: changeId })).to, to);
  });

  test('a note that moved keeps its history; a note that is gone has one', async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': 'one\ntwo\nthree\n' }, git });
    await bench.open.vault.git?.settled();
    const request = { tool: 'test', scope: 'vault' } as const;
    await bench.open.vault.changes.run(request, (tx) => tx.move(at('a.md'), at('x/b.md')));
    await bench.open.vault.git?.settled();
    const { revisions } = await bench.call('note_history', { path: 'x/b.md' });
    const paths = revisions.map(({ path }: { path: string }) => path);
    assert.deepEqual(paths, ['x/b.md', 'a.md']);
    const moved = await bench.call('note_history', { to: revisions[0].commit });
    assert.deepEqual(
      moved.files.map(({ diff: _, ...file }: { diff: string }) => file),
      [{ path: 'x/b.md', status: 'moved', from: 'a.md' }],
    );
    await remove(bench, 'x/b.md');
    assert.equal((await bench.call('note_history', { path: 'x/b.md' })).revisions.length, 3);
    const never = await bench.refusal('note_history', { path: 'never.md' });
    assert.equal(never.code, 'note_not_found');
  });

  test('the trash needs no git', async (context) => {
    let now = new Date('2026-11-15T10:00:00Z');
    const bench = await notesBench(context, {
      files: { 'a.md': 'first', 'f/b.md': 'second' },
      now: () => now,
    });
    await remove(bench, 'a.md');
    now = new Date('2026-11-15T11:00:00Z');
    await remove(bench, 'f/b.md');
    const { trash } = await bench.call('note_history', { deleted: true });
    const [{ trash_id, ...newest }, older] = trash;
    assert.ok(trash_id);
    assert.deepEqual(newest, {
      path: 'f/b.md',
      deleted_at: '2026-11-15T11:00:00.000Z',
      expires_at: '2026-12-15T11:00:00.000Z',
      bytes: 6,
    });
    assert.equal(older.path, 'a.md');
    for (const path of ['f', 'f/b', 'f/b.md']) {
      assert.equal((await bench.call('note_history', { deleted: true, path })).trash.length, 1);
    }
    const pages = await bench.call('note_history', { deleted: true, limit: 1 });
    const { cursor } = pages;
    const last = await bench.call('note_history', { deleted: true, limit: 1, cursor });
    assert.deepEqual([last.trash[0].path, last.cursor], ['a.md', undefined]);
    for (const args of [{}, { path: 'a' }, { from: 'f'.repeat(40) }, { deleted: false }]) {
      assert.equal((await bench.refusal('note_history', args)).code, 'versioning_off');
    }
  });

  test('what is hidden is in no difference, and neither is what came out of hiding', async (context) => {
    const bench = await notesBench(context, {
      files: { 'a.md': 'a\n', '.obsidian/keys.json': 'hidden-key-1\n' },
      git,
    });
    await bench.open.vault.git?.settled();
    const first = ownGit(bench, 'rev-parse', 'HEAD');
    await mkdir(join(bench.data, 'default/.private'));
    await writeFile(join(bench.data, 'default/.private/x.md'), 'hidden-key-2\n'.repeat(20));
    await writeFile(join(bench.data, 'default/.obsidian/keys.json'), 'hidden-key-3\n');
    ownGit(bench, 'add', '-A');
    ownGit(bench, 'commit', '-qm', 'by hand');
    const second = ownGit(bench, 'rev-parse', 'HEAD');
    ownGit(bench, 'mv', 'a.md', '.private/a.md');
    ownGit(bench, 'commit', '-qm', 'hidden');
    const third = ownGit(bench, 'rev-parse', 'HEAD');
    for (const args of [
      { to: first },
      { from: first, to: second },
      { to: second },
      { to: third },
    ]) {
      const answer = await bench.call('note_history', args);
      assert.ok(!JSON.stringify(answer).includes('hidden-key'), JSON.stringify(answer));
      assert.ok(!JSON.stringify(answer).includes('.private'), JSON.stringify(answer));
    }
    const gone = await bench.call('note_history', { to: third });
    assert.deepEqual([gone.files[0].path, gone.files[0].status], ['a.md', 'removed']);
    const { code } = await bench.refusal('note_history', { path: '.obsidian/keys.json' });
    assert.equal(code, 'path_hidden');
  });

  test('the history of a note that came out of hiding begins there', async (context) => {
    const text = 'one\ntwo\nthree\n';
    const bench = await notesBench(context, { files: { '.private/x.md': text }, git });
    await bench.open.vault.git?.settled();
    const hidden = ownGit(bench, 'rev-parse', 'HEAD');
    ownGit(bench, 'mv', '.private/x.md', 'x.md');
    ownGit(bench, 'commit', '-qm', 'by hand');
    const { revisions } = await bench.call('note_history', { path: 'x.md' });
    assert.deepEqual(
      revisions.map(({ subject, path }: { subject: string; path: string }) => [subject, path]),
      [['by hand', 'x.md']],
    );
    for (const tool of ['note_read', 'note_restore']) {
      const { code } = await bench.refusal(tool, { path: 'x.md', revision: hidden });
      assert.equal(code, 'revision_not_found', tool);
    }
  });

  test('pages of revisions and of a long difference are whole', async (context) => {
    const bench = await notesBench(context, { files: { 'a.md': 'x\n' }, git });
    for (let index = 0; index < 12; index++) await commit(bench, `n${index}.md`, `${index}\n`);
    const long = Array.from({ length: 3000 }, (_, index) => `line "${index}"\n`).join('');
    const changeId = await commit(bench, 'a.md', long);
    const commits: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await bench.call('note_history', { limit: 5, ...(cursor && { cursor }) });
      commits.push(...page.revisions.map(({ commit }: { commit: string }) => commit));
      cursor = page.cursor;
    } while (cursor !== undefined);
    assert.deepEqual([commits.length, new Set(commits).size], [14, 14]);
    let diff = '';
    do {
      const page = await bench.call('note_history', { to: changeId, ...(cursor && { cursor }) });
      assert.ok(JSON.stringify(page).length < 20_000);
      diff += page.files[0].diff;
      cursor = page.cursor;
    } while (cursor !== undefined);
    assert.equal(diff.match(/^\+line "\d+"$/gm)?.length, 3000);
    const files = new Set<string>();
    do {
      const args = { from: commits.at(-1), limit: 5, ...(cursor && { cursor }) };
      const page = await bench.call('note_history', args);
      assert.ok(JSON.stringify(page).length < 20_000);
      for (const { path } of page.files) files.add(path);
      cursor = page.cursor;
    } while (cursor !== undefined);
    assert.equal(files.size, 13);
  });

  test('names and revisions that look like options or patterns do nothing unusual', async (context) => {
    const names = ['-x.md', '--output=pwned.md', '*.md', ':(glob)a.md', '$(touch pwned).md'];
    const bench = await notesBench(context, {
      files: Object.fromEntries(names.map((name) => [name, 'x\n'])),
      git,
    });
    await bench.open.vault.git?.settled();
    for (const path of names) {
      const { revisions } = await bench.call('note_history', { path });
      assert.deepEqual([revisions.length, revisions[0].path], [1, path]);
    }
    const revisions = [
      ...['HEAD', '--output=pwned', '-1', 'main..HEAD', 'HEAD^', '', ':/x', '@{1}', '\0'],
      ...['0-1-deadbeef', '999999999-zzzzzzzz-00000000', 'f'.repeat(40)],
    ];
    for (const revision of revisions) {
      for (const args of [{ from: revision }, { to: revision }]) {
        const { code } = await bench.refusal('note_history', args);
        assert.equal(code, 'revision_not_found', revision);
      }
    }
    assert.ok(!bench.exists('pwned') && !bench.exists('pwned.md'));
  });

  test('wrong arguments are refused', async (context) => {
    const { refusal } = await notesBench(context, { files: { 'a.md': 'x' }, git });
    const far = Buffer.from('999999999').toString('base64url');
    const wrong: object[] = [
      ...[{ path: '' }, { deleted: 'yes' }, { limit: 0 }, { limit: 101 }, { cursor: 'x' }],
      ...[{ cursor: far }, { from: 'x'.repeat(65) }, { deleted: true, cursor: far }],
    ];
    for (const args of wrong) {
      assert.equal((await refusal('note_history', args)).code, 'invalid_arguments');
    }
  });
});

test('changes are selected by days, ranges and yesterday', async (context) => {
  const now = new Date();
  const data = await temporaryDirectory(context);
  const root = join(data, 'default');
  await mkdir(root, { recursive: true });
  const git = (args: readonly string[], daysAgo: number) => {
    const date = new Date(now.getTime() - daysAgo * 86_400_000).toISOString();
    const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a', ...args], { cwd: root, env });
  };
  git(['init', '-q', '-b', 'main'], 0);
  for (const daysAgo of [30, 10, 1]) {
    await writeFile(join(root, `${daysAgo}.md`), 'x\n');
    git(['add', '-A'], daysAgo);
    git(['commit', '-q', '-m', 'x'], daysAgo);
  }
  const author = { name: 'ada', email: 'ada@example.com' };
  const bench = await notesBench(context, { data, git: { author } });
  const changed = async (args: object) => {
    const { files } = await bench.call('note_history', args);
    const paths = files.map(({ path }: { path: string }) => path);
    return paths.filter((path: string) => path.endsWith('.md')).sort();
  };
  assert.deepEqual(await changed({ from: '7d' }), ['1.md']);
  assert.deepEqual(await changed({ from: '20d' }), ['1.md', '10.md']);
  assert.deepEqual(await changed({ from: '1y' }), ['1.md', '10.md', '30.md']);
  assert.deepEqual(await changed({ from: '20d', to: '5d' }), ['10.md']);
  assert.deepEqual(await changed({ from: 'yesterday', to: 'yesterday' }), ['1.md']);
  assert.equal((await bench.refusal('note_history', { from: 'soon' })).code, 'revision_not_found');
});
