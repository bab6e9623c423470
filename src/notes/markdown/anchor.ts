/** Resolves the anchor of a link, the part after `#`, to a heading. */
import { foldName } from '../text/utf8.ts';

/** Headings by anchor, with constant lookup: a note may have 100,000 links and headings. */
export class HeadingNames<H extends { readonly text: string }> {
  readonly #headings: readonly H[];
  #byText: Map<string, number> | undefined;
  #bySlug = new Map<string, number>();

  constructor(headings: readonly H[]) {
    this.#headings = headings;
  }

  /**
   * The heading of the anchor, B for `A#B`: the first with that text, else the first with that slug.
   * Text takes precedence so that `C` is not a link to C++ in a note with a heading C.
   */
  find(anchor: string): H | undefined {
    const byText = this.#byText ?? this.#read();
    const last = anchor.slice(anchor.lastIndexOf('#') + 1);
    const id = foldName(last);
    const bySlug = this.#bySlug.get(id) ?? this.#bySlug.get(id.replaceAll('_', '-'));
    return this.#headings[byText.get(plain(last)) ?? bySlug ?? -1];
  }

  /** On first use: most notes have no link with an anchor. */
  #read(): Map<string, number> {
    const byText = new Map<string, number>();
    // Backwards, so that the first of equal headings wins.
    for (let at = this.#headings.length - 1; at >= 0; at--) {
      const { text } = this.#headings[at]!;
      byText.set(plain(text), at);
      this.#bySlug.set(slug(text), at);
      // Hugo and Pandoc: `## Heading {#id}`.
      const id = /\{#([^{}\s]+)\}\s*$/.exec(text)?.[1];
      if (id !== undefined) this.#bySlug.set(foldName(id), at);
    }
    this.#byText = byText;
    return byText;
  }
}

/** The block anchors of a note, `^id` at the end of a line, with their offsets. */
export function blockAnchors(latin1: string): ReadonlyMap<string, number> {
  const blocks = new Map<string, number>();
  for (const { 1: anchor, index } of latin1.matchAll(BLOCK)) {
    if (!blocks.has(anchor!)) blocks.set(anchor!, index);
  }
  return blocks;
}

const BLOCK = /(?:^|[ \t])(\^[A-Za-z0-9-]+)[ \t]*$/gm;

/** The anchor after a heading is renamed, or undefined if it does not name that heading. */
export function renamedAnchor<H extends { readonly text: string }>(
  anchor: string,
  headings: HeadingNames<H>,
  heading: H,
  to: string,
): string | undefined {
  if (anchor.startsWith('^')) return undefined;
  const parts = anchor.split('#');
  const isNamed = (part: string) => headings.find(part) === heading;
  if (!parts.some(isNamed)) return undefined;
  return parts
    .map((part) => {
      if (!isNamed(part)) return part;
      return isSameText(part, heading.text) ? anchorFor(to) : slug(to);
    })
    .join('#');
}

/** A heading as an anchor, without the characters that would end an anchor or a link. */
export function anchorFor(heading: string): string {
  return heading
    .replace(/[#^|[\]\\]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether the two texts have the same anchor. */
export function isSameText(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  return foldName(text.replace(/[#^|[\]\\:]/g, ' ').replace(/\s+/g, ' ')).trim();
}

/** The heading ID that websites generate. */
function slug(heading: string): string {
  return foldName(heading)
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}
