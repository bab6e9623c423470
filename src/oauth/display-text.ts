/**
 * Sanitizes names that strangers chose, for display.
 *
 * Prevents a client name from rearranging the sign-in page: control, bidirectional, invisible
 * and unassigned characters are removed, white space is folded, and the length is limited. The page
 * itself escapes HTML.
 */
const INVISIBLE = /\p{Cf}/gu;
const UNSHOWABLE = /[\p{Cc}\p{Co}\p{Cn}\p{Cs}]/gu;

/** The text as it may be shown, or undefined when nothing of it can be. */
export function displayText(text: unknown, maxCharacters: number): string | undefined {
  if (typeof text !== 'string') return undefined;
  const shown = text.replace(INVISIBLE, '').replace(/\s+/gu, ' ').replace(UNSHOWABLE, '').trim();
  if (shown === '') return undefined;
  const characters = [...shown];
  return characters.length <= maxCharacters
    ? shown
    : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}
