/**
 * Redaction of a whole string: a header, an error text, a field of a log line.
 *
 * Strings that come out of an HTTP parser hold one character for each byte, so a secret with
 * an `é` is in them as `Ã©`. A string that may be such is read in both ways: as the text
 * it is, and as the bytes it may stand for.
 */
import type { Matcher } from './matcher.ts';
import type { MatchSink } from './scanner.ts';
import { TextScanner } from './text-scanner.ts';

/** Short strings are encoded into this rather than into new memory. */
const scratch = Buffer.allocUnsafeSlow(8192);

interface Match {
  readonly start: number;
  readonly end: number;
}

const NONE: readonly Match[] = [];

/** Makes its list with the first match: most texts have none. */
class Matches implements MatchSink {
  list: Match[] | undefined;

  add(start: number, end: number): void {
    this.list ??= [];
    this.list.push({ start, end });
  }
}

export function redactText(
  value: string,
  marker: string,
  matcher: Matcher,
): { text: string; count: number } {
  const matches = matchesIn(value, matcher);
  if (matches.length === 0) return { text: value, count: 0 };
  const unions = unionsOf(matches);
  let text = '';
  let done = 0;
  for (const { start, end } of unions) {
    text += value.slice(done, start) + marker;
    done = end;
  }
  return { text: text + value.slice(done), count: unions.length };
}

function matchesIn(value: string, matcher: Matcher): readonly Match[] {
  const fits = value.length * 3 <= scratch.length;
  const bytes = fits ? scratch : Buffer.from(value);
  const length = fits ? scratch.write(value) : bytes.length;
  const inBytes = scan(bytes, length, matcher);
  // Bytes and characters have the same positions when all is ASCII.
  if (length === value.length) return inBytes;
  const inText = inBytes.length === 0 ? [] : toCharacters(value, inBytes);
  if (!/^[\u0000-\u00ff]*$/.test(value)) return inText;
  return [...inText, ...scan(Buffer.from(value, 'latin1'), value.length, matcher)];
}

function scan(bytes: Uint8Array, length: number, matcher: Matcher): readonly Match[] {
  const matches = new Matches();
  new TextScanner(matches, matcher).read(bytes, 0, length, 0, true);
  return matches.list ?? NONE;
}

/** Matches in the UTF-8 of a string as matches in the string, rounded to whole characters. */
function toCharacters(value: string, matches: readonly Match[]): Match[] {
  const starts: number[] = [];
  const ends: number[] = [];
  for (let index = 0; index < value.length; ) {
    const code = value.codePointAt(index)!;
    const next = index + (code < 0x10000 ? 1 : 2);
    const bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (let byte = 0; byte < bytes; byte++) {
      starts.push(index);
      ends.push(next);
    }
    index = next;
  }
  return matches.map(({ start, end }) => ({ start: starts[start]!, end: ends[end - 1]! }));
}

/** Matches that overlap become one; those that merely touch stay two. */
function unionsOf(matches: readonly Match[]): Match[] {
  const unions: Match[] = [];
  for (const match of matches.toSorted((a, b) => a.start - b.start)) {
    const last = unions.at(-1);
    if (last !== undefined && match.start < last.end) {
      unions[unions.length - 1] = { start: last.start, end: Math.max(last.end, match.end) };
    } else {
      unions.push(match);
    }
  }
  return unions;
}
