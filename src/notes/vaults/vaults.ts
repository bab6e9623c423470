/**
 * The vaults of a data directory: each directory right below it whose name a vault may have. Links
 * and hidden directories are no vaults.
 */
import { mkdir, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describeError } from '../../core/log/log.ts';
import { syncFolders } from '../changes/steps.ts';
import { prepare } from '../files/atomic-write.ts';
import { Directory, makeParent, using } from '../files/directory.ts';
import { asStorageError, errorCode, StorageError } from '../files/storage-error.ts';
import { isVaultName, vaultNames } from './data-folders.ts';
import { Vault, type VaultOptions } from './vault.ts';

/** What all vaults have in common; the remote may hold `{vault}`, which stands for the name. */
export type VaultDefaults = Omit<VaultOptions, 'name' | 'root'>;

export class Vaults {
  readonly #data: string;
  readonly #defaults: VaultDefaults;
  readonly #vaults = new Map<string, Vault>();

  private constructor(data: string, defaults: VaultDefaults) {
    this.#data = data;
    this.#defaults = defaults;
  }

  /** Opens every vault there is, or leaves none open; the data directory is locked by then. */
  static async open(data: string, defaults: VaultDefaults): Promise<Vaults> {
    const vaults = new Vaults(await realpath(data), defaults);
    try {
      for (const name of await vaultNames(vaults.#data)) {
        await namingVault(name, () => vaults.#open(name));
      }
      return vaults;
    } catch (error) {
      await vaults.close();
      throw error;
    }
  }

  names(): string[] {
    return [...this.#vaults.keys()].sort();
  }

  get(name: string): Vault {
    const vault = this.#vaults.get(name);
    if (vault !== undefined) return vault;
    throw new StorageError('vault_unknown', 'there is no such vault; vault_list names them', {
      vault: name.slice(0, 100),
      vaults: this.names(),
    });
  }

  /** Refused with the reason for which no vault of that name can be made. */
  async checkNew(name: string): Promise<void> {
    if (!isVaultName(name)) {
      throw new StorageError(
        'vault_name_invalid',
        'a vault is named with 1 to 64 of a-z, 0-9, _ and -, and starts with a letter or digit',
        { name: name.slice(0, 100) },
      );
    }
    const remote = this.#defaults.git?.remote;
    if (this.#vaults.size > 0 && remote !== undefined && !remote.includes('{vault}')) {
      throw new StorageError(
        'remote_needs_vault',
        'a second vault needs a remote of its own; put {vault} into NOTES_GIT_REMOTE',
      );
    }
    await using(Directory.openRoot(this.#data), async (directory) => {
      if (directory.has(name)) throw exists(name);
    });
  }

  /** The files, by their paths below the vault, are there before it opens: its history has them. */
  async create(name: string, files: Readonly<Record<string, string>> = {}): Promise<Vault> {
    await this.checkNew(name);
    const root = join(this.#data, name);
    try {
      await mkdir(root, { mode: 0o700 });
    } catch (error) {
      throw errorCode(error) === 'EEXIST' ? exists(name) : asStorageError(error);
    }
    try {
      for (const [path, content] of Object.entries(files)) await putFile(root, path, content);
      await using(Directory.openRoot(this.#data), (directory) => directory.sync());
      return await this.#open(name);
    } catch (error) {
      // Half a vault would keep the name from being used at the next attempt.
      await rm(root, { recursive: true, force: true });
      throw asStorageError(error);
    }
  }

  /** Takes back a vault that was just created and turned out not to be usable. */
  async discard(name: string): Promise<void> {
    const vault = this.get(name);
    this.#vaults.delete(name);
    await vault.close();
    await rm(vault.root, { recursive: true, force: true });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#vaults.values()].map((vault) => vault.close()));
  }

  async #open(name: string): Promise<Vault> {
    const { git, ...defaults } = this.#defaults;
    const remote = git?.remote?.replaceAll('{vault}', name);
    const vault = await Vault.open({
      ...defaults,
      name,
      root: join(this.#data, name),
      ...(git && { git: { ...git, ...(remote !== undefined && { remote }) } }),
    });
    this.#vaults.set(name, vault);
    return vault;
  }
}

/** Of several vaults it must be told which one does not open. */
export async function namingVault<T>(name: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw new Error(`vault ${name}: ${describeError(error)}`, { cause: error });
  }
}

async function putFile(root: string, path: string, content: string): Promise<void> {
  const made: string[] = [''];
  await using(
    makeParent(root, path, (folder) => made.push(folder)),
    async (directory) => {
      await prepare(directory, basename(path), Buffer.from(content));
      await directory.sync();
    },
  );
  await syncFolders(root, made);
}

function exists(name: string): StorageError {
  return new StorageError('vault_exists', `"${name}" exists already; choose another name`);
}
