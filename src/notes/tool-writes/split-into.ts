/** Splits several sections of a note into notes and updates the links between them. */
import { setImmediate } from 'node:timers/promises';
import type { PlacedNote } from '../edit/merge.ts';
import { splitChange, splitDestination } from '../edit/split.ts';
import { cutNote, readNote } from '../large-notes/heavy-notes.ts';
import type { LinkStyle } from '../links/new-link.ts';
import type { LinkChange } from '../links/rewrite-links.ts';
import type { Heading, ParsedNote } from '../markdown/parsed-note.ts';
import { applyReplacements } from '../text/replacements.ts';
import { linkReplacements } from '../tool-kit/link-replacements.ts';
import type { LinkTargets } from '../tool-kit/link-targets.ts';

export interface Cut {
  /** A heading of the note; all cuts have the same level. */
  readonly heading: Heading;
  readonly to: string;
}

export interface SplitNotes {
  readonly rest: Buffer;
  /** The new notes by their paths. */
  readonly created: ReadonlyMap<string, Buffer>;
  /** Redirects links of other notes. */
  readonly destination: LinkChange['destination'];
}

/**
 * The cuts must be in the order of their headings. `targets` must have loaded the links of the note
 * and the names of the new notes. Every cut parses the note again, so it yields between cuts.
 */
export async function splitInto(
  source: PlacedNote,
  cuts: readonly Cut[],
  targets: LinkTargets,
  style: LinkStyle,
): Promise<SplitNotes> {
  const { path } = source;
  const isUnique = (other: string) => targets.isUnique(other);
  const mended = async (
    bytes: Buffer,
    place: string,
    change: Pick<LinkChange, 'resolve' | 'destination'>,
  ) =>
    applyReplacements(
      bytes,
      await linkReplacements(await readNote(bytes), {
        ...change,
        from: place,
        to: place,
        keepsOtherNames: true,
        ...targets.rulesAt(place),
      }),
    );
  // First update links that would otherwise resolve to a new note.
  let rest = await mended(source.note.bytes, path, {
    resolve: (link) => targets.before(path, link),
    destination: () => undefined,
  });
  const created = new Map<string, Buffer>();
  const destinations: LinkChange['destination'][] = [];
  for (const [at, { heading, to }] of cuts.entries()) {
    await setImmediate();
    const note = await readNote(rest);
    // Each cut removes exactly one heading of this level.
    const place = peers(source.note, heading.level).indexOf(heading) - at;
    const section = peers(note, heading.level)[place]!;
    const destination = splitDestination(note, section, path, to);
    const spelt = (there: string) =>
      linkReplacements(
        note,
        splitChange(path, there, destination, {
          resolve: (link) => targets.after(path, link),
          isUnique,
          leadsTo: (from, kind, target) => targets.after(from, { kind, target }),
        }),
      );
    const [staying, leaving] = [await spelt(path), await spelt(to)];
    const cut = { line: section.line, to, isUnique: isUnique(to), style, staying, leaving };
    const made = await cutNote({ path, bytes: rest }, cut);
    for (const [other, bytes] of created) {
      const resolve: LinkChange['resolve'] = (link) => targets.after(other, link);
      created.set(other, await mended(bytes, other, { resolve, destination }));
    }
    created.set(to, made.created);
    destinations.push(destination);
    rest = made.rest;
  }
  return {
    rest,
    created,
    destination: (file, anchor) => {
      for (const destination of destinations) {
        const found = destination(file, anchor);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

function peers(note: ParsedNote, level: number): Heading[] {
  return note.headings.filter((heading) => heading.level === level);
}
