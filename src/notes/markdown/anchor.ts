/** How the part of a link after `#` names a heading. */
import { foldName } from '../text/utf8.ts';

/**
 * Headings by what anchors call them. A note may have as many links as headings, a hundred thousand
 * of each, so that a lookup must cost the same however many there are.
 */
export class HeadingNames<H extends { readonly text: string }> {
  readonly #headings: readonly H[];
  #byText: Map<string, number> | undefined;
  #bySlug = new Map<string, number>();

  constructor(headings: readonly H[]) {
    this.#headings = headings;
  }

  /**
   * The heading that the anchor leads to, B for `A#B`: the first of that text, and else the first
   * that a website would name so. `C` is no link to C++ where there is a C.
   */
  find(anchor: string): H | undefined {
    const byText = this.#byText ?? this.#read();
    const last = anchor.slice(anchor.lastIndexOf('#') + 1);
    return this.#headings[byText.get(plain(last)) ?? this.#bySlug.get(foldName(last)) ?? -1];
  }

  /** Only where it is asked: most notes have no link with an anchor. */
  #read(): Map<string, number> {
    const byText = new Map<string, number>();
    // From the last to the first, so that of those with one name the first is kept.
    for (let at = this.#headings.length - 1; at >= 0; at--) {
      const { text } = this.#headings[at]!;
      byText.set(plain(text), at);
      this.#bySlug.set(slug(text), at);
    }
    this.#byText = byText;
    return byText;
  }
}

/** The blocks of a note that can be linked to, `^id` at the end of a line, and where they are. */
export function blockAnchors(latin1: string): ReadonlyMap<string, number> {
  const blocks = new Map<string, number>();
  for (const { 1: anchor, index } of latin1.matchAll(BLOCK)) {
    if (!blocks.has(anchor!)) blocks.set(anchor!, index);
  }
  return blocks;
}

const BLOCK = /(?:^|[ \t])(\^[A-Za-z0-9-]+)[ \t]*$/gm;

/** The anchor after a heading has another text, or undefined where it did not name it. */
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

/** A heading as an anchor: what ends an anchor or a link is left out, as editors do. */
export function anchorFor(heading: string): string {
  return heading
    .replace(/[#^|[\]\\]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Whether an anchor cannot tell the two texts apart. */
export function isSameText(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  return foldName(text.replace(/[#^|[\]\\:]/g, ' ').replace(/\s+/g, ' ')).trim();
}

/** The form that websites give their headings. */
function slug(heading: string): string {
  return foldName(heading)
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}
