/** Turns texts into vectors: a model on this machine, or an endpoint that runs one. */

export interface EmbedOptions {
  readonly signal: AbortSignal;
  /** A search waits for it: it goes before the background work and is not retried. */
  readonly isUrgent?: boolean;
}

/** The vectors of two models cannot be compared. */
export interface EmbeddingModel {
  /** Names the model and, where it can change under its name, its content. */
  readonly name: string;
  readonly dimensions: number;
}

export interface Embedder {
  /** How many texts the background work sends at a time. */
  readonly batchSize: number;
  /** Learned from the model itself, at the first call. */
  model(signal: AbortSignal): Promise<EmbeddingModel>;
  /** One vector for each text, in order; throws `EmbeddingError`. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
  close(): Promise<void>;
}

export class EmbeddingError extends Error {
  /** `busy`: try later. `refused`: these texts will not be accepted. */
  readonly kind: 'busy' | 'refused';
  readonly retryAfterMs: number | undefined;

  constructor(kind: EmbeddingError['kind'], message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'EmbeddingError';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Refuses what would poison the index: another length, NaN, infinity, or no direction at all. */
export function vectorProblem(vector: readonly number[] | Float32Array): string | undefined {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (!Number.isFinite(sum)) return 'a vector holds a value that is not a finite number';
  return sum === 0 ? 'a vector is all zeros' : undefined;
}
