/** What a file of `kinds/` exports, and what it is given. */

import type { Draw } from '../persona/draw.ts';
import type { Persona } from '../persona/persona.ts';
import type { Honeytokens, Site } from '../tokens/honeytoken.ts';
import type { Answer } from './answer.ts';
import type { CatalogueEntry } from './catalogue-entry.ts';
import type { Probe } from './probe.ts';

/** One kind of decoy: what it answers, what a request for it means, and how to see that it works. */
export interface Kind extends CatalogueEntry {
  /** `decoys selftest` sends these requests, and so do the tests of all decoys. */
  readonly corpus: readonly Question[];
  create(kit: Kit): Decoy;
}

/** A request that the decoy answers, and what must come back. It is a GET unless it says more. */
export interface Question {
  /** Unless it is the tag of the kind. */
  readonly tag?: string;
  readonly target: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** 200 where it is not given. */
  readonly status?: number;
  /** What the body of the answer must match. */
  readonly expect: RegExp;
  /** Whether it is the MCP endpoint of a gateway or a notes server, where decoys are part of one. */
  readonly mayBeReal?: boolean;
}

export interface Kit {
  readonly draw: Draw;
  readonly persona: Persona;
  readonly tokens: Honeytokens;
  readonly site: Site;
  readonly now: () => number;
}

export interface Decoy {
  /** What the table of docs/decoys.md accepts; HEAD is allowed wherever GET is. */
  readonly methods: readonly string[] | 'any';
  match(probe: Probe): Match | undefined;
}

export interface Match {
  readonly tag: string;
  /** Whether `answer` wants the body; where not, it is never read. */
  readonly readsBody?: true;
  /** How much of it is kept; 64 KiB where it is not given. */
  readonly maxBodyBytes?: number;
  answer(body: string): Answer;
}
