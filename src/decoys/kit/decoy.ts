/** What every kind of decoy is made of and has to offer. */

import type { Draw } from '../persona/draw.ts';
import type { Persona } from '../persona/persona.ts';
import type { Honeytokens, Site } from '../tokens/honeytoken.ts';
import type { Answer } from './answer.ts';
import type { Probe } from './probe.ts';

export interface Kit {
  readonly draw: Draw;
  readonly persona: Persona;
  readonly tokens: Honeytokens;
  readonly site: Site;
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
  answer(body: string): Answer;
}
