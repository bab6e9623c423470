/** The questions of the search benchmark, half to tune a ranking on, half to report. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export const KINDS = [
  'keywords',
  'sentences',
  'paraphrases',
  'inflections',
  'typos',
  'identifiers',
  'chinese-japanese',
  /** No content word of the query is in the section that answers it. */
  'meaning',
] as const;

export type Kind = (typeof KINDS)[number];

export interface Question {
  readonly id: string;
  readonly kind: Kind;
  /** Drawn by the hash of the id, half of every kind. */
  readonly split: 'tune' | 'report';
  readonly query: string;
  /** Paths in the corpus: every note that answers the question, the main one first. */
  readonly files: readonly string[];
  /** The heading of the main note of the answer. */
  readonly section?: string;
}

type Written = Pick<Question, 'query' | 'files' | 'section'>;

const FILE = new URL('questions.yaml', import.meta.url);

/** Reads all questions. YAML refuses an id that is written twice. */
export function readQuestions(): Question[] {
  const written: Record<Kind, Record<string, Written>> = parse(readFileSync(FILE, 'utf8'));
  return KINDS.flatMap((kind) => {
    const ids = Object.keys(written[kind]);
    const drawn = ids.toSorted((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1));
    return ids.map((id) => {
      const split = drawn.indexOf(id) % 2 === 0 ? 'tune' : 'report';
      return { id, kind, split, ...written[kind][id]! } as const;
    });
  });
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
