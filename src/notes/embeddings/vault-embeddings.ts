/**
 * Search by meaning for one vault: makes vectors of its sections in the background, and of queries
 * when they are asked. Searches never wait for the background work, and it waits for tool calls.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { describeError, type Log } from '../../core/log/log.ts';
import type { VectorTables } from '../index/vector-tables.ts';
import { toInt8 } from '../index/vectors/int8.ts';
import type { CountedModel, PendingText } from '../index/vectors/pending-texts.ts';
import type { NewVector } from '../index/vectors/vector-writer.ts';
import type { Embeddings } from './embeddings.ts';
import { type Embedder, EmbeddingError, vectorProblem } from './model/embedder.ts';
import type { ToolActivity } from './tool-activity.ts';

export interface SemanticState {
  /** `failing`: no vector can be made at present, for `reason`; it is tried again. */
  readonly state: 'building' | 'ready' | 'failing';
  /** Sections with a vector, and all that get one. */
  readonly done: number;
  readonly total: number;
  readonly reason?: string;
}

/** A query as a vector, and the model whose vectors it can be compared with. */
export interface QueryVector {
  readonly model: number;
  readonly values: Float32Array;
}

export interface VaultEmbeddingsOptions {
  readonly vault: string;
  readonly tables: VectorTables;
  readonly embeddings: Embeddings;
  readonly activity: ToolActivity;
  readonly log: Log;
  /** Globs of notes that are never embedded, beside those of the settings. */
  readonly hidden?: () => Promise<readonly string[]>;
  /** How long a search waits for its vector; the default is long enough for a distant endpoint. */
  readonly queryTimeoutMs?: number;
  readonly backoffMs?: number;
  readonly settleMs?: number;
}

/** Several changes at a time are one round. */
const SETTLE_MS = 500;
const QUERY_TIMEOUT_MS = 1_500;
const BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 300_000;
const MAX_QUERIES = 200;
/** After a failure searches use words alone for so long, instead of waiting for a timeout each. */
const QUERY_PAUSE_MS = 10_000;

export class VaultEmbeddings {
  readonly #options: VaultEmbeddingsOptions;
  readonly #stop = new AbortController();
  readonly #queries = new Map<string, Float32Array>();
  readonly #listeners = new Set<(state: SemanticState) => void>();
  #state: SemanticState = { state: 'building', done: 0, total: 0 };
  #serving: CountedModel | undefined;
  #wanted = false;
  #running: Promise<void> | undefined;
  #failures = 0;
  #pausedUntilMs = 0;
  #queryProblem: string | undefined;

  constructor(options: VaultEmbeddingsOptions) {
    this.#options = options;
  }

