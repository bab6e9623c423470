/** Writes a link that was not there before, in the style that the person chose for new links. */
import { posix } from 'node:path';
import { noteName } from './page-name.ts';
import { encodePath, fitsWiki } from './spell-link.ts';

export interface LinkStyle {
  /** `shortest`: the name if it is unique, else the path. */
  readonly path: 'shortest' | 'relative' | 'absolute';
  /** `[label](path.md)` instead of `[[path|label]]`. */
  readonly markdown: boolean;
}

export const DEFAULT_LINK_STYLE: LinkStyle = { path: 'shortest', markdown: false };

export interface NewLink {
  /** The note that will hold the link; without it no path is relative. */
  readonly from?: string;
  readonly to: string;
  readonly isUnique: boolean;
  readonly label?: string;
  readonly isEmbed?: boolean;
}

export function newLink(style: LinkStyle, { from, to, isUnique, ...link }: NewLink): string {
  const mark = link.isEmbed ? '!' : '';
  const relative = from === undefined ? to : posix.relative(posix.dirname(from), to);
  const path =
    style.path === 'relative'
      ? relative
      : style.path === 'shortest' && isUnique
        ? posix.basename(to)
        : to;
  const name = path.replace(/\.md$/i, '');
  const label = (link.label ?? '').replace(/[[\]|\\]/g, '').trim();
  if (!style.markdown && fitsWiki(name)) {
    const isSaid = label === '' || label === name;
    return `${mark}[[${name}${isSaid ? '' : `|${label}`}]]`;
  }
  // A wiki link cannot hold the name: only a path leads there from everywhere.
  const written = encodePath(style.markdown ? path : relative, '', true);
  const spelt = Buffer.from(written, 'latin1').toString();
  const shown = label || noteName(to).replace(/[[\]\\]/g, '\\$&');
  return `${mark}[${shown}](${/[\s()<>]/.test(spelt) || !style.markdown ? `<${spelt}>` : spelt})`;
}
