/** Builds and single writes of one index, in the write thread. */
import { setImmediate } from 'node:timers/promises';
import { isNote } from '../../files/vault-path.ts';
import type { FileStamp, FoundFile } from '../content/prepared-file.ts';
import { listFiles, VaultFiles, visitFiles } from '../content/vault-files.ts';
import { IndexWriterConnection } from '../store/index-writer-connection.ts';
import { mergeIfOwed, oweMerge } from '../store/merge-segments.ts';
import type { Sql } from '../store/sql.ts';
import { BuildQueue } from './build-queue.ts';
import { DiskDifference, type IndexedStamp } from './disk-difference.ts';
import { IndexWriter, type WriteResult } from './index-writer.ts';
import { type PreparedGroup, PrepareThread } from './prepare-thread.ts';

export interface BuildProgress {
  /** Notes in the index and notes on disk, as known so far. */
  readonly indexed: number;
  readonly onDisk: number;
}

export interface BuildResult {
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
}

/** The time of work before other requests get a turn. */
const SLICE_MS = 15;
/** Every commit writes a full-text segment; many small ones would have to be merged. */
const NOTES_PER_COMMIT = 4096;
/** More changes leave many full-text segments, which are merged after the build. */
const MANY_CHANGES = 256;
/** More files are prepared in a second thread. */
const MANY_FILES = 500;

const NOTHING: BuildResult = { changed: 0, removed: 0, unchanged: 0 };

type Outcome = { readonly path: string; readonly outcome: keyof BuildResult };
type Tally = { -readonly [Key in keyof BuildResult]: BuildResult[Key] };

/**
 * The only writer of a vault's index. A build works in slices and commits early when a single note
 * is to be written, so that writes do not wait for it.
 */
export class VaultIndexer {
  readonly #root: string;
  readonly #now: () => number;
  readonly #connection: IndexWriterConnection;
  #writer: IndexWriter;
  #pending = 0;
  #rollbacks = 0;
  readonly #builds = new BuildQueue<BuildResult>();
  #merging: Promise<void> = Promise.resolve();
  /** Paths written since the build began, which are newer than prepared ones. */
  readonly #written = new Set<string>();
  #stopped = false;
  #closed = false;

  constructor(root: string, file: string, now: () => number) {
    this.#root = root;
    this.#now = now;
    this.#connection = new IndexWriterConnection(file);
    this.#writer = new IndexWriter(this.#connection.sql, now);
  }

  /** Indexes what has changed on disk before the call. */
  build(progress: (state: BuildProgress) => void): Promise<BuildResult> {
    return this.#builds.run(() => this.#buildAll(progress));
  }

  upsert(file: FoundFile): WriteResult {
    this.#commit();
    this.#markWritten(file.path);
    return this.#writer.atomically(() => this.#writer.upsert(file));
  }

  remove(path: string): WriteResult {
    this.#commit();
    this.#markWritten(path);
    return this.#writer.atomically(() => this.#writer.remove(path));
  }

