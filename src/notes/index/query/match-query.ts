import { type SearchPhrase, searchablePhrase } from '../content/searchable-text.ts';

export const SEARCH_MODES = ['auto', 'all', 'any', 'phrase', 'substring'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

const MAX_TERMS = 24;
const MAX_QUERY_LENGTH = 1000;

/**
 * What a user typed, cut into words and "quoted phrases". There is no syntax that can be wrong:
 * operators, quotes without a partner and signs are text like any other.
 */
export function readTerms(query: string, mode: SearchMode): SearchPhrase[] {
  const typed = query.slice(0, MAX_QUERY_LENGTH);
  if (mode === 'phrase') return [searchablePhrase(typed)].filter((term) => term !== undefined);
  const terms = new Map<string, SearchPhrase>();
  for (const [, quoted, word] of typed.matchAll(/"([^"]*)"|([^\s"]+)/g)) {
    const term = searchablePhrase(quoted ?? word ?? '');
    if (term && terms.size < MAX_TERMS) terms.set(term.text, term);
  }
  return [...terms.values()];
}

/** The query in the language of FTS5 that asks for one term: always a quoted string. */
export function matchTerm(term: SearchPhrase): string {
  return `"${term.text}"${term.prefix ? ' *' : ''}`;
}

export function matchAll(terms: readonly SearchPhrase[]): string {
  return terms.map(matchTerm).join(' AND ');
}
