import { searchableStems } from './language-stems.ts';
import type { Language } from './note-language.ts';
import { searchableParts, searchableText } from './searchable-text.ts';
import type { IndexedSection } from './section-cuts.ts';

export type Searched = Pick<IndexedSection, 'headingPath' | 'text' | 'bodyStart'>;

/** What the full-text index holds of a section, beside the names of its note. */
export interface SearchableSection {
  readonly heading: string;
  /** Null where it is the very text, so that threads pass that once. */
  readonly body: string | null;
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
  const searched = searchableText(body);
  return {
    heading: searchableText(headings),
    body: searched === body ? null : searched,
    parts: searchableParts(all) + stems,
  };
}