  /** Indexes files and folders as they are on disk. */
  async refresh(paths: readonly string[]): Promise<BuildResult> {
    const files = new VaultFiles(this.#root);
    const tally = { changed: 0, removed: 0, unchanged: 0 };
    try {
      await this.#sliced(this.#indexTrees(paths, files), tally);
      this.#commit();
      return tally;
    } finally {
      files.close();
    }
  }

  /** Runs one step of search by meaning as a transaction. */
  stepVectors<Result>(step: (sql: Sql) => Result): Result {
    this.#commit();
    const { sql } = this.#connection;
    sql.exec('BEGIN IMMEDIATE');
    try {
      const result = step(sql);
      sql.exec('COMMIT');
      return result;
    } catch (error) {
      this.#rollback();
      throw error;
    }
  }

  /** Merges full-text segments after a build, for speed. */
  merge(): Promise<void> {
    this.#merging = this.#merging
      .catch(() => {})
      .then(() => mergeIfOwed(this.#connection.sql, () => this.#stopped));
    return this.#merging;
  }

  counts(): { indexed: number; onDisk: number; skipped: number } {
    const { notes, skipped } = this.#writer.counts;
    return { indexed: notes - skipped, onDisk: notes, skipped };
  }

  /** Rebuilds the index from all files. */
  async rebuild(progress: (state: BuildProgress) => void): Promise<BuildResult> {
    this.#stopped = true;
    await this.#builds.settled();
    await this.#recreate();
    return this.build(progress);
  }

  close(): void {
    if (this.#closed) return;
    this.#commit();
    this.#closed = true;
    this.#stopped = true;
    this.#connection.close();
  }

  async #recreate(): Promise<void> {
    this.#stopped = true;
    await this.#merging.catch(() => {});
    this.#stopped = this.#closed;
    if (this.#closed) return;
    this.#rollback();
    this.#connection.recreate();
    this.#writer = new IndexWriter(this.#connection.sql, this.#now);
  }

  /** A failed write rolls back uncommitted work of the build, which is then repeated. */
  async #buildAll(progress: (state: BuildProgress) => void): Promise<BuildResult> {
    if (this.#stopped) return NOTHING;
    if (!this.#connection.isInPlace()) await this.#recreate();
    for (;;) {
      const before = this.#rollbacks;
      const result = await this.#build(progress);
      if (this.#rollbacks === before || this.#stopped) return result;
    }
  }

  async #build(progress: (state: BuildProgress) => void): Promise<BuildResult> {
    this.#written.clear();
    const difference = new DiskDifference((path) => this.#stamp(path));
    const files = new VaultFiles(this.#root);
    let onDisk = 0;
    let thread: PrepareThread | undefined;
    try {
      const visit = (file: FoundFile) => {
        difference.add(file);
        if (isNote(file.path)) onDisk++;
        if (difference.changed.length < MANY_FILES) return;
        thread ??= new PrepareThread(this.#root);
        thread.begin(difference.changed);
      };
      if (!(await visitFiles(this.#root, visit, SLICE_MS, () => this.#stopped))) return NOTHING;
      const { changed, unchanged } = difference;
      let indexed = onDisk - countNotes(changed);
      progress({ indexed, onDisk });
      const tally = { changed: 0, removed: 0, unchanged };
      const step = (notes: number) => {
        indexed += notes;
        progress({ indexed: Math.min(indexed, onDisk), onDisk });
      };
      if (changed.length > MANY_CHANGES) oweMerge(this.#connection.sql);
      await this.#sliced(this.#indexPaths(difference.removed(this.#paths()), files), tally);
      if (thread) {
        for await (const group of thread.prepared(changed)) {
          await this.#sliced(this.#indexPrepared(group, files), tally, step);
          if (this.#stopped) break;
        }
      } else {
        const paths = changed.map(({ path }) => path);
        await this.#sliced(this.#indexPaths(paths, files), tally, step);
      }
      this.#commit();
      return tally;
    } finally {
      files.close();
      await thread?.end();
    }
  }

  #stamp(path: string): IndexedStamp | undefined {
    return this.#connection.sql.get<IndexedStamp>(
      'SELECT size, mtime_ms AS mtimeMs, indexed_ms AS indexedMs FROM files WHERE path = ?',
      path,
    );
  }

  /** In the order of ids, in which the full-text index is written to with the least effort. */
  *#paths(): Generator<string> {
    const paths = 'SELECT path FROM files ORDER BY id';
    for (const { path } of this.#connection.sql.each<{ path: string }>(paths)) yield path;
  }

  /** Indexes files one by one, as they are on disk at that moment. */
  *#indexPaths(paths: Iterable<string>, files: VaultFiles): Generator<Outcome> {
    for (const path of paths) {
      const file = files.read(path);
      if (file) yield { path, outcome: this.#writer.upsert(file) ? 'changed' : 'unchanged' };
      else yield { path, outcome: this.#writer.remove(path) ? 'removed' : 'unchanged' };
    }
  }

  /** The same for files, and for folders with their present and former content. */
  *#indexTrees(paths: readonly string[], files: VaultFiles): Generator<Outcome> {
    for (const path of paths) {
      const inside = new Set([...listFiles(this.#root, path)].map((file) => file.path));
      const all = inside.union(new Set(this.#writer.below(path))).add(path);
      for (const one of all) this.#markWritten(one);
      yield* this.#indexPaths(all, files);
    }
  }

  *#indexPrepared(group: PreparedGroup, files: VaultFiles): Generator<Outcome> {
    for (const [path, prepared] of group) {
      if (prepared && !this.#written.has(path)) {
        yield { path, outcome: this.#writer.put(prepared) ? 'changed' : 'unchanged' };
      } else {
        yield* this.#indexPaths([path], files);
      }
    }
  }

  #markWritten(path: string): void {
    if (this.#builds.isRunning) this.#written.add(path);
  }

  /** Runs steps in slices, within transactions that span several of them. */
  async #sliced(
    steps: Generator<Outcome>,
    tally: Tally,
    progress: (notes: number) => void = () => {},
  ): Promise<void> {
    for (let done = false; !done && !this.#stopped; ) {
      const end = performance.now() + SLICE_MS;
      let notes = 0;
      try {
        while (!done && performance.now() < end) {
          if (this.#pending === 0) this.#connection.sql.exec('BEGIN IMMEDIATE');
          this.#pending++;
          const step = steps.next();
          done = step.done === true;
          if (step.done) continue;
          tally[step.value.outcome]++;
          if (isNote(step.value.path) && step.value.outcome !== 'removed') notes++;
        }
      } catch (error) {
        this.#rollback();
        throw error;
      }
      if (this.#pending >= NOTES_PER_COMMIT) this.#commit();
      progress(notes);
      await setImmediate();
    }
  }

  #commit(): void {
    if (this.#pending === 0) return;
    try {
      this.#writer.resolveLinks();
      this.#connection.sql.exec('COMMIT');
      this.#pending = 0;
    } catch (error) {
      this.#rollback();
      throw error;
    }
  }

  #rollback(): void {
    this.#pending = 0;
    this.#rollbacks++;
    if (this.#connection.isOpen) this.#writer.rollback();
  }
}

function countNotes(files: readonly FileStamp[]): number {
  return files.reduce((count, { path }) => count + (isNote(path) ? 1 : 0), 0);
}
