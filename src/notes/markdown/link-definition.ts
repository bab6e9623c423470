import { fromLatin1 } from '../text/utf8.ts';
import { readDestination, skipLinkSpace } from './link-destination.ts';
import { isExternal, readMarkdownTarget } from './link-text.ts';
import type { Link } from './parsed-note.ts';

/**
 * The link of a `[label]: target` definition, or undefined if it leads out of the vault or is a
 * footnote. Links that refer to the label follow the definition.
 */
export function readDefinition(
  text: string,
  start: number,
  end: number,
  line: number,
): Link | undefined {
  const opener = text.indexOf('[', start);
  let close = opener + 1;
  while (close < end && text[close] !== ']') close += text[close] === '\\' ? 2 : 1;
  if (text[opener + 1] === '^') return undefined;
  const destination = readDestination(text, skipLinkSpace(text, close + 2, end), end);
  if (!destination) return undefined;
  const written = text.slice(destination.start, destination.end);
  if (written === '' || isExternal(written)) return undefined;
  return {
    kind: 'markdown',
    place: 'definition',
    ...readMarkdownTarget(written),
    label: fromLatin1(text.slice(opener + 1, close)),
    start: opener,
    end: destination.after,
    targetStart: destination.start,
    targetEnd: destination.end,
    line,
  };
}
