/**
 * Finds the links and tags in the text of a note, outside code spans, comments, HTML tags and
 * autolinks. One pass with memoized lookahead: unbalanced brackets, backticks and comments do not
 * cause quadratic time.
 */

import { lineAt } from '../text/lines.ts';
import { fromLatin1 } from '../text/utf8.ts';
import { CodeSpans } from './code-spans.ts';
import { inlineHtmlEnd } from './inline-html.ts';
import { readLinkTail } from './link-destination.ts';
import { isExternal, readMarkdownTarget, readWikiTarget } from './link-text.ts';
import type { Link, Tag } from './parsed-note.ts';
import { readTag } from './tag-text.ts';

const MAX_LABEL_BYTES = 1000;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
/** Whether a byte can begin or end markup; runs of other bytes are skipped. */
const IS_SIGN = new Uint8Array(256);
for (const sign of Buffer.from('\\`<#![]')) IS_SIGN[sign] = 1;

interface Opener {
  readonly at: number;
  readonly image: boolean;
}

export class InlineScan {
  readonly links: Link[] = [];
  readonly tags: Tag[] = [];
  readonly #text: string;
  readonly #starts: Uint32Array;
  readonly #wikiOpen: (from: number) => number;
  readonly #wikiClose: (from: number) => number;
  readonly #commentClose: (from: number) => number;

  /** `text` is the whole note with one character per byte. */
  constructor(text: string, starts: Uint32Array) {
    this.#text = text;
    this.#starts = starts;
    this.#wikiOpen = nextOccurrence(text, '[[');
    this.#wikiClose = nextOccurrence(text, ']]');
    this.#commentClose = nextOccurrence(text, '-->');
  }

  /** Reads one block of text. Blocks must be read in order. */
  read(from: number, to: number): void {
    const text = this.#text;
    const spans = new CodeSpans(text, from, to);
    const openers: Opener[] = [];
    // Openers below this height enclose a link already found; links cannot contain links.
    let spent = 0;
    for (let at = from; at < to; ) {
      switch (text.charCodeAt(at)) {
        case 92: // backslash
          at += at + 1 < to && PUNCTUATION.test(text[at + 1]!) ? 2 : 1;
          break;
        case 96: {
          const end = spans.spanEnd(at);
          at = end === -1 ? spans.runEnd(at) : end;
          break;
        }
        case 60: // <
          at = this.#skipMarkup(at, to);
          break;
        case 35: // #
          at = this.#readTag(at, from, to);
          break;
        case 33: // !
          if (text[at + 1] !== '[' || at + 1 >= to) at++;
          else {
            const end = this.#readWiki(at, at + 1, to, spans);
            if (end === -1) openers.push({ at, image: true });
            at = end === -1 ? at + 2 : end;
          }
          break;
        case 91: {
          const end = this.#readWiki(at, at, to, spans);
          if (end === -1) openers.push({ at, image: false });
          at = end === -1 ? at + 1 : end;
          break;
        }
        case 93: {
          const opener = openers.pop();
          const dead = opener && !opener.image && openers.length < spent;
          const end = opener && !dead ? this.#readMarkdown(opener, at, to) : -1;
          if (end !== -1 && !opener!.image) spent = openers.length;
          spent = Math.min(spent, openers.length);
          at = end === -1 ? at + 1 : end;
          break;
        }
        default:
          do at++;
          while (at < to && IS_SIGN[text.charCodeAt(at)] === 0);
      }
    }
  }

