/**
 * Warns of headings and block anchors that a moved section and its target note both have: a link to
 * either resolves to the first.
 */
import { blockAnchors, HeadingNames } from '../markdown/anchor.ts';
import type { ParsedNote } from '../markdown/parsed-note.ts';

export class SectionTwins {
  readonly warnings = new Set<string>();
  readonly #before: Anchors;
  readonly #after: Anchors;
  /** The range of the section in the target note. */
  readonly #start: number;
  readonly #end: number;

  constructor(before: ParsedNote, after: ParsedNote, line: number, headings: number) {
    this.#before = anchorsOf(before);
    this.#after = anchorsOf(after);
    const first = after.headings.findIndex((heading) => heading.line === line);
    this.#start = after.headings[first]?.start ?? 0;
    this.#end = after.headings[first + headings]?.start ?? after.bytes.length;
  }

  linkToSection(anchor: string): void {
    const there = this.#after(anchor);
    if (there && !this.#isInSection(there.at)) this.#warn(there.name);
  }

  /** Checks a link to the target note. */
  ownLink(anchor: string | undefined): void {
    if (anchor === undefined) return;
    const there = this.#before(anchor) && this.#after(anchor);
    if (there && this.#isInSection(there.at)) this.#warn(there.name);
  }

  #isInSection(at: number): boolean {
    return at >= this.#start && at < this.#end;
  }

  #warn(name: string): void {
    this.warnings.add(`both notes have the ${name}; links to it lead to the first`);
  }
}

type Anchors = (anchor: string) => { readonly at: number; readonly name: string } | undefined;

function anchorsOf(note: ParsedNote): Anchors {
  const blocks = blockAnchors(note.latin1);
  const headings = new HeadingNames(note.headings);
  return (anchor) => {
    const at = blocks.get(anchor);
    if (at !== undefined) return { at, name: `block "${anchor}"` };
    const heading = anchor.startsWith('^') ? undefined : headings.find(anchor);
    return heading && { at: heading.start, name: `heading "${heading.text}"` };
  };
}
