/** The index of one vault as the rest of the program sees it: queries, writes, builds and state. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BuildResult } from './build/vault-indexer.ts';
import { BuildRetry } from './build-retry.ts';
import type { GrepQuery } from './query/grep.ts';
import { readQuery } from './query/match-query.ts';
import type { ReplaceQuery } from './query/replace-plan.ts';
import { IndexError } from './store/index-error.ts';
import { WorkerError } from './threads/worker-link.ts';
import type { IndexPlace } from './threads/worker-protocol.ts';
import { VectorTables } from './vector-tables.ts';
import type { IndexWorkers } from './workers/index-workers.ts';
import type { ReadArgument, ReadOperations, ReadResult } from './workers/read-operations.ts';

export interface IndexState {
  /** `degraded`: the index could not be updated from the files, for `reason`. */
  readonly state: 'building' | 'ready' | 'degraded';
  /** Indexed notes, notes on disk, and notes that cannot be indexed. */
  readonly indexed: number;
  readonly onDisk: number;
  readonly skipped: number;
  readonly reason?: string;
}

export interface NoteIndexOptions extends IndexPlace {
  readonly workers: IndexWorkers;
  /** Called at every step of a build. */
  readonly onState?: (state: IndexState) => void;
  /** Called with a failure, for the log. */
  readonly onProblem?: (message: string, cause: unknown) => void;
}

interface Counts {
  readonly indexed: number;
  readonly onDisk: number;
  readonly skipped: number;
}

/** The counts at the start of a rebuild; `onDisk` stays. */
const NOTHING: Partial<Counts> = { indexed: 0, skipped: 0 };

/**
 * Queries see the last commit, also during a build; a write is committed when its promise resolves.
 * A damaged index file is removed and rebuilt automatically.
 */
export class NoteIndex {
  readonly vectors = new VectorTables(
    (step) => this.#repairing(() => this.#options.workers.write(this.#place, 'vectors', step)),
    (operation, argument) => this.#scan(operation, argument),
  );
  readonly #place: IndexPlace;
  readonly #options: NoteIndexOptions;
  #state: IndexState = { state: 'building', indexed: 0, onDisk: 0, skipped: 0 };
  #builds = 0;
  #repair: Promise<unknown> | undefined;
  readonly #retry = new BuildRetry(() => this.build());
  /** A build repairs only the failures from before its start. */
  #failures = 0;
  #lastFailure = '';

  private constructor(options: NoteIndexOptions) {
    this.#place = { root: options.root, file: options.file };
    this.#options = options;
    options.workers.onProgress(this.#place, ({ indexed, onDisk }) =>
      this.#set({ ...this.#state, indexed, onDisk }),
    );
  }

  /** Opens the index as it was left; `build` updates it from the files. */
  static async open(options: NoteIndexOptions): Promise<NoteIndex> {
    makeFolder(dirname(options.file));
    const index = new NoteIndex(options);
    const counts = await options.workers.write(index.#place, 'open', undefined);
    index.#set({ ...index.#state, ...countsOf(counts) });
    return index;
  }

  state(): IndexState {
    return this.#state;
  }

  /** Indexes what has changed on disk: at the start and at every sweep. */
  build(): Promise<BuildResult> {
    return this.#built(() => this.#options.workers.build(this.#place, 'build'));
  }

  /** Rebuilds the index from all files. */
  rebuild(): Promise<BuildResult> {
    return this.#built(() => this.#options.workers.build(this.#place, 'rebuild'), NOTHING);
  }

  async upsert(path: string, bytes: Uint8Array, mtimeMs: number): Promise<void> {
    const copy = new Uint8Array(bytes);
    const argument = { path, size: copy.byteLength, mtimeMs, bytes: copy };
    await this.#write(() =>
      this.#options.workers.write(this.#place, 'upsert', argument, [copy.buffer]),
    );
  }

  async remove(path: string): Promise<void> {
    await this.#write(() => this.#options.workers.write(this.#place, 'remove', path));
  }

  /** Indexes files and folders as they are on disk, or removes them. */
  async refresh(paths: readonly string[]): Promise<void> {
    await this.#write(() => this.#options.workers.write(this.#place, 'refresh', paths));
  }

  search(query: ReadArgument<'search'>): Promise<ReadResult<'search'>> {
    const hasWords = readQuery(query.query, query.mode).terms.length > 0;
    const isRead = hasWords && query.mode !== 'substring';
    return isRead ? this.#read('search', query) : this.#scan('search', query);
  }

  grep(query: GrepQuery): Promise<ReadResult<'grep'>> {
    return this.#scan('grep', query);
  }

  list(query: ReadArgument<'list'>): Promise<ReadResult<'list'>> {
    return this.#read('list', query);
  }

  links(query: ReadArgument<'links'>): Promise<ReadResult<'links'>> {
    return this.#read('links', query);
  }

  related(query: ReadArgument<'related'>): Promise<ReadResult<'related'>> {
    return this.#read('related', query);
  }

