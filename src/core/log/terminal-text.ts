/**
 * A stranger's text as a terminal may show it. The attack: a log line, an agent or a URL that
 * holds escape sequences, line breaks, invisible or direction-changing characters, and so
 * rewrites what is on the screen. All of them are shown as what they are.
 */

import { UNPRINTABLE } from './unprintable.ts';

export function terminalText(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  const short = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return short.replace(UNPRINTABLE, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}
