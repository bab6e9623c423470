/** What each tag means, and the requests that show that every decoy works. */
import { FILE_CORPUS } from './corpus.ts';
import { KINDS } from './decoys.ts';
import { builtIns } from './definitions/built-in.ts';
import { type CatalogueEntry, cwe, entryOfFile, VALID_ACCOUNTS } from './kit/catalogue-entry.ts';
import type { Question } from './kit/decoy.ts';

export const CATALOGUE: readonly CatalogueEntry[] = [
  ...KINDS.map(({ tag, category, intention, technique, references }) => {
    return { tag, category, intention, technique, references };
  }),
  // A file may add answers to a kind that needs code.
  ...builtIns()
    .filter(({ tag }) => !KINDS.some((kind) => kind.tag === tag))
    .map(entryOfFile),
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
export const CORPUS: readonly CorpusQuestion[] = [
  ...KINDS.flatMap(({ tag, corpus }) => corpus.map((question) => ({ tag, ...question }))),
  ...FILE_CORPUS,
].map((question) => ({ method: 'GET', status: 200, ...question }));
