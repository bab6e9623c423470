/** Decodes the text between the brackets or parentheses of a link into target and anchor. */
import MarkdownIt from 'markdown-it';
import { fromLatin1 } from '../text/utf8.ts';

export interface NamedTarget {
  readonly target: string;
  readonly anchor?: string;
}

/** A wiki link is not percent-encoded. `text` has one character per byte. */
export function readWikiTarget(text: string): NamedTarget {
  return split(fromLatin1(text), (part) => part.trim());
}

const { unescapeAll } = new MarkdownIt('zero').utils;

/**
 * The destination of a Markdown link: backslash escapes and `&amp;` or `&#228;` are undone
 * (CommonMark 2.4, 2.5), then percent-encoding.
 */
export function readMarkdownTarget(text: string): NamedTarget {
  return split(unescapeAll(fromLatin1(text)), percentDecode);
}

/** The offset of the literal `#` in a written link, ignoring character references; or -1. */
export function anchorPlace(written: string): number {
  return written
    .replace(/&#x?[0-9a-f]+;/gi, (reference) => '_'.repeat(reference.length))
    .indexOf('#');
}

/**
 * Whether a destination is no path of the vault: it has a scheme or a host, is filled in by a site
 * generator (`{{< ref >}}`), or is a block of Logseq (`((id))`).
 */
export function isExternal(destination: string): boolean {
  return /^(?:[A-Za-z][A-Za-z0-9+.-]*:|\/\/|<?\{[{%]|\(\()/.test(destination);
}

/** Text that is not valid percent-encoded UTF-8 is left as it is. */
function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function split(written: string, decode: (part: string) => string): NamedTarget {
  const hash = written.indexOf('#');
  if (hash === -1) return { target: decode(written) };
  return { target: decode(written.slice(0, hash)), anchor: decode(written.slice(hash + 1)) };
}
