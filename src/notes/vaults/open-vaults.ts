/** All vaults of the data directory with their indexes, and the default vault. */
import type { Log } from '../../core/log/log.ts';
import type { Embeddings } from '../embeddings/embeddings.ts';
import { ToolActivity } from '../embeddings/tool-activity.ts';
import { StorageError } from '../files/storage-error.ts';
import { IndexWorkers } from '../index/workers/index-workers.ts';
import { FileChanges } from './file-changes.ts';
import { OpenVault } from './open-vault.ts';
import { namingVault, type VaultDefaults, Vaults } from './vaults.ts';
import type { WritePolicy } from './write-policy.ts';

export interface OpenVaultsOptions extends VaultDefaults {
  readonly data: string;
  /** Created when there is no vault at all. */
  readonly defaultVault: string;
  /** Shared threads, which the caller closes; by default own ones. */
  readonly workers?: IndexWorkers;
  /** Search by meaning, which is off without them; the caller closes them. */
  readonly embeddings?: Embeddings | undefined;
}

export class OpenVaults {
  readonly defaultName: string;
  readonly data: string;
  /** The tool calls of all vaults. */
  readonly activity = new ToolActivity();
  readonly fileChanges = new FileChanges();
  readonly policy: WritePolicy;
  readonly #embeddings: Embeddings | undefined;
  readonly #vaults: Vaults;
  readonly #workers: IndexWorkers;
  readonly #ownsWorkers: boolean;
  readonly #log: Log;
  readonly #opened = new Map<string, OpenVault>();

  private constructor(vaults: Vaults, options: OpenVaultsOptions) {
    const { data, defaultVault, workers, log, embeddings, policy = {} } = options;
    this.#embeddings = embeddings;
    this.#vaults = vaults;
    this.#workers = workers ?? new IndexWorkers();
    this.#ownsWorkers = workers === undefined;
    this.#log = log;
    this.data = data;
    this.policy = policy;
    this.defaultName = defaultVault;
  }

  /** The caller holds the data lock. If one vault cannot be opened, none stays open. */
  static async open(options: OpenVaultsOptions): Promise<OpenVaults> {
    const vaults = await Vaults.open(options.data, options);
    const all = new OpenVaults(vaults, options);
    try {
      if (vaults.names().length === 0) await vaults.create(options.defaultVault);
      for (const name of vaults.names()) await namingVault(name, () => all.#open(name));
      return all;
    } catch (error) {
      await all.close();
      throw error;
    }
  }

  names(): string[] {
    return [...this.#opened.keys()].sort();
  }

  /** Throws `vault_unknown`, which lists the vaults. */
  get(name: string = this.defaultName): OpenVault {
    const opened = this.#opened.get(name);
    if (opened !== undefined) return opened;
    this.#vaults.get(name);
    throw new StorageError('vault_unknown', 'the vault is being created; try again in a moment', {
      vault: name,
    });
  }

  /** Throws `vault_exists`, `vault_name_invalid` or `remote_needs_vault`. */
  async create(name: string, files: Readonly<Record<string, string>> = {}): Promise<OpenVault> {
    await this.#vaults.create(name, files);
    try {
      return await this.#open(name);
    } catch (error) {
      await this.#vaults.discard(name);
      throw error;
    }
  }

  /** Throws what `create` would throw. */
  checkNew(name: string): Promise<void> {
    return this.#vaults.checkNew(name);
  }

  async ready(): Promise<void> {
    await Promise.all([...this.#opened.values()].map((vault) => vault.ready()));
  }

  /** Finishes, commits and indexes every requested change. */
  async close(): Promise<void> {
    await this.#vaults.close();
    await Promise.all([...this.#opened.values()].map((vault) => vault.close()));
    if (this.#ownsWorkers) await this.#workers.close();
  }

  async #open(name: string): Promise<OpenVault> {
    const opened = await OpenVault.open(this.#vaults.get(name), {
      workers: this.#workers,
      log: this.#log,
      activity: this.activity,
      fileChanges: this.fileChanges,
      embeddings: this.#embeddings,
    });
    this.#opened.set(name, opened);
    return opened;
  }
}
