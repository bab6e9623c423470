/** A vault under git in a temporary directory, and a remote to push to. */
import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitSettings, Vault } from '../../../src/notes/vaults/vault.ts';
import type { Cleaner } from '../programs/cleaner.ts';
import { at, put, recordingLog, temporaryDirectory } from './notes-storage.ts';

export const COMMIT_ID = /^[0-9a-f]{40}$/;
const AUTHOR = { name: 'Ada', email: 'ada@localhost' };

export interface GitVault {
  readonly vault: Vault;
  readonly root: string;
  readonly lines: string[];
  /** Runs git in the vault and gives what it writes. */
  git(...args: string[]): string;
}

/** Its history has begun. */
export async function gitVault(
  t: Cleaner,
  settings: { root?: string; files?: Record<string, string> } & Partial<GitSettings> = {},
): Promise<GitVault> {
  const { root = join(await temporaryDirectory(t), 'vault'), files = {}, ...git } = settings;
  await mkdir(root, { recursive: true });
  for (const [path, content] of Object.entries(files)) await put(root, path, content);
  const { log, lines } = recordingLog();
  const vault = await Vault.open({
    name: 'vault',
    root,
    difference: () => '',
    git: { author: AUTHOR, ...git },
    log,
  });
  t.after(() => vault.close());
  await vault.git!.settled();
  const run = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return { vault, root, lines, git: run };
}

/** Creates or writes a note and gives the id of the change. */
export async function write(vault: Vault, path: string, content: string): Promise<string> {
  const { changeId } = await vault.changes.run(
    { tool: 'note_edit', scope: [at(path)] },
    async (tx) => {
      if (await tx.find(at(path))) await tx.write(at(path), Buffer.from(content));
      else await tx.create(at(path), Buffer.from(content));
    },
  );
  return changeId!;
}

/** A directory with the empty repository `vault.git`, which takes pushes. */
export async function bareRemote(t: Cleaner): Promise<string> {
  const directory = await temporaryDirectory(t);
  execFileSync('git', ['init', '-q', '--bare', '--initial-branch=main', 'vault.git'], {
    cwd: directory,
  });
  execFileSync('git', ['config', 'http.receivepack', 'true'], {
    cwd: join(directory, 'vault.git'),
  });
  return directory;
}

export function remoteHead(directory: string): string {
  return execFileSync('git', ['rev-parse', 'main'], {
    cwd: join(directory, 'vault.git'),
    encoding: 'utf8',
  }).trim();
}
