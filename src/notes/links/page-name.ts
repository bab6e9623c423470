/**
 * The names that a file has beside its own: Logseq writes the page `a/b` to `a___b.md` or
 * `a%2Fb.md`, and a web site shows `a/index.md` as the page of the folder `a`.
 */
import { posix } from 'node:path';

const FOLDER_PAGE = /^(?:_?index|readme)\.(?:md|html)$/i;

/** The name of a note: its file name without `.md`. */
export function noteName(path: string): string {
  return posix.basename(path).replace(/\.md$/i, '');
}

/** The name of a page in Logseq; undefined if it is the name of the file. */
export function pageName(path: string): string | undefined {
  const name = noteName(path);
  if (!/___|%[0-9a-f]{2}/i.test(name)) return undefined;
  const parts = name.replaceAll('___', '/');
  try {
    return decodeURIComponent(parts);
  } catch {
    return parts;
  }
}

/** The folder whose page the file is; undefined for other files and in the vault root. */
export function folderOfPage(path: string): string | undefined {
  const folder = posix.dirname(path);
  return folder !== '.' && FOLDER_PAGE.test(posix.basename(path)) ? folder : undefined;
}

/** Without the query and the last slash, which addresses of a web site may have: `/docs/x/?y=z`. */
export function withoutTail(target: string): string {
  const query = /^(\/[^?]*)\?[\w.-]+=/.exec(target)?.[1];
  let end = (query ?? target).length;
  while (end > 0 && target[end - 1] === '/') end--;
  return target.slice(0, end);
}
