/**
 * One vault: a directory of notes with its journal, its trash and, if enabled, its git history. All
 * writes of notes go through it; only the index reads files of a vault besides.
 */
import type { Log } from '../../core/log/log.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { DAY_MS } from '../../core/time.ts';
import type { ChangeListener, Changes } from '../changes/change-types.ts';
import { JournaledChanges } from '../changes/changes.ts';
import { Journal } from '../changes/journal.ts';
import { Trash } from '../changes/trash.ts';
import { OwnWrites } from '../files/own-writes.ts';
import { type Difference, SeenVersions } from '../files/seen-versions.ts';
import { asStorageError, noteNotFound, StorageError } from '../files/storage-error.ts';
import { readStoredFile, type StoredFile } from '../files/stored-file.ts';
import type { VaultPath } from '../files/vault-path.ts';
import { Git } from '../git/git.ts';
import { GitProcess } from '../git/git-process.ts';
import { type Author, hasRepository } from '../git/git-repository.ts';
import { History } from '../git/history.ts';
import { watchFolder } from '../watch/folder-watches.ts';
import { Watcher, type WatchListener } from '../watch/watcher.ts';
import { checkMayWrite, isWritable, NoChanges, type WritePolicy } from './write-policy.ts';

export interface GitSettings {
  readonly author: Author;
  readonly remote?: string | undefined;
  readonly token?: Secret | undefined;
}

export interface VaultOptions {
  readonly name: string;
  readonly root: string;
  readonly difference: Difference;
  readonly git?: GitSettings | undefined;
  readonly log: Log;
  readonly now?: () => number;
  readonly policy?: WritePolicy;
}

const INSTRUCTIONS = '.notes/instructions.md';
const MAX_INSTRUCTIONS_BYTES = 64 * 1024;
const GIT_RETRY_MS = 1000;
const DEBOUNCE_MS = 100;
const SWEEP_MS = 10_000;

/** The parts of a vault that is not read-only. */
interface WriteParts {
  readonly journal: Journal;
  readonly changes: JournaledChanges;
}

interface Parts {
  /** Absent if the vault is only read. */
  readonly written: WriteParts | undefined;
  readonly gitProcess: GitProcess | undefined;
  readonly trash: Trash;
  readonly seen: SeenVersions;
  readonly own: OwnWrites;
  readonly git: Git | undefined;
  readonly now: () => number;
}

export class Vault {
  readonly name: string;
  readonly root: string;
  readonly changes: Changes;
  readonly trash: Trash;
  readonly git: Git | undefined;
  readonly #parts: Parts;
  readonly #log: Log;
  readonly #daily: NodeJS.Timeout;

  private constructor({ name, root, log }: VaultOptions, parts: Parts) {
    this.name = name;
    this.root = root;
    this.changes = parts.written?.changes ?? new NoChanges();
    this.trash = parts.trash;
    this.git = parts.git;
    this.#parts = parts;
    this.#log = log;
    this.#daily = setInterval(() => this.#purge(), DAY_MS);
    this.#daily.unref();
  }

  /** Rolls back unfinished changes of an earlier process first, unless the vault is only read. */
  static async open(options: VaultOptions): Promise<Vault> {
    const { root, difference, log, now = Date.now, policy = {} } = options;
    try {
      const trash = new Trash(root, now);
      const common = { trash, seen: new SeenVersions(difference), own: new OwnWrites(), now };
      if (policy.readOnly === true || !isWritable(root)) {
        const hasHistory = options.git !== undefined && hasRepository(root);
        const gitProcess = hasHistory ? new GitProcess(root) : undefined;
        return new Vault(options, { ...common, written: undefined, git: undefined, gitProcess });
      }
      const journal = await Journal.open(root, now);
      const changes = new JournaledChanges({
        ...common,
        root,
        journal,
        git: options.git !== undefined,
        log,
        checkMayWrite: (path) => checkMayWrite(policy, path),
      });
      await changes.recover();
      const alone: JournaledChanges['alone'] = (work) => changes.alone(work);
      const place = { root, journal, alone, log, now, retryMs: GIT_RETRY_MS };
      const git = options.git && Git.open({ ...options.git, ...place });
      if (git !== undefined) changes.onChange((change) => git.commit(change));
      const written = { journal, changes };
      const vault = new Vault(options, { ...common, written, git, gitProcess: git?.process });
      await vault.#purge();
      return vault;
    } catch (error) {
      throw asStorageError(error);
    }
  }

  get isReadOnly(): boolean {
    return this.#parts.written === undefined;
  }

  /** Called with every change made through `changes`, whose answer waits for it. */
  onChange(listener: ChangeListener): void {
    this.#parts.written?.changes.onChange(listener);
  }

  /** Reports changes made by others from now on. */
  watch(listener: WatchListener): Promise<Watcher> {
    return Watcher.start({
      root: this.root,
      watchFolder,
      own: this.#parts.own,
      listener,
      log: this.#log,
      now: this.#parts.now,
      debounceMs: DEBOUNCE_MS,
      sweepMs: SWEEP_MS,
    });
  }

  async find(path: VaultPath): Promise<StoredFile | undefined> {
    try {
      const file = await readStoredFile(this.root, path);
      if (file !== undefined) this.#parts.seen.add(file.contentHash, file.bytes);
      return file;
    } catch (error) {
      throw asStorageError(error);
    }
  }

  async read(path: VaultPath): Promise<StoredFile> {
    const file = await this.find(path);
    if (file !== undefined) return file;
    throw noteNotFound(path);
  }

  /** The conventions of the vault, sent to clients when they connect. */
  async instructions(): Promise<string | undefined> {
    try {
      const { bytes } = (await readStoredFile(this.root, INSTRUCTIONS)) ?? {};
      if (bytes === undefined || bytes.length <= MAX_INSTRUCTIONS_BYTES) return bytes?.toString();
      const sizes = { bytes: bytes.length, max_bytes: MAX_INSTRUCTIONS_BYTES };
      this.#log.warn('instructions_cut', { vault: this.name, ...sizes });
      return beginningOf(bytes, MAX_INSTRUCTIONS_BYTES);
    } catch (error) {
      this.#log.warn('instructions_unreadable', { vault: this.name, message: String(error) });
      return undefined;
    }
  }

  get history(): History {
    const { gitProcess } = this.#parts;
    if (gitProcess !== undefined) return new History(gitProcess);
    throw new StorageError('versioning_off', 'git is off; set NOTES_GIT=true to keep a history');
  }

  /** Finishes and commits every requested change. */
  async close(): Promise<void> {
    clearInterval(this.#daily);
    const { written } = this.#parts;
    await written?.changes.idle();
    await this.git?.close();
    await written?.journal.close();
  }

  /** A failure is logged. */
  async #purge(): Promise<void> {
    const failed = (error: unknown) => {
      const { message } = asStorageError(error);
      this.#log.error('storage_problem', { vault: this.name, step: 'purge', message });
    };
    if (this.#parts.written === undefined) return;
    await this.#parts.written.journal.purge().catch(failed);
    const purged = await this.trash.purge(failed).catch(failed);
    if (purged) this.#log.info('trash_purged', { vault: this.name, notes: purged });
  }
}

/** The first bytes as text, without a partial character at the end. */
function beginningOf(bytes: Buffer, maxBytes: number): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return decoder.decode(bytes.subarray(0, maxBytes), { stream: true });
}
