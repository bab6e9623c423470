/** The vaults of a data directory: its direct subdirectories with a valid vault name, no links. */
import { mkdir, realpath, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describeError } from '../../core/log/log.ts';
import { syncFolders } from '../changes/steps.ts';
import { prepare } from '../files/atomic-write.ts';
import { Directory, makeParent } from '../files/directory.ts';
import { asStorageError, errorCode, StorageError } from '../files/storage-error.ts';
import { isVaultName, vaultNames } from './data-folders.ts';
import { Vault, type VaultOptions } from './vault.ts';

/** Options shared by all vaults; `{vault}` in the remote is replaced by the vault name. */
export type VaultDefaults = Omit<VaultOptions, 'name' | 'root'>;

export class Vaults {
  readonly #data: string;
  readonly #defaults: VaultDefaults;
  readonly #vaults = new Map<string, Vault>();

  private constructor(data: string, defaults: VaultDefaults) {
    this.#data = data;
    this.#defaults = defaults;
  }

  /** Opens every vault, or none. The caller holds the data lock. */
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

  /** Throws the reason why no vault of that name can be created. */
  async checkNew(name: string): Promise<void> {
    const { readOnly, folders } = this.#defaults.policy ?? {};
    if (readOnly || folders !== undefined) {
      const message =
        'no vault can be created here; NOTES_READONLY or NOTES_WRITE limits what is written';
      throw new StorageError('read_only', message);
    }
    if (!isVaultName(name)) {
      throw new StorageError(
        'vault_name_invalid',
        'a vault name has 1 to 64 of a-z, 0-9, _ and -, and starts with a letter or digit',
        { name: name.slice(0, 100) },
      );
    }
    const remote = this.#defaults.git?.remote;
    if (this.#vaults.size > 0 && remote !== undefined && !remote.includes('{vault}')) {
      throw new StorageError(
        'remote_needs_vault',
        'a second vault needs its own remote; put {vault} into NOTES_GIT_REMOTE',
      );
    }
    using data = Directory.openRoot(this.#data);
    if (data.has(name)) throw exists(name);
  }

  /** `files`, by vault path, are written before the vault opens, so its first commit has them. */
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
      using data = Directory.openRoot(this.#data);
      await data.sync();
      return await this.#open(name);
    } catch (error) {
      // A partial vault would block the name for the next attempt.
      await rm(root, { recursive: true, force: true });
      throw asStorageError(error);
    }
  }

  /** Removes a vault that was just created and cannot be used. */
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
      git: git && { ...git, remote },
    });
    this.#vaults.set(name, vault);
    return vault;
  }
}

/** Adds the vault name to an error of opening it. */
export async function namingVault<T>(name: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw new Error(`vault ${name}: ${describeError(error)}`, { cause: error });
  }
}

async function putFile(root: string, path: string, content: string): Promise<void> {
  const made: string[] = [''];
  using directory = makeParent(root, path, (folder) => made.push(folder));
  await prepare(directory, basename(path), Buffer.from(content));
  await directory.sync();
  await syncFolders(root, made);
}

function exists(name: string): StorageError {
  return new StorageError('vault_exists', `"${name}" exists already; choose another name`);
}
