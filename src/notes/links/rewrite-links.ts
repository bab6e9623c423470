/**
 * Rewrites the links of one note after files were moved, merged or split, or a heading was renamed.
 * Only the target of a parsed link is replaced: code, comments and prose are never touched.
 */
import { anchorPlace } from '../markdown/link-text.ts';
import type { Link, LinkKind, ParsedNote } from '../markdown/parsed-note.ts';
import type { Replacement } from '../text/replacements.ts';
import { toLatin1 } from '../text/utf8.ts';
import {
  callsByFileName,
  encodeAnchor,
  encodePath,
  encodeWiki,
  isWiki,
  spellInFull,
  spellTarget,
} from './spell-link.ts';

export interface Destination {
  readonly path: string;
  /** Absent if the anchor is unchanged. */
  readonly anchor?: string;
}

export interface LinkChange {
  /** The path of the note before and after the change. */
  readonly from: string;
  readonly to: string;
  /** The file a link named before the change. */
  resolve(link: Link): string | undefined;
  /** The new place of a path or of an anchor in it; undefined if it did not move. */
  destination(path: string, anchor: string | undefined): Destination | undefined;
  /** Whether the bare name of the file is unique after the change. */
  isUnique(path: string): boolean;
  /** Whether the file keeps its title and aliases, so that links by those still resolve. */
  readonly keepsOtherNames: boolean;
  /**
   * The file that a link in this note leads to after the change. If given, a link that would resolve
   * to another file of the same name is written as a full path.
   */
  leadsTo?(kind: LinkKind, target: string): string | undefined;
}

/** Undefined if the link is unchanged. */
export function rewriteLink(
  note: ParsedNote,
  link: Link,
  change: LinkChange,
): Replacement | undefined {
  const named = link.target === '' ? change.from : change.resolve(link);
  if (named === undefined) return undefined;
  const destination = change.destination(named, link.anchor) ?? { path: named };
  const newSpelling = spell(link, named, destination.path, change);
  if (newSpelling === undefined && destination.anchor === undefined) return undefined;
  const written = note.latin1.slice(link.targetStart, link.targetEnd);
  const hash = isWiki(link) ? written.indexOf('#') : anchorPlace(written);
  const anchorAt = hash === -1 ? written.length : hash;
  // If the `#` is written as `&#35;`, path and anchor are both rewritten.
  const isOdd = hash === -1 && link.anchor !== undefined;
  const spelt = newSpelling ?? (isOdd ? link.target : undefined);
  const angled = note.latin1[link.targetStart - 1] === '<';
  const path =
    spelt === undefined
      ? written.slice(0, anchorAt)
      : isWiki(link)
        ? encodeWiki(spelt, link)
        : encodePath(spelt, written, angled);
  const anchored = destination.anchor ?? (isOdd ? link.anchor : undefined);
  const newAnchor = encodeAnchor(anchored ?? '', link, written, angled);
  if (path === undefined || newAnchor === undefined) return asMarkdown(link, change, destination);
  const anchor = anchored === undefined ? written.slice(anchorAt) : `#${newAnchor}`;
  if (path + anchor === written) return undefined;
  const bytes = Buffer.from(path + anchor, 'latin1');
  return { start: link.targetStart, end: link.targetEnd, bytes };
}

/** The new spelling of the path, or undefined if the old one still works. */
function spell(
  link: Link,
  named: string,
  destination: string,
  change: LinkChange,
): string | undefined {
  const { from, to } = change;
  if (link.target === '' && destination === to) return undefined;
  const arrives = (target: string) =>
    change.leadsTo === undefined || change.leadsTo(link.kind, target) === destination;
  if (mayStay(link, named, destination, change) && arrives(link.target)) return undefined;
  const unique = change.isUnique(destination);
  const places = { from, to, named, destination, unique };
  const spelt = spellTarget(link, places);
  const chosen = [spelt, ...spellInFull(link, places)].find(arrives) ?? spelt;
  return chosen === link.target ? undefined : chosen;
}

/** Whether the link may keep its spelling, provided it resolves to the right file. */
function mayStay(link: Link, named: string, destination: string, change: LinkChange): boolean {
  const isUnmoved = named === destination;
  if (isUnmoved && change.from === change.to) return true;
  const byOtherName = link.target !== '' && !callsByFileName(link, named);
  if (byOtherName && (change.keepsOtherNames || isUnmoved)) return true;
  return isUnmoved && isWiki(link) && change.leadsTo !== undefined;
}

/** A Markdown link, for a name that a wiki link cannot contain. */
function asMarkdown(link: Link, change: LinkChange, { path, anchor }: Destination) {
  if (link.place === 'frontmatter') return undefined;
  const kept = anchor ?? link.anchor;
  const label = (link.label ?? link.target).replace(/[[\]\\]/g, '\\$&');
  const places = {
    from: change.from,
    to: change.to,
    named: path,
    destination: path,
    unique: false,
  };
  const plain: Link = { ...link, kind: 'markdown', target: 'x.md' };
  const target = encodePath(spellTarget(plain, places), '', true);
  const tail = kept === undefined ? '' : `#${encodeAnchor(kept, plain, '', true)}`;
  const mark = link.kind === 'embed' ? '!' : '';
  const text = `${mark}[${toLatin1(label)}](<${target}${tail}>)`;
  return { start: link.start, end: link.end, bytes: Buffer.from(text, 'latin1') };
}
