/**
 * What is known of a note from its bytes alone. Every offset is a byte offset into `bytes`, every
 * line is counted from 1 over the whole file, frontmatter included; `\n`, `\r\n` and a lone `\r`
 * each end a line, as in CommonMark. Texts shown to people are decoded as UTF-8, with U+FFFD for
 * what is not.
 */
import type { Eol } from '../text/lines.ts';

export interface ParsedNote {
  readonly bytes: Buffer;
  /** The same bytes with one character a byte, so that an index into it is a byte offset. */
  readonly latin1: string;
  /** The offset at which each line starts; line n starts at `lineStarts[n - 1]`. */
  readonly lineStarts: Uint32Array;
  /** The line end most lines of the note have, `\n` where none has one. */
  readonly eol: Eol;
  readonly hasBom: boolean;
  readonly frontmatter?: Frontmatter;
  /** Headings outside quotes and lists, in order; only these make sections. */
  readonly headings: readonly Heading[];
  readonly links: readonly Link[];
  /** `aliases` (or `alias`) of the frontmatter. */
  readonly aliases: readonly string[];
  /** `title` of the frontmatter, else the first heading of level 1. */
  readonly title?: string;
  readonly words: number;
  /** Set where the last block of the note is never closed and would swallow what is appended. */
  readonly openEnd?: OpenEnd;
}

/** With what edits of links and headings need not know: of a large note, it is much to hand over. */
export interface WholeNote extends ParsedNote {
  readonly tags: readonly Tag[];
  readonly tasks: readonly Task[];
  /** The body cut at every heading, without overlaps, for the index. */
  readonly sections: readonly Section[];
}

export interface Frontmatter {
  /** From the opening `---` to after the line end of the closing one. */
  readonly start: number;
  readonly end: number;
  /** The YAML between the two lines, its last line end included. */
  readonly innerStart: number;
  readonly innerEnd: number;
  /** The mapping; absent exactly where `problem` says why. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly problem?: string;
}

export interface Heading {
  readonly level: number;
  /** The text as written, without the markers. */
  readonly text: string;
  /** The texts of the headings above it and its own. */
  readonly path: readonly string[];
  readonly line: number;
  readonly style: 'atx' | 'setext';
  readonly start: number;
  readonly textStart: number;
  readonly textEnd: number;
  /** The first byte after the heading's own lines. */
  readonly contentStart: number;
  /** The end of its section: the next heading of the same or a higher level, or the end. */
  readonly end: number;
}

export type LinkKind = 'wiki' | 'embed' | 'markdown' | 'image';

export interface Link {
  readonly kind: LinkKind;
  /** Where it stands: in the text, in a `[label]: target` definition, or in the frontmatter. */
  readonly place: 'text' | 'definition' | 'frontmatter';
  /** What it names, decoded (percent, backslash, UTF-8), without the anchor; '' is the note itself. */
  readonly target: string;
  /** After the `#`, decoded: a heading, `heading#subheading`, or `^block`. */
  readonly anchor?: string;
  readonly label?: string;
  readonly start: number;
  readonly end: number;
  /** The target and its anchor as written, without brackets, `<>` and label. */
  readonly targetStart: number;
  readonly targetEnd: number;
  /** The quotes around the frontmatter value it stands in. */
  readonly quote?: '"' | "'";
  readonly line: number;
}

export interface Tag {
  /** Without the `#`, in the case it is written in. */
  readonly name: string;
  readonly place: 'text' | 'frontmatter';
  /** The name itself, without `#` and quotes. */
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

export interface Task {
  readonly line: number;
  /** The start of its line. */
  readonly start: number;
  /** The one byte between the brackets. */
  readonly mark: number;
  readonly done: boolean;
  readonly text: string;
  /** A calendar date, `2026-11-15`. */
  readonly due?: string;
}

export interface Section {
  readonly headingPath: readonly string[];
  readonly line: number;
  /** Its heading included. */
  readonly start: number;
  readonly end: number;
}

export interface OpenEnd {
  readonly kind: 'fence' | 'html';
  readonly line: number;
  /** The line that would close it, where one is known. */
  readonly closer?: string;
}
