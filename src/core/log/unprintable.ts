/**
 * Characters that are invisible or change the text around them: controls, formats (such as bidirectional
 * overrides), lone surrogates, private use, unassigned, line and paragraph separators.
 */
export const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Replaces each by its escapes, which a JSON parser reads as the same character. */
export function escapeUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
