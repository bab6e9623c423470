/**
 * The embedder behind an OpenAI-compatible endpoint. It is not trusted: a redirect is refused, and
 * time, size, count and every number of an answer are checked.
 */
import type { Secret } from '../../../core/secrets/secret.ts';
import {
  type Embedder,
  EmbeddingError,
  type EmbeddingModel,
  type EmbedOptions,
} from '../model/embedder.ts';
import { type Posted, postJson } from './post-json.ts';
import { readEmbeddings } from './read-embeddings.ts';

export interface RemoteOptions {
  /** Without a trailing slash. */
  readonly url: string;
  readonly model: string;
  readonly key?: Secret;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;
const MAX_CONCURRENT = 4;
/** JSON of one long vector. */
const MAX_BYTES_PER_TEXT = 256 * 1024;
const MAX_SHOWN = 200;

export class RemoteEmbedder implements Embedder {
  readonly batchSize = 32;
  readonly #options: RemoteOptions;
  readonly #closed = new AbortController();
  #model: EmbeddingModel | undefined;
  #running = 0;

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  async model(signal: AbortSignal): Promise<EmbeddingModel> {
    if (this.#model === undefined) await this.embed(['dimensions'], { signal });
    return this.#model!;
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    // The background work sends one batch at a time; the rest are searches, which do not wait.
    if (this.#running >= MAX_CONCURRENT) {
      throw new EmbeddingError('busy', 'too many searches wait for the embeddings endpoint');
    }
    this.#running++;
    try {
      const vectors = readAnswer(await this.#post(texts, options), texts.length);
      this.#check(vectors[0]!.length);
      return vectors;
    } finally {
      this.#running--;
    }
  }

  async close(): Promise<void> {
    this.#closed.abort(new EmbeddingError('busy', 'the server is stopping'));
  }

  /** A model that changes its dimensions is another model, for which it is asked anew. */
  #check(dimensions: number): void {
    const known = this.#model?.dimensions ?? dimensions;
    this.#model = known === dimensions ? { name: this.#options.model, dimensions } : undefined;
    if (this.#model) return;
    throw new EmbeddingError('busy', `the vectors have ${dimensions} dimensions, not ${known}`);
  }

  async #post(texts: readonly string[], { signal }: EmbedOptions): Promise<Posted> {
    const { url, model, key, timeoutMs = TIMEOUT_MS } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await postJson(
        new URL(`${url}/embeddings`),
        { model, input: texts, encoding_format: 'float' },
        {
          headers: key === undefined ? {} : { authorization: `Bearer ${key.reveal()}` },
          signal: AbortSignal.any([signal, timeout, this.#closed.signal]),
          maxBytes: texts.length * MAX_BYTES_PER_TEXT,
        },
      );
    } catch (error) {
      signal.throwIfAborted();
      this.#closed.signal.throwIfAborted();
      const message = timeout.aborted
        ? `the embeddings endpoint did not answer within ${timeoutMs} ms`
        : `the embeddings endpoint cannot be reached: ${reasonOf(error)}`;
      throw new EmbeddingError('busy', message);
    }
  }
}

/** Too large, too long, or not to its taste: sending the same again does not help. */
const REFUSES = new Set([400, 413, 422]);

function readAnswer({ status, retryAfter, body }: Posted, count: number): Float32Array[] {
  if (status >= 300 && status < 400) {
    throw new EmbeddingError(
      'busy',
      'the embeddings endpoint answers with a redirect, which is not followed; set NOTES_EMBEDDINGS to where it leads',
    );
  }
  if (status !== 200) {
    const kind = REFUSES.has(status) ? 'refused' : 'busy';
    const message = `the embeddings endpoint answers ${status}${messageIn(body)}`;
    throw new EmbeddingError(kind, message, retryAfterMs(retryAfter));
  }
  const vectors = readEmbeddings(body, count);
  if (typeof vectors === 'string') throw new EmbeddingError('busy', vectors);
  return vectors;
}

/** The message of an OpenAI error; it may quote what was sent, so it is cut short. */
function messageIn(body: Buffer): string {
  try {
    const { error } = JSON.parse(body.toString('utf8')) as { error?: { message?: unknown } };
    const { message } = error ?? {};
    return typeof message === 'string' ? `: ${message.slice(0, MAX_SHOWN)}` : '';
  } catch {
    return '';
  }
}

function retryAfterMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
