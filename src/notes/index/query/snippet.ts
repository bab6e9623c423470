/** The part of a text that shows why it was found. */

import { countLineEnds } from '../content/section-cuts.ts';
import { foldWithPlaces } from '../store/folded-text.ts';

export interface Snippet {
  /** One line of text around the place where most of the words stand. */
  readonly text: string;
  /** The line of that place, counted from the start of the section. */
  readonly line: number;
}

const LENGTH = 200;
const LEAD = 60;
const MAX_PLACES = 40;

/** `words` are folded. Where none occurs in the text, its beginning is shown. */
export function makeSnippet(text: string, from: number, words: readonly string[]): Snippet {
  const folded = foldWithPlaces(text.slice(from));
  const found = bestPlace(folded.text, words);
  const place = found === undefined ? undefined : from + folded.originOf(found);
  const start = place === undefined ? from : Math.max(from, place - LEAD);
  const shown = text
    .slice(start, start + LENGTH)
    .toWellFormed()
    .replace(/\ufffd/g, '');
  const line = shown.replace(/\s+/g, ' ').trim();
  return {
    text: `${start > from ? '…' : ''}${line}${start + LENGTH < text.length ? '…' : ''}`,
    line: place === undefined ? 0 : countLineEnds(text.slice(0, place)),
  };
}

/** The first place from which the most different words begin within the length of a snippet. */
function bestPlace(text: string, words: readonly string[]): number | undefined {
  const places: { at: number; word: number }[] = [];
  for (const [index, word] of words.entries()) {
    let count = 0;
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
      if (!startsWord(text, at)) continue;
      places.push({ at, word: index });
      if (++count === MAX_PLACES) break;
    }
  }
  places.sort((a, b) => a.at - b.at);
  let best: { at: number; count: number } | undefined;
  for (const [index, { at }] of places.entries()) {
    const near = new Set<number>();
    for (let next = index; next < places.length && places[next]!.at < at + LENGTH - LEAD; next++) {
      near.add(places[next]!.word);
    }
    if (!best || near.size > best.count) best = { at, count: near.size };
  }
  return best?.at;
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!) || /[^\x00-\u0fff]/.test(text[at]!);
}
