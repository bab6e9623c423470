/** Checks the data directory before anything in it is opened. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../core/config/problems.ts';
import type { NotesConfig } from './config.ts';
import { VAULT_PLACE } from './config-git.ts';
import { dataDirectoryProblem, vaultProblem } from './vaults/data-directory.ts';
import { dataWarnings, readDataFolders, vaultItselfProblem } from './vaults/data-folders.ts';

export interface DataReading {
  /** The existing vaults. */
  readonly vaults: readonly string[];
  /** The default vault; created if there is no vault. */
  readonly defaultVault: string;
  readonly problems: readonly Problem[];
  /** Files and folders that are in no vault. */
  readonly warnings: readonly Problem[];
}

export async function readData(config: NotesConfig): Promise<DataReading> {
  const { data, git, access } = config;
  const use = access.policy.readOnly ? 'read' : 'serve';
  const unusable = dataDirectoryProblem(data, use);
  if (unusable !== undefined) {
    return refused(config, unusable);
  }
  const folders = await readDataFolders(data);
  if (folders.isVault !== undefined) {
    return refused(config, vaultItselfProblem(data, folders.isVault));
  }
  const { vaults } = folders;
  const problems: Problem[] = vaults.flatMap((name) => {
    const message = vaultProblem(data, name, use);
    return message === undefined ? [] : [aboutData(message)];
  });
  const { remote } = git ?? {};
  if (remote !== undefined && vaults.length > 1 && !remote.includes(VAULT_PLACE)) {
    const message = `there are ${vaults.length} vaults, each of which needs its own remote; put ${VAULT_PLACE} where the name of the vault belongs`;
    problems.push({ file: 'environment', key: 'NOTES_GIT_REMOTE', message });
  }
  const defaultVault = chosenVault(config, vaults);
  const inItsPlace = vaults.includes(defaultVault ?? '') ? undefined : obstacle(config);
  if (inItsPlace !== undefined) {
    problems.push(aboutData(inItsPlace));
  } else if (defaultVault === undefined) {
    const message = `there is no vault "${config.defaultVault}" in ${data}; choose one of ${vaults.join(', ')}, or make that directory`;
    problems.push({ file: 'environment', key: 'NOTES_DEFAULT_VAULT', message });
  }
  const warnings = [...dataWarnings(data, folders)].map((message) => aboutData(message));
  return { vaults, defaultVault: defaultVault ?? config.defaultVault, problems, warnings };
}

function refused({ defaultVault }: NotesConfig, message: string): DataReading {
  return { vaults: [], defaultVault, problems: [aboutData(message)], warnings: [] };
}

function aboutData(message: string): Problem {
  return { file: 'environment', key: 'NOTES_DATA', message };
}

/** Something at the path of the default vault that is not a directory. */
function obstacle({ data, defaultVault }: NotesConfig): string | undefined {
  const path = join(data, defaultVault);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return undefined;
  const kind = found.isSymbolicLink() ? 'a symbolic link' : 'not a directory';
  return `${path} is ${kind}, but a vault is a directory; move the notes themselves there, or mount them`;
}

/** The first vault by name if none is configured and there is no vault `default`. */
function chosenVault(
  { defaultVault, isDefaultChosen }: NotesConfig,
  vaults: readonly string[],
): string | undefined {
  if (vaults.length === 0 || vaults.includes(defaultVault)) return defaultVault;
  return isDefaultChosen ? undefined : vaults[0];
}
