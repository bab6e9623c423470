import { searchableStems } from './language-stems.ts';
import type { Language } from './note-language.ts';
import { searchableParts, searchableText } from './searchable-text.ts';
import type { IndexedSection } from './section-cuts.ts';

export type Searched = Pick<IndexedSection, 'headingPath' | 'text' | 'bodyStart'>;

/** What the full-text index holds of a section, beside the names of its note. */
export interface SearchableSection {
  readonly heading: string;
  readonly body: string;
  /** Parts of compound words, and stems of other languages than English. */
  readonly parts: string;
}

/** The same text and language give the same words: an index forgets a section by them. */
export function searchableSection(
  { headingPath, text, bodyStart }: Searched,
  language?: Language | null,
): SearchableSection {
  const body = text.slice(bodyStart);
  const headings = headingPath.join('\n');
  const all = `${headings}\n${body}`;
  const stems = language ? `\n${searchableStems(all, language)}` : '';
  return {
    heading: searchableText(headings),
    body: searchableText(body),
    parts: searchableParts(all) + stems,
  };
}
