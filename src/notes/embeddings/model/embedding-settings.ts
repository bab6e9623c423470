import type { Secret } from '../../../core/secrets/secret.ts';

interface Excluding {
  /** Globs of notes that are never embedded. */
  readonly exclude: readonly string[];
}

export interface LocalSettings extends Excluding {
  readonly kind: 'local';
  /** Absolute; undefined for the model of the optional package. */
  readonly folder: string | undefined;
}

export interface RemoteSettings extends Excluding {
  readonly kind: 'remote';
  /** Without a trailing slash. */
  readonly url: string;
  readonly model: string;
  readonly key?: Secret;
}

export type EmbeddingSettings = LocalSettings | RemoteSettings;
