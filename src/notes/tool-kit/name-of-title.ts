/** Derives a file name from a title or a heading. */
import { cutToBytes } from './free-path.ts';

const MAX_NAME_BYTES = 200;
/** A heading may have megabytes, and the expressions take quadratic time. */
const MAX_TITLE_LENGTH = 2000;
/** Not allowed in file names by some system, or in wiki links. */
const NOT_IN_NAMES = /[\\/:*?"<>|#^[\]`\0-\x1f\x7f\ufffd]+/g;
/** A leading dot would hide the file, also after invisible characters. */
const NOT_FIRST = /^[\s.\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+/;

/** The title without invalid characters; links are replaced by their labels. */
export function nameOfTitle(title: string, otherwise: string): string {
  const name = title
    .slice(0, MAX_TITLE_LENGTH)
    .toWellFormed()
    .normalize('NFC')
    .replace(/\[\[(?:[^[\]|]*\|)?([^[\]|]*)\]\]/g, '$1')
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(NOT_IN_NAMES, ' ')
    .replace(/\s+/g, ' ')
    .replace(NOT_FIRST, '')
    .replace(/[\s.]+$/, '');
  return cutToBytes(name, MAX_NAME_BYTES) || otherwise;
}