  /** The end of the wiki link whose `[[` is at `open`, or -1. */
  #readWiki(at: number, open: number, to: number, spans: CodeSpans): number {
    const text = this.#text;
    if (text[open + 1] !== '[' || text[open + 2] === '[') return -1;
    const inner = open + 2;
    const close = this.#wikiClose(inner);
    if (close + 2 > to || close === inner || this.#wikiOpen(inner) < close) return -1;
    const line = lineAt(this.#starts, at);
    if ((this.#starts[line] ?? text.length) <= close) return -1;
    const written = text.slice(inner, close);
    for (let tick = written.indexOf('`'); tick !== -1; ) {
      const end = spans.spanEnd(inner + tick);
      if (end > close) return -1;
      tick = written.indexOf('`', (end === -1 ? spans.runEnd(inner + tick) : end) - inner);
    }
    const bar = written.indexOf('|');
    const label = bar === -1 ? undefined : inner + bar;
    const [targetStart, targetEnd] = trimmed(text, inner, targetLimit(text, label, close));
    if (targetStart === targetEnd) return -1;
    this.links.push({
      kind: at === open ? 'wiki' : 'embed',
      place: 'text',
      ...readWikiTarget(text.slice(targetStart, targetEnd)),
      ...(label !== undefined && { label: readLabel(text, label + 1, close) }),
      start: at,
      end: close + 2,
      targetStart,
      targetEnd,
      line,
    });
    return close + 2;
  }

  /** The end of the link whose text ends in the `]` at `at`, or -1. */
  #readMarkdown(opener: Opener, at: number, to: number): number {
    if (this.#text[at + 1] !== '(' || at + 1 >= to) return -1;
    const tail = readLinkTail(this.#text, at + 2, to);
    if (!tail) return -1;
    const { start, end } = tail.destination;
    const written = this.#text.slice(start, end);
    if (written !== '' && !isExternal(written)) {
      this.links.push({
        kind: opener.image ? 'image' : 'markdown',
        place: 'text',
        ...readMarkdownTarget(written),
        label: readLabel(this.#text, opener.at + (opener.image ? 2 : 1), at),
        start: opener.at,
        end: tail.end,
        targetStart: start,
        targetEnd: end,
        line: lineAt(this.#starts, opener.at),
      });
    }
    return tail.end;
  }

  #skipMarkup(at: number, to: number): number {
    if (this.#text.startsWith('<!--', at)) {
      if (this.#text.startsWith('<!-->', at)) return at + 5;
      if (this.#text.startsWith('<!--->', at)) return at + 6;
      const close = this.#commentClose(at + 4) + 3;
      return close <= to ? close : at + 4;
    }
    const end = inlineHtmlEnd(this.#text, at, to);
    return end === -1 ? at + 1 : end;
  }

  #readTag(at: number, from: number, to: number): number {
    const before = this.#text[at - 1]!;
    const free = at === from || /[ \t\r\n]/.test(before);
    const { name, length, runEnd } = readTag(this.#text, at + 1, to);
    if (free && name !== undefined) {
      const start = at + 1;
      const line = lineAt(this.#starts, at);
      this.tags.push({ name, place: 'text', start, end: start + length, line });
    }
    return runEnd;
  }
}

/**
 * Memoized `indexOf` for increasing offsets: a note full of openers without a closer is searched
 * once, not once per opener. Gives the length of the text where there is no other occurrence.
 */
function nextOccurrence(text: string, needle: string): (from: number) => number {
  let known = -1;
  return (from) => {
    if (known < from) {
      const found = text.indexOf(needle, from);
      known = found === -1 ? text.length : found;
    }
    return known;
  };
}

/** Image labels may nest, so only their beginning is kept. */
function readLabel(text: string, from: number, to: number): string {
  return fromLatin1(text.slice(from, Math.min(to, from + MAX_LABEL_BYTES))).trim();
}

/** In a table the bar before a label is escaped; the backslash is not part of the target. */
function targetLimit(text: string, bar: number | undefined, close: number): number {
  if (bar === undefined) return close;
  return text[bar - 1] === '\\' ? bar - 1 : bar;
}

function trimmed(text: string, from: number, to: number): [number, number] {
  let start = from;
  let end = to;
  while (start < end && (text[start] === ' ' || text[start] === '\t')) start++;
  while (end > start && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  return [start, end];
}
