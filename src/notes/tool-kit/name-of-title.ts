/** What a file is called that is made for a title or a heading. */
import { cutToBytes } from './free-path.ts';

const MAX_NAME_BYTES = 200;
/** What some system or a wiki link does not take in a name. */
const NOT_IN_NAMES = /[\\/:*?"<>|#^[\]`\0-\x1f\x7f\ufffd]+/g;
/** A dot would hide the file, also behind characters that are not seen. */
const NOT_FIRST = /^[\s.\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+/;

/** The title as far as it can be a name: links show their labels, marks are left out. */
export function nameOfTitle(title: string, otherwise: string): string {
  const name = title
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
