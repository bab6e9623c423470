import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { gitVault, write } from '../../../test/support/notes/git-vault.ts';
import { at, temporaryDirectory } from '../../../test/support/notes/notes-storage.ts';
import type { AppliedChange } from '../changes/change-types.ts';
import { commitChanges, nextBatch } from './git-commit.ts';
import { type GitAnswer, type GitCall, GitFailure, GitProcess } from './git-process.ts';

const AUTHOR = { name: 'Ada', email: 'ada@localhost' };

/** Counts how many ask at once which paths are ignored, and lets one of them fail. */
class CountedGit extends GitProcess {
  failing: string | undefined;
  most = 0;
  #running = 0;

  override async ask(args: readonly string[], call: GitCall = {}): Promise<GitAnswer> {
    if (args[0] !== 'check-ignore') return super.ask(args, call);
    if (call.input?.toString() === `./${this.failing}\0`) throw new GitFailure(undefined, 'EMFILE');
    this.most = Math.max(this.most, ++this.#running);
    return super.ask(args, call).finally(() => this.#running--);
  }
}

test('of paths inside a submodule nothing is committed, of the others everything, whatever fails', async (t) => {
  const { root, git } = await gitVault(t, { files: { '.gitignore': 'ignored.md\n' } });
  git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD').trim()},sub`);
  const names = Array.from({ length: 20 }, (_, index) => `n${index}.md`);
  const files = ['sub/x.md', 'ignored.md', ...names].map((path) => ({
    path: at(path),
    after: Buffer.from(path),
  }));
  const change: AppliedChange = { changeId: '1-0-00000000', tool: 'many', files, gone: [] };
  const counted = new CountedGit(root);

  counted.failing = 'n7.md';
  await assert.rejects(commitChanges(counted, [change], AUTHOR, Date.now()), /EMFILE/);
  assert.equal(git('rev-list', '--count', 'HEAD').trim(), '1');

  counted.failing = undefined;
  await commitChanges(counted, [change], AUTHOR, Date.now());
  const committed = git('diff-tree', '-r', '--name-only', '--no-commit-id', 'HEAD');
  assert.deepEqual(committed.trim().split('\n').sort(), names.sort());
  assert.ok(counted.most <= 4, `${counted.most} at once`);
});

const MIB = 1024 * 1024;

/** Of files that share one piece of memory, however large they are. */
const memory = Buffer.alloc(32 * MIB);
function change(...mebibytes: number[]): AppliedChange {
  const files = mebibytes.map((size, index) => ({
    path: `${index}.md` as never,
    after: memory.subarray(0, size * MIB),
  }));
  return { changeId: 'x', tool: 'test', files, gone: [] };
}

const ROWS: [string, AppliedChange[], number][] = [
  ['nothing', [], 0],
  ['many small ones', Array.from({ length: 300 }, () => change(0)), 200],
  ['large ones, as many as fit', [change(32), change(16, 16), change(1)], 2],
  ['one that is too large, by itself', [change(32, 32, 32), change(0)], 1],
  ['one before another that is too large', [change(1), change(32, 32, 32)], 1],
];
for (const [what, queue, taken] of ROWS) {
  test(`a batch is ${what}`, () => {
    assert.deepEqual(nextBatch(queue), queue.slice(0, taken));
  });
}

test('a removal is committed in a repository with SHA-256 ids, and the work tree is clean', async (t) => {
  const root = await temporaryDirectory(t);
  execFileSync('git', ['init', '-q', '--object-format=sha256', root]);
  const { vault, git } = await gitVault(t, { root });
  await write(vault, 'a.md', 'a\n');
  await vault.git!.settled();
  await vault.changes.run({ tool: 'x', scope: 'vault' }, (tx) => tx.remove(at('a.md')));
  await vault.git!.settled();
  assert.equal(vault.git!.state().lastError, null);
  assert.equal(git('status', '--porcelain'), '');
  assert.equal(git('ls-files'), '');
});