  state(): SemanticState {
    if (this.#state.reason !== undefined || this.#queryProblem === undefined) return this.#state;
    return { ...this.#state, state: 'failing', reason: this.#queryProblem };
  }

  /** The model whose vectors answer at present. */
  get model(): number | undefined {
    return this.#serving?.id;
  }

  /** Says that the index has changed. */
  update(): void {
    this.#wanted = true;
    if (this.#stop.signal.aborted) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#wanted) this.update();
      this.#set(this.#state);
    });
  }

  /** Resolves when the vectors are up to date. */
  ready(onState?: (state: SemanticState) => void): Promise<void> {
    return this.#until(() => this.#running === undefined, onState);
  }

  /** Resolves also when they cannot be made at present. */
  settled(onState?: (state: SemanticState) => void): Promise<void> {
    const isSettled = () => this.#running === undefined || this.#state.state === 'failing';
    return this.#until(isSettled, onState);
  }

  /** Undefined where there is nothing to compare with, or no vector can be made in time. */
  async queryVector(text: string, nowMs = performance.now()): Promise<QueryVector | undefined> {
    const serving = this.#serving;
    const embedder = serving && this.#options.embeddings.embedderOf(serving.source);
    if (serving === undefined || embedder === undefined || serving.done === 0) return undefined;
    const key = `${serving.id} ${text}`;
    const known = this.#queries.get(key);
    if (known !== undefined) return { model: serving.id, values: known };
    if (nowMs < this.#pausedUntilMs) return undefined;
    const timeout = AbortSignal.timeout(this.#options.queryTimeoutMs ?? QUERY_TIMEOUT_MS);
    try {
      const signal = AbortSignal.any([this.#stop.signal, timeout]);
      const [values] = await embedder.embed([text], { signal, isUrgent: true });
      if (values?.length !== serving.dimensions || vectorProblem(values) !== undefined) {
        return undefined;
      }
      this.#queryProblem = undefined;
      if (this.#queries.size >= MAX_QUERIES) this.#queries.clear();
      this.#queries.set(key, values);
      return { model: serving.id, values };
    } catch (error) {
      if (this.#stop.signal.aborted) return undefined;
      this.#queryProblem =
        error instanceof EmbeddingError ? error.message : 'no vector could be made in time';
      this.#pausedUntilMs = performance.now() + QUERY_PAUSE_MS;
      return undefined;
    }
  }

  /** The work resumes at the next start. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #until(
    isReached: () => boolean,
    onState: (state: SemanticState) => void = () => {},
  ): Promise<void> {
    if (isReached()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const listener = (state: SemanticState) => {
      onState(state);
      if (isReached()) resolve();
    };
    this.#listeners.add(listener);
    await promise;
    this.#listeners.delete(listener);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (this.#wanted && !signal.aborted) {
      try {
        await delay(this.#options.settleMs ?? SETTLE_MS, undefined, { signal, ref: false });
        this.#wanted = false;
        await this.#round();
        this.#failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        this.#wanted = true;
        await this.#backOff(error);
      }
    }
  }

  async #round(): Promise<void> {
    const { embeddings, tables } = this.#options;
    const { embedder, source } = embeddings;
    const { signal } = this.#stop;
    await this.#listTexts();
    // What is there already serves, also while the model is loaded or cannot be reached.
    this.#serve(await tables.count());
    const { name, dimensions } = await embedder.model(signal);
    const model = await tables.write('putModel', { name, dimensions, source });
    this.#count(await tables.count(), model);
    await this.#embedAll(embedder, model);
    if (this.#wanted) return;
    const counts = await tables.count();
    this.#count(counts, model);
    if (this.#state.done < this.#state.total) {
      this.#wanted = true;
      return;
    }
    while (await tables.write('deleteOtherModels', model)) await this.#yield();
    this.#serve(counts.filter(({ id }) => id === model));
    if (this.#state.state !== 'ready') {
      this.#set({ ...this.#state, state: 'ready' });
      const { done, total } = this.#state;
      this.#options.log.info('embeddings_ready', { vault: this.#options.vault, done, total });
    }
  }

  async #listTexts(): Promise<void> {
    const { tables, embeddings, hidden } = this.#options;
    const exclude = [...embeddings.settings.exclude, ...((await hidden?.()) ?? [])];
    for (let after: number | undefined = 0; after !== undefined; ) {
      await this.#yield();
      after = (await tables.write('listTexts', { after, exclude })).next;
    }
    while (await tables.write('deleteUnused', undefined)) await this.#yield();
  }

  async #embedAll(embedder: Embedder, model: number): Promise<void> {
    const { tables } = this.#options;
    for (let after: number | undefined = 0; after !== undefined && !this.#wanted; ) {
      await this.#yield();
      const query = { model, after, limit: embedder.batchSize };
      const { texts, next } = await tables.pending(query);
      if (texts.length > 0) {
        const vectors = await this.#vectorsOf(embedder, texts);
        await tables.write('putVectors', { model, vectors });
        const { done, total } = this.#state;
        this.#set({ state: 'building', done: Math.min(total, done + texts.length), total });
        this.#failures = 0;
        this.#pausedUntilMs = 0;
      }
      after = next;
    }
  }

  /** A batch that is refused is sent text by text, each shorter and shorter. */
  async #vectorsOf(embedder: Embedder, texts: readonly PendingText[]): Promise<NewVector[]> {
    const { signal } = this.#stop;
    try {
      const vectors = await embedder.embed(
        texts.map(({ text }) => text),
        { signal },
      );
      return vectors.map((vector, place) => ({ hash: texts[place]!.hash, vector: toInt8(vector) }));
    } catch (error) {
      if (!(error instanceof EmbeddingError) || error.kind !== 'refused') throw error;
    }
    if (texts.length > 1) {
      const single: NewVector[] = [];
      for (const text of texts) single.push(...(await this.#vectorsOf(embedder, [text])));
      return single;
    }
    const [{ hash, text } = { hash: new Uint8Array(), text: '' }] = texts;
    if (text.length < MIN_LENGTH) return [{ hash, vector: new Int8Array() }];
    return this.#vectorsOf(embedder, [{ hash, text: text.slice(0, text.length / 4) }]);
  }

  /** Gives way to tool calls, and ends the work at a stop. */
  async #yield(): Promise<void> {
    await this.#options.activity.idle();
    this.#stop.signal.throwIfAborted();
  }

  async #backOff(error: unknown): Promise<void> {
    const { log, vault, backoffMs = BACKOFF_MS } = this.#options;
    const reason = error instanceof EmbeddingError ? error.message : 'see the server log';
    if (this.#state.state !== 'failing') {
      log.warn('embeddings_problem', { vault, message: describeError(error) });
    }
    this.#set({ ...this.#state, state: 'failing', reason });
    const asked = error instanceof EmbeddingError ? (error.retryAfterMs ?? 0) : 0;
    const pauseMs = Math.min(Math.max(asked, backoffMs * 2 ** this.#failures++), MAX_BACKOFF_MS);
    await delay(pauseMs, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
  }

  #count(models: readonly CountedModel[], model: number): void {
    const { done, total } = models.find(({ id }) => id === model)!;
    const state = done < total ? 'building' : this.#state.state === 'ready' ? 'ready' : 'building';
    this.#serve(models);
    this.#set({ state, done, total });
  }

  #set(state: SemanticState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }

  /** The most complete set of vectors, and of equals the newest. */
  #serve(models: readonly CountedModel[]): void {
    this.#serving = models.toSorted((a, b) => b.done - a.done || b.id - a.id)[0];
  }
}

const MIN_LENGTH = 50;
