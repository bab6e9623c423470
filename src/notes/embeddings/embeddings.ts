/** The embedders of the process: the configured one, and those of models that vectors are left of. */

import { LocalEmbedder } from './local/local-embedder.ts';
import { localModelProblem } from './local/optional-packages.ts';
import type { Embedder } from './model/embedder.ts';
import type { EmbeddingSettings } from './model/embedding-settings.ts';
import { RemoteEmbedder } from './remote/remote-embedder.ts';

/** How to reach a model again, as it is kept beside its vectors. */
type Source =
  | { readonly kind: 'local'; readonly folder?: string }
  | { readonly kind: 'remote'; readonly model: string };

export class Embeddings {
  readonly settings: EmbeddingSettings;
  readonly source: string;
  readonly #embedders = new Map<string, Embedder>();

  constructor(settings: EmbeddingSettings) {
    this.settings = settings;
    this.source = JSON.stringify(sourceOf(settings));
  }

  /** The configured embedder. */
  get embedder(): Embedder {
    return this.embedderOf(this.source)!;
  }

  /** Undefined where the model cannot be reached any more. */
  embedderOf(source: string): Embedder | undefined {
    const known = this.#embedders.get(source);
    if (known !== undefined) return known;
    const made = this.#make(JSON.parse(source) as Source);
    if (made !== undefined) this.#embedders.set(source, made);
    return made;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#embedders.values()].map((embedder) => embedder.close()));
  }

  /** A former model of an endpoint is asked for at the endpoint of today. */
  #make(source: Source): Embedder | undefined {
    if (source.kind === 'local') {
      const problem = localModelProblem(source.folder);
      return problem === undefined ? new LocalEmbedder(source.folder) : undefined;
    }
    if (this.settings.kind !== 'remote') return undefined;
    return new RemoteEmbedder({ ...this.settings, model: source.model });
  }
}

function sourceOf(settings: EmbeddingSettings): Source {
  const { kind } = settings;
  if (kind === 'remote') return { kind, model: settings.model };
  return { kind, ...(settings.folder !== undefined && { folder: settings.folder }) };
}