  tags(query: ReadArgument<'tags'> = {}): Promise<ReadResult<'tags'>> {
    return this.#read('tags', query);
  }

  tasks(query: ReadArgument<'tasks'> = {}): Promise<ReadResult<'tasks'>> {
    return this.#read('tasks', query);
  }

  stats(prefix?: string): Promise<ReadResult<'stats'>> {
    return this.#read('stats', prefix === undefined ? {} : { prefix });
  }

  review(query: ReadArgument<'review'>): Promise<ReadResult<'review'>> {
    return this.#scan('review', query);
  }

  /** The notes with this path, name, alias or title. */
  resolve(name: string): Promise<ReadResult<'resolve'>> {
    return this.#read('resolve', name);
  }

  /** Paths of notes with similar names; `least` is the minimum similarity, from 0 to 1. */
  similar(name: string, limit = 5, least = 0): Promise<ReadResult<'similar'>> {
    return this.#read('similar', { name, limit, least });
  }

  /** All files that the bare name of this one may mean. */
  namesakes(path: string): Promise<ReadResult<'namesakes'>> {
    return this.#read('namesakes', path);
  }

  /** One page of the edits that a replacement would make. */
  replacePlan(query: ReplaceQuery): Promise<ReadResult<'replace'>> {
    return this.#scan('replace', { ...query, root: this.#place.root });
  }

  /** The notes with a link to one of the files or with one of the names. */
  reach(query: ReadArgument<'reach'>): Promise<ReadResult<'reach'>> {
    return this.#read('reach', query);
  }

  /** Every file with one of the folded names. */
  named(keys: readonly string[]): Promise<ReadResult<'named'>> {
    return this.#read('named', keys);
  }

  async close(): Promise<void> {
    this.#retry.stop();
    await this.#repair;
    await this.#options.workers.release(this.#place);
  }

  async #built(
    run: () => Promise<BuildResult & Counts>,
    from: Partial<Counts> = {},
  ): Promise<BuildResult> {
    this.#builds++;
    const before = this.#failures;
    this.#set({ ...withoutReason(this.#state), ...from, state: 'building' });
    try {
      const { changed, removed, unchanged, ...counts } = await this.#repairing(run);
      this.#state = { ...this.#state, ...countsOf(counts) };
      if (before === this.#failures) this.#retry.reset();
      return { changed, removed, unchanged };
    } catch (error) {
      this.#fail(error);
      throw error;
    } finally {
      this.#builds--;
      const reason = before === this.#failures ? undefined : this.#lastFailure;
      this.#settle(reason);
    }
  }

  /** After a failed write the index is stale until a build has read the file. */
  async #write(run: () => Promise<Counts>): Promise<void> {
    try {
      const counts = await this.#repairing(run);
      const building = this.#state.state === 'building';
      if (!building) this.#set({ ...this.#state, ...countsOf(counts) });
    } catch (error) {
      this.#fail(error);
      this.#settle(this.#lastFailure);
      throw error;
    }
  }

  #fail(error: unknown): void {
    this.#failures++;
    this.#lastFailure = error instanceof IndexError ? error.message : 'see the server log';
    this.#retry.schedule();
  }

  /** During a build the state stays `building`; the end of the build decides it. */
  #settle(reason: string | undefined): void {
    if (this.#builds > 0) this.#set({ ...withoutReason(this.#state), state: 'building' });
    else if (reason === undefined) this.#set({ ...withoutReason(this.#state), state: 'ready' });
    else this.#set({ ...this.#state, state: 'degraded', reason });
  }

  #read<Name extends keyof ReadOperations>(
    operation: Name,
    argument: ReadArgument<Name>,
  ): Promise<ReadResult<Name>> {
    return this.#repairing(() => this.#options.workers.read(this.#place, operation, argument));
  }

  #scan<Name extends keyof ReadOperations>(
    operation: Name,
    argument: ReadArgument<Name>,
  ): Promise<ReadResult<Name>> {
    return this.#repairing(() => this.#options.workers.scan(this.#place, operation, argument));
  }

  /** Starts a rebuild if the file is damaged; the call itself fails. */
  async #repairing<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      const { code, damaged, message, detail } = error.failure;
      if (damaged || code === 'storage_error') this.#options.onProblem?.(message, detail);
      if (damaged) {
        this.#repair ??= this.rebuild()
          .catch((problem) => this.#options.onProblem?.('the index cannot be rebuilt', problem))
          .finally(() => {
            this.#repair = undefined;
          });
      }
      throw error;
    }
  }

  #set(state: IndexState): void {
    this.#state = state;
    this.#options.onState?.(state);
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const message = 'the index folder cannot be created; give it to the user the server runs as';
    throw new IndexError('storage_error', message, error);
  }
}

function countsOf({ indexed, onDisk, skipped }: Counts): Counts {
  return { indexed, onDisk, skipped };
}

function withoutReason({ reason: _, ...state }: IndexState): IndexState {
  return state;
}
