import { searchableParts, searchableText } from './searchable-text.ts';
import type { IndexedSection } from './section-cuts.ts';

export type Searched = Pick<IndexedSection, 'headingPath' | 'text' | 'bodyStart'>;

/** What the full-text index holds of a section, beside the names of its note. */
export interface SearchableSection {
  readonly heading: string;
  readonly body: string;
  readonly parts: string;
}

/** The same text gives the same words: an index forgets a section by them. */
export function searchableSection({ headingPath, text, bodyStart }: Searched): SearchableSection {
  const body = text.slice(bodyStart);
  const headings = headingPath.join('\n');
  return {
    heading: searchableText(headings),
    body: searchableText(body),
    parts: searchableParts(`${headings}\n${body}`),
  };
}
