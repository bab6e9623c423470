/** kill -9 at any moment: what was acknowledged is there, and nothing is half there. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  get,
  put,
  recordingLog,
  temporaryDirectory,
  tree,
  until,
} from '../../../test/support/notes/notes-storage.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import type { GitState } from '../git/git.ts';
import { Vault } from '../vaults/vault.ts';

const WRITER = fileURLToPath(
  new URL('../../../test/support/notes/writing-vault.ts', import.meta.url),
);
const ROUNDS = propertyRuns(12);

for (const git of ['git', 'no git']) {
  test(`${ROUNDS} times killed at a random moment, ${git}: every note is old or new`, async (t) => {
    const root = join(await temporaryDirectory(t), 'vault');
    await put(root, 'twin.md', '0\n\n0\n');
    await put(root, 'short-lived.md', '0\n\n0\n');
    await put(root, 'left/moved.md', '0\n\n0\n');
    await put(root, 'where.md', 'left');
    const acknowledged = new Map<string, number>();
    const changeIds: string[] = [];
    let rolledBack = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const start = Math.max(0, ...acknowledged.values()) + 10;
      const child = spawn(process.execPath, [WRITER, root, git, String(start)]);
      const lines = createInterface(child.stdout);
      lines.on('line', (line) => {
        const [kind, number, changeId] = line.split(' ');
        acknowledged.set(kind!, Number(number));
        changeIds.push(changeId!);
      });
      await once(lines, 'line');
      setTimeout(() => child.kill('SIGKILL'), randomInt(0, 150));
      await once(child, 'close');
      const { log, lines: logged } = recordingLog();
      const vault = await Vault.open({
        name: 'vault',
        root,
        difference: () => '',
        ...(git === 'git' && { git: { author: { name: 'n', email: 'n@localhost' } } }),
        log,
      });
      await until(async () => {
        await vault.git?.settled();
        return vault.git === undefined || isSettled(vault.git.state());
      });
      await vault.close();
      rolledBack += logged.filter((line) => line.includes('rolled back')).length;
      await checkNotes(root, acknowledged);
      if (git === 'git') checkHistory(root, changeIds);
    }
    t.diagnostic(`${changeIds.length} changes acknowledged, ${rolledBack} rolled back`);
  });
}

/** A git of the killed process may still be running and hold a lock for a moment. */
function isSettled({ head, pending, lastError }: GitState): boolean {
  return head !== null && pending === 0 && lastError === null;
}

async function checkNotes(root: string, acknowledged: Map<string, number>): Promise<void> {
  const where = await get(root, 'where.md');
  assert.deepEqual(
    await tree(root),
    [
      ...(await present(root, ['a.md', 'b/b.md'])),
      `${where}/moved.md`,
      'short-lived.md',
      'twin.md',
      'where.md',
    ].sort(),
  );
  const versions = new Map<string, number>();
  for (const path of await tree(root)) {
    if (path === 'where.md') continue;
    const content = await get(root, path);
    const [first, , last] = content.split('\n');
    assert.equal(first, last, `${path} is whole`);
    versions.set(path, Number(first));
  }
  for (const name of ['a.md', 'b/b.md']) {
    assert.ok((versions.get(name) ?? 0) >= (acknowledged.get(name) ?? 0), `${name} lost a write`);
  }
  assert.ok(versions.get('twin.md')! >= (acknowledged.get('many') ?? 0));
  assert.equal(versions.get('twin.md'), versions.get(`${where}/moved.md`));
  assert.equal(versions.get('twin.md'), versions.get('short-lived.md'));
}

function checkHistory(root: string, changeIds: readonly string[]): void {
  const run = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  assert.equal(run('status', '--porcelain'), '');
  run('fsck', '--strict');
  const trailers = run('log', '--format=%(trailers:key=Notes-Change,valueonly,separator=)');
  const committed = trailers.split('\n').filter((line) => line !== '');
  assert.equal(new Set(committed).size, committed.length, 'no change has two commits');
  const missing = changeIds.filter((id) => !committed.includes(id));
  assert.deepEqual(missing, [], 'every acknowledged change has its commit');
}

async function present(root: string, paths: string[]): Promise<string[]> {
  return paths.filter((path) => existsSync(join(root, path)));
}
