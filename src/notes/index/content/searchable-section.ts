import { searchableParts, searchableText } from './searchable-text.ts';
import type { IndexedSection } from './section-cuts.ts';

/** What the full-text index holds of a section, beside the names of its note. */
export interface SearchableSection {
  readonly heading: string;
  /** Null where it is the section's own text. */
  readonly body: string | null;
  readonly parts: string;
}

/** The same text gives the same words: an index forgets a section by them. */
export function searchableSection({
  headingPath,
  text,
  bodyStart,
}: Pick<IndexedSection, 'headingPath' | 'text' | 'bodyStart'>): SearchableSection {
  const body = text.slice(bodyStart);
  const searchable = searchableText(body);
  const headings = headingPath.join('\n');
  return {
    heading: searchableText(headings),
    body: searchable === body ? null : searchable,
    parts: searchableParts(`${headings}\n${body}`),
  };
}
