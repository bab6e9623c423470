/** An index for the rest of the program: questions, writes, builds, and how far it is. */
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
import type { IndexWorkers } from './workers/index-workers.ts';
import type { ReadArgument, ReadOperations, ReadResult } from './workers/read-operations.ts';

export interface IndexState {
  /** `degraded`: the index could not be brought up to the files; `reason` says why. */
  readonly state: 'building' | 'ready' | 'degraded';
  /** Notes that can be found, notes on disk, and notes that cannot be indexed. */
  readonly indexed: number;
  readonly onDisk: number;
  readonly skipped: number;
  readonly reason?: string;
}

export interface NoteIndexOptions extends IndexPlace {
  readonly workers: IndexWorkers;
  /** Told at every step of a build, for the log and for progress bars. */
  readonly onState?: (state: IndexState) => void;
  /** Told of what went wrong, for the log. */
  readonly onProblem?: (message: string, cause: unknown) => void;
}

interface Counts {
  readonly indexed: number;
  readonly onDisk: number;
  readonly skipped: number;
}

/** What an index knows that has forgotten everything; what lies on disk stays. */
const NOTHING: Partial<Counts> = { indexed: 0, skipped: 0 };

/**
 * The index of one vault, as the rest of the program sees it. Every question is answered from what
 * was committed last, also while a build runs; a write has been committed when its promise
 * resolves. A damaged file is removed and built anew without being asked.
 */
export class NoteIndex {
  readonly #place: IndexPlace;
  readonly #options: NoteIndexOptions;
  #state: IndexState = { state: 'building', indexed: 0, onDisk: 0, skipped: 0 };
  #builds = 0;
  #repair: Promise<unknown> | undefined;
  readonly #retry = new BuildRetry(() => this.build());
  /** The failures so far, and the last: a build mends only those from before it began. */
  #failures = 0;
  #reason = '';

  private constructor(options: NoteIndexOptions) {
    this.#place = { root: options.root, file: options.file };
    this.#options = options;
    options.workers.onProgress(this.#place, ({ indexed, onDisk }) =>
      this.#set({ ...this.#state, indexed, onDisk }),
    );
  }

  /** The index as it was left; call `build` to bring it up to the files. */
  static async open(options: NoteIndexOptions): Promise<NoteIndex> {
    makeFolder(dirname(options.file));
    const index = new NoteIndex(options);
    const counts = await options.workers.write(index.#place, 'open', undefined);
    index.#set({ ...index.#state, ...pick(counts) });
    return index;
  }

  state(): IndexState {
    return this.#state;
  }

  /** Takes in what changed on disk: at the start, and wherever no event tells of changes. */
  build(): Promise<BuildResult> {
    return this.#built(() => this.#options.workers.build(this.#place, 'build'));
  }

  /** Forgets everything and reads every file. */
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

  /** Files or folders that are new, changed or gone; they are read from disk. */
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

  /** The notes meant by a path, a name, an alias or a title. */
  resolve(name: string): Promise<ReadResult<'resolve'>> {
    return this.#read('resolve', name);
  }

  /** Paths of notes that are called almost so; `least` is how alike they must be, up to 1. */
  similar(name: string, limit = 5, least = 0): Promise<ReadResult<'similar'>> {
    return this.#read('similar', { name, limit, least });
  }

  /** All files that the bare name of this one may lead to. */
  namesakes(path: string): Promise<ReadResult<'namesakes'>> {
    return this.#read('namesakes', path);
  }

  /** One page of what a replacement over many notes would do. */
  replacePlan(query: ReplaceQuery): Promise<ReadResult<'replace'>> {
    return this.#scan('replace', { ...query, root: this.#place.root });
  }

  /** The notes with a link that leads to one of the files or asks for one of the names. */
  reach(query: ReadArgument<'reach'>): Promise<ReadResult<'reach'>> {
    return this.#read('reach', query);
  }

  /** Every file that goes by one of the folded names. */
  named(keys: readonly string[]): Promise<ReadResult<'named'>> {
    return this.#read('named', keys);
  }

  /** Everything in the index, comparable with the dump of a rebuild. */
  dump(): Promise<Record<string, unknown[]>> {
    return this.#options.workers.write(this.#place, 'dump', undefined);
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
    this.#set({ ...without(this.#state), ...from, state: 'building' });
    try {
      const { changed, removed, unchanged, ...counts } = await this.#repaired(run);
      this.#state = { ...this.#state, ...pick(counts) };
      if (before === this.#failures) this.#retry.done();
      return { changed, removed, unchanged };
    } catch (error) {
      this.#fail(error);
      throw error;
    } finally {
      this.#builds--;
      const reason = before === this.#failures ? undefined : this.#reason;
      this.#settle(reason);
    }
  }

  /** What could not be written is lost to the index until a build finds it on disk. */
  async #write(run: () => Promise<Counts>): Promise<void> {
    try {
      const counts = await this.#repaired(run);
      const building = this.#state.state === 'building';
      if (!building) this.#set({ ...this.#state, ...pick(counts) });
    } catch (error) {
      this.#fail(error);
      this.#settle(this.#reason);
      throw error;
    }
  }

  #fail(error: unknown): void {
    this.#failures++;
    this.#reason = error instanceof IndexError ? error.message : 'see the server log';
    this.#retry.owe();
  }

  /** While a build runs the state stays as it is, and its end settles it. */
  #settle(reason: string | undefined): void {
    if (this.#builds > 0) this.#set({ ...without(this.#state), state: 'building' });
    else if (reason === undefined) this.#set({ ...without(this.#state), state: 'ready' });
    else this.#set({ ...this.#state, state: 'degraded', reason });
  }

  #read<Name extends keyof ReadOperations>(
    operation: Name,
    argument: ReadArgument<Name>,
  ): Promise<ReadResult<Name>> {
    return this.#repaired(() => this.#options.workers.read(this.#place, operation, argument));
  }

  #scan<Name extends keyof ReadOperations>(
    operation: Name,
    argument: ReadArgument<Name>,
  ): Promise<ReadResult<Name>> {
    return this.#repaired(() => this.#options.workers.scan(this.#place, operation, argument));
  }

  /** Starts a rebuild where the file turns out to be damaged; the question itself fails. */
  async #repaired<Result>(run: () => Promise<Result>): Promise<Result> {
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
    const message =
      'the folder of the index cannot be made; give it to the user the server runs as';
    throw new IndexError('storage_error', message, error);
  }
}

function pick({ indexed, onDisk, skipped }: Counts): Counts {
  return { indexed, onDisk, skipped };
}

function without({ reason: _, ...state }: IndexState): IndexState {
  return state;
}
