import { fromLatin1 } from '../text/utf8.ts';

const MAX_TAG_BYTES = 256;
const TAG_BYTES = /[\w/\x80-\xff-]*/y;
const TAG = /^(?:[\p{L}\p{M}\p{N}\p{Extended_Pictographic}_/-]|\u200d)+/u;

/**
 * The tag whose name starts at `at`, after its `#`: letters, digits, `_`, `-` and `/`, but not only
 * digits. `runEnd` is the end of the run of tag characters, valid or not.
 */
export function readTag(
  text: string,
  at: number,
  to: number,
): { name?: string; length: number; runEnd: number } {
  TAG_BYTES.lastIndex = at;
  TAG_BYTES.test(text);
  const runEnd = Math.min(TAG_BYTES.lastIndex, to);
  if (runEnd === at || runEnd - at > MAX_TAG_BYTES) return { length: 0, runEnd };
  const name = tagName(fromLatin1(text.slice(at, runEnd)));
  if (name === undefined) return { length: 0, runEnd };
  return { name, length: Buffer.byteLength(name), runEnd };
}

/** The tag at the start of a text, or undefined. */
export function tagName(text: string): string | undefined {
  const name = TAG.exec(text)?.[0].replace(/\/+$/, '');
  return name !== undefined && /[^\d/]/.test(name) ? name : undefined;
}

/** Whether the whole text is a valid tag. */
export function isTagName(text: string): boolean {
  return tagName(text) === text;
}
