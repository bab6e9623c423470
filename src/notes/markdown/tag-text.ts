import { fromLatin1 } from '../text/utf8.ts';

const MAX_TAG_BYTES = 256;

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
  let runEnd = at;
  while (runEnd < to && isTagByte(text.charCodeAt(runEnd))) runEnd++;
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

function isTagByte(code: number): boolean {
  return (
    code >= 128 ||
    (code >= 47 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 45 ||
    code === 95
  );
}
