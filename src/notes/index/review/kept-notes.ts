/** Notes whose text is alike on purpose: templates, and the notes of days, weeks and months. */

/** Where the person's own editor keeps them; empty folders are not among them. */
export interface KeptFolders {
  readonly templates: readonly string[];
  readonly journals: readonly string[];
}

export const NO_KEPT_FOLDERS: KeptFolders = { templates: [], journals: [] };

const TEMPLATES = /(?:^|\/)[^/]*\btemplates?\b[^/]*\//i;
const TEMPLATE = /(?:^|\/)[^/]*\btemplate\b[^/]*\.md$/i;
const JOURNALS = /(?:^|\/)(?:daily|dailies|daily[ _-]?notes?|journals?|diary)\//i;
/** `2026-11-15 Sunday`, `2026_11_15`, `20261115`, `2026-W47`, `2026-11`. */
const PERIOD = /(?:^|\/)(?:\d{4}[-_.]?(?:\d{2}|W\d{2})(?:[-_.]?\d{2})?)\b[^/]*\.md$/i;
/** What template languages replace. */
const PLACEHOLDER = /\{\{|<%|\{%|\$\{/;

export function isTemplate(path: string, { templates }: KeptFolders): boolean {
  return TEMPLATES.test(path) || TEMPLATE.test(path) || isBelow(path, templates);
}

/** Never a duplicate of another note. */
export function isAlikeOnPurpose(path: string, kept: KeptFolders): boolean {
  const isJournal = JOURNALS.test(path) || PERIOD.test(path) || isBelow(path, kept.journals);
  return isJournal || isTemplate(path, kept);
}

export function hasPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text);
}

/** Also of a single note that is named. */
function isBelow(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(`${place}/`));
}
