/** Where a text says a title, in words a reader would take for it. */

/** Both are folded. Not as a part of a longer word, nor of an address, a tag or a path; or -1. */
export function mentionAt(text: string, title: string, from: number): number {
  for (let at = text.indexOf(title, from); at !== -1; at = text.indexOf(title, at + 1)) {
    const end = at + title.length;
    if (!isInWord(text, at) && !isInWord(text, end) && !isInAddress(text, at, end)) return at;
  }
  return -1;
}

/** Scripts without spaces, which lie behind U+0FFF, do not show where a word ends. */
function isInWord(text: string, at: number): boolean {
  return IN_WORD.test(text.slice(Math.max(0, at - 1), at + 1));
}

const IN_WORD = /^(?=[\0-\u0fff]{2})[\p{L}\p{M}\p{N}]{2}$/u;

/** How much of the run of characters without a space is looked at, on either side. */
const MAX_RUN_LENGTH = 500;

/** A link within `https://a.b/title`, `#title`, `title@a.b` or `title.ts` would break what it is. */
function isInAddress(text: string, start: number, end: number): boolean {
  const [before] = /\S*$/.exec(text.slice(Math.max(0, start - MAX_RUN_LENGTH), start)) ?? [''];
  const [after] = /^\S*/.exec(text.slice(end, end + MAX_RUN_LENGTH)) ?? [''];
  return ENDS_IN_ADDRESS.test(before) || IN_TAG.test(before) || GOES_ON_AS_ADDRESS.test(after);
}

const ENDS_IN_ADDRESS = /[#@/:]$|[\p{L}\p{N}]\.$|:\/\/|@/u;
const IN_TAG = /(?:^|[^\p{L}\p{N}])#[\p{L}\p{M}\p{N}_/-]*$/u;
const GOES_ON_AS_ADDRESS = /^[#@/]|^:\S|^\.[\p{L}\p{N}]|^[\p{L}\p{N}._+-]*@/u;
