/**
 * Prevents terminal escape injection (CWE-150) by a stranger's text: escape sequences, line breaks,
 * invisible and bidirectional characters are shown as escapes.
 */
import { UNPRINTABLE } from './unprintable.ts';

export function terminalText(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return short.replace(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}
