/** `canary`: makes a note a canary. A running server knows it within a second. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Output } from '../../core/command-line/output.ts';
import type { Environment } from '../../core/config/environment.ts';
import { describeError } from '../../core/log/log.ts';
import { addCanary } from '../canaries/canary-list.ts';
import { dataDirectory } from '../config.ts';
import { isNote, pathProblem } from '../files/vault-path.ts';
import { vaultNames } from '../vaults/data-folders.ts';

const USUAL_VAULT = 'default';

export async function canary(
  env: Environment,
  output: Output,
  path: string,
  vault = env.NOTES_DEFAULT_VAULT || USUAL_VAULT,
): Promise<number> {
  const data = dataDirectory(env);
  try {
    const names = await vaultNames(data);
    if (!names.includes(vault)) {
      throw new Error(`there is no vault ${vault} in ${data}; name one of: ${names.join(', ')}`);
    }
    const problem = pathProblem(path)?.message;
    if (problem !== undefined) throw new Error(`${path}: ${problem}`);
    const root = join(data, vault);
    if (!isNote(path) || !lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile()) {
      throw new Error(`${path} is no note of ${vault}; write it first, as a note that tempts`);
    }
    const isNew = await addCanary(root, path);
    output.out(`${path} of ${vault} is a canary${isNew ? '' : ' already'}`);
    return 0;
  } catch (error) {
    output.err(describeError(error));
    return 1;
  }
}
