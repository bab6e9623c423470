/** What each tag means, and the requests that show that every decoy works. */
import { KINDS } from './decoys.ts';
import { type CatalogueEntry, cwe, VALID_ACCOUNTS } from './kit/catalogue-entry.ts';
import type { Question } from './kit/decoy.ts';

export const CATALOGUE: readonly CatalogueEntry[] = [
  ...KINDS.map(({ tag, category, intention, technique, references }) => {
    return { tag, category, intention, technique, references };
  }),
  {
    tag: 'honeytoken-used',
    category: 'reuse',
    intention: 'use what a decoy gave out',
    technique: VALID_ACCOUNTS,
    references: [cwe(522)],
  },
];

/** The entry of the tag of an event line: `rest-api-idor-users` belongs to `rest-api-idor`. */
export function entryOf(tag: string): CatalogueEntry | undefined {
  return CATALOGUE.find((entry) => tag === entry.tag || tag.startsWith(`${entry.tag}-`));
}

export type CorpusQuestion = Question & Required<Pick<Question, 'tag' | 'method' | 'status'>>;

/** The requests of `decoys selftest`. */
export const CORPUS: readonly CorpusQuestion[] = KINDS.flatMap(({ tag, corpus }) =>
  corpus.map((question) => ({ tag, method: 'GET', status: 200, ...question })),
);
