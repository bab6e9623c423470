/**
 * The structure of a note. Offsets are byte offsets into `bytes`. Lines are counted from 1 over the
 * whole file, frontmatter included, and end with `\n`, `\r\n` or a lone `\r`, as in CommonMark.
 * Texts are decoded as UTF-8, with U+FFFD for invalid bytes.
 */
import type { Eol } from '../text/lines.ts';

export interface ParsedNote {
  readonly bytes: Buffer;
  /** The same with one character per byte, so that an index is a byte offset. */
  readonly latin1: string;
  /** The offset at which each line starts; line n starts at `lineStarts[n - 1]`. */
  readonly lineStarts: Uint32Array;
  /** The most frequent line end; `\n` if there is none. */
  readonly eol: Eol;
  readonly hasBom: boolean;
  readonly frontmatter?: Frontmatter;
  /**
   * Headings outside quotes and lists, in order; only these begin sections. A note without any has
   * those of its outermost bullets, as Logseq writes them.
   */
  readonly headings: readonly Heading[];
  readonly links: readonly Link[];
  /** `aliases` (or `alias`) of the frontmatter, or of the properties in the text. */
  readonly aliases: readonly string[];
  /** `slug`, `permalink` and `url` of the frontmatter, by which a web site knows the note. */
  readonly addresses: readonly string[];
  /** `title` of the frontmatter, else the first heading of level 1. */
  readonly title?: string;
  readonly words: number;
  /** Set if the last block is not closed and would swallow appended text. */
  readonly openEnd?: OpenEnd;
}

/** Adds what edits of links and headings do not need, so that it is not sent between threads. */
export interface WholeNote extends ParsedNote {
  readonly tags: readonly Tag[];
  readonly tasks: readonly Task[];
  /** Properties in the text, as Logseq has them. */
  readonly pageProperties?: Readonly<Record<string, unknown>>;
  /** The body split at every heading, for the index. */
  readonly sections: readonly Section[];
}

export interface Frontmatter {
  /** From the opening `---` to after the line end of the closing one. */
  readonly start: number;
  readonly end: number;
  /** The YAML between the two lines, its last line end included. */
  readonly innerStart: number;
  readonly innerEnd: number;
  /** The mapping; absent if and only if `problem` is set. */
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
  readonly place: 'text' | 'definition' | 'frontmatter';
  /** Decoded (percent, backslash, UTF-8), without the anchor; '' is the note itself. */
  readonly target: string;
  /** After the `#`, decoded: a heading, `heading#subheading`, or `^block`. */
  readonly anchor?: string;
  readonly label?: string;
  readonly start: number;
  readonly end: number;
  /** The target and its anchor as written, without brackets, `<>` and label. */
  readonly targetStart: number;
  readonly targetEnd: number;
  /** The quotes around its frontmatter value. */
  readonly quote?: '"' | "'";
  readonly line: number;
}

export interface Tag {
  /** Without the `#`, as written. */
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
  /** Where its state is written. */
  readonly mark: number;
  /** The sign in the brackets, such as ` `, `x` or `/`, or a word, such as `TODO`. */
  readonly state: string;
  /** Done or cancelled. */
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
  /** The line that would close it, if known. */
  readonly closer?: string;
}
