/** What is searched for, and what a search finds. */

import type { Page } from './cursor.ts';
import type { FileFilter } from './file-filter.ts';
import type { Matched, MeaningQuery } from './fuse.ts';
import type { SearchMode } from './match-query.ts';

export interface SearchQuery extends FileFilter {
  readonly query: string;
  readonly mode?: SearchMode;
  readonly limit?: number;
  readonly cursor?: string;
  /** For the modes that search by meaning, where there are vectors. */
  readonly meaning?: MeaningQuery | undefined;
}

export interface SearchHit {
  readonly path: string;
  readonly title: string;
  readonly heading_path: readonly string[];
  readonly line: number;
  readonly snippet: string;
  readonly score: number;
  /** By what it was found, where both were asked. */
  readonly matched?: Matched;
}

export interface SearchResult extends Page<SearchHit> {
  /** What was searched for instead: no section has all the words, or no note has one of them. */
  readonly relaxed?: 'any' | 'spelling' | 'substring';
  /** More sections match than are ranked: the best were. */
  readonly capped?: true;
}
