/**
 * Writes the path of a link in the style it had before: by name or path, relative or from the root,
 * with or without `.md`, encoded or in angle brackets.
 */
import { posix } from 'node:path';
import type { Link } from '../markdown/parsed-note.ts';
import { foldName, toLatin1 } from '../text/utf8.ts';
import { folderOfPage, noteName, pageName, withoutTail } from './page-name.ts';

export interface LinkPlaces {
  /** The path of the note that contains the link, before and after the change. */
  readonly from: string;
  readonly to: string;
  /** The path of the file it names, before and after. */
  readonly named: string;
  readonly destination: string;
  /** Whether the bare name of the destination is unique after the change. */
  readonly unique: boolean;
}

/** The path as the link will write it, before encoding. */
export function spellTarget(link: Link, places: LinkPlaces): string {
  const { target } = link;
  const foreign = isWiki(link) ? spellPage(target, places) : spellAddress(target, places);
  if (foreign !== undefined) return foreign;
  const { to, destination, unique } = places;
  const name = posix.basename(destination);
  const relative = posix.relative(posix.dirname(to), destination);
  const spelt = (() => {
    switch (styleOf(link, places)) {
      case 'root':
        return `/${destination}`;
      case 'relative':
        return target.startsWith('./') && !relative.startsWith('.') ? `./${relative}` : relative;
      case 'path':
        return destination;
      case 'name':
        return unique ? name : isWiki(link) ? destination : relative;
    }
  })();
  return isNotePath(destination) && !isNotePath(target) && (target !== '' || isWiki(link))
    ? spelt.slice(0, -3)
    : spelt;
}

/** `a/b` for `a___b.md`, if the link has that style. */
function spellPage(target: string, { named, destination }: LinkPlaces): string | undefined {
  const page = pageName(named);
  if (page === undefined || foldName(page) !== foldName(target)) return undefined;
  return pageName(destination) ?? noteName(destination);
}

/** `/docs/x/` for `content/docs/x.md` and `content/docs/x/index.md`, if the link has that style. */
function spellAddress(target: string, { named, destination }: LinkPlaces): string | undefined {
  const place = placeOf(named);
  const address = withoutTail(target);
  if (!address.startsWith('/') || sameFile(address.slice(1), named)) return undefined;
  if (!foldName(`/${place}`).endsWith(foldName(address))) return undefined;
  const root = place.slice(0, place.length - address.length + 1);
  const now = placeOf(destination);
  if (!now.startsWith(root)) return undefined;
  return `/${now.slice(root.length)}${target.slice(address.length)}`;
}

function placeOf(path: string): string {
  return folderOfPage(path) ?? path.replace(/\.md$/i, '');
}

/** The unambiguous spellings of the path, the shorter one first. */
export function spellInFull(link: Link, { to, destination }: LinkPlaces): string[] {
  const whole = isWiki(link) ? destination : posix.relative(posix.dirname(to), destination);
  const short = isNotePath(destination) && !isNotePath(link.target);
  return short ? [whole.slice(0, -3), whole] : [whole];
}

function styleOf(link: Link, { from, named }: LinkPlaces): 'root' | 'relative' | 'path' | 'name' {
  const { target } = link;
  if (target.startsWith('/')) return 'root';
  if (/^\.\.?\//.test(target)) return 'relative';
  if (isWiki(link)) return target.includes('/') ? 'path' : 'name';
  if (target === '') return 'relative';
  const fromFolder = posix.join(posix.dirname(from), target);
  if (sameFile(fromFolder, named)) return 'relative';
  return target.includes('/') ? 'path' : 'name';
}

/** Whether a link uses the file name, and not a title or an alias. */
export function callsByFileName(link: Link, path: string): boolean {
  return sameFile(posix.basename(link.target), posix.basename(path));
}

/** Whether a wiki link can contain the name: these characters end the target or open code. */
export function fitsWiki(spelt: string): boolean {
  return !/[#^|[\]\\`\r\n]|^\s|\s$/.test(spelt);
}

/** A wiki target as Latin-1; undefined if the link cannot contain it. */
export function encodeWiki(spelt: string, link: Pick<Link, 'place' | 'quote'>): string | undefined {
  const isText = link.place !== 'frontmatter';
  return fitsWiki(isText ? spelt : spelt.replaceAll('`', '')) ? quoted(spelt, link) : undefined;
}

/** A Markdown path as Latin-1, percent-encoded like `written`; `./` keeps `a:b` from being a scheme. */
export function encodePath(spelt: string, written: string, angled: boolean): string {
  // The query of an address, `/docs/x/?y=z`, is not a part of the path.
  const [, path = spelt, query] = /^(\/[^?]*)\?([\w.-]+=.*)$/s.exec(spelt) ?? [];
  const tail = query === undefined ? '' : `?${percentEncode(query, written, angled)}`;
  const encoded = percentEncode(path, written, angled) + tail;
  return /^[^/]*:/.test(encoded) || /^\s/.test(spelt) ? `./${encoded}` : encoded;
}

/** An anchor as Latin-1, without its `#`. */
export function encodeAnchor(
  anchor: string,
  link: Link,
  written: string,
  angled: boolean,
): string | undefined {
  if (!isWiki(link)) return percentEncode(anchor, written, angled);
  return /[|[\]\\\r\n]/.test(anchor) ? undefined : quoted(anchor, link);
}

function quoted(text: string, link: Pick<Link, 'place' | 'quote'>): string | undefined {
  if (link.place !== 'frontmatter') return toLatin1(text);
  if (link.quote === '"') return toLatin1(JSON.stringify(text).slice(1, -1));
  if (link.quote === "'") return toLatin1(text.replaceAll("'", "''"));
  return /^[\p{L}\p{M}\p{N} _./-]*$/u.test(text) ? toLatin1(text) : undefined;
}

function percentEncode(text: string, written: string, angled: boolean): string {
  const unsafe = angled ? /[%#?<>\\|`]/g : /[%#?<>\\|\x00-\x20\x7f()"'`]/g;
  // `&amp;` in a file name must not be decoded as `&`.
  const escaped = text.replace(unsafe, percent).replace(/&(?=\w+;)/g, percent);
  const whole = /%[89A-F][0-9A-F]/i.test(written);
  return toLatin1(whole ? escaped.replace(/[^\x00-\x7f]+/g, encodeURIComponent) : escaped);
}

export function isWiki({ kind }: Pick<Link, 'kind'>): boolean {
  return kind === 'wiki' || kind === 'embed';
}

function isNotePath(path: string): boolean {
  return /\.md$/i.test(path);
}

function sameFile(spelt: string, path: string): boolean {
  const [one, other] = [foldName(spelt), foldName(path)];
  return one === other || `${one}.md` === other;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
