/** Notes whose text is alike on purpose: templates, and the notes of days, weeks and months. */

const TEMPLATES = /(?:^|\/)[^/]*\btemplates?\b[^/]*\//i;
const TEMPLATE = /(?:^|\/)[^/]*\btemplate\b[^/]*\.md$/i;
const JOURNALS = /(?:^|\/)(?:daily|dailies|daily[ _-]?notes?|journals?|diary)\//i;
/** `2026-11-15 Sunday`, `2026_11_15`, `20261115`, `2026-W47`, `2026-11`. */
const PERIOD = /(?:^|\/)(?:\d{4}[-_.]?(?:\d{2}|W\d{2})(?:[-_.]?\d{2})?)\b[^/]*\.md$/i;
/** What template languages replace. */
const PLACEHOLDER = /\{\{|<%|\{%|\$\{/;

export function isTemplate(path: string): boolean {
  return TEMPLATES.test(path) || TEMPLATE.test(path);
}

/** Never a duplicate of another note. */
export function isAlikeOnPurpose(path: string): boolean {
  return isTemplate(path) || JOURNALS.test(path) || PERIOD.test(path);
}

export function hasPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text);
}
