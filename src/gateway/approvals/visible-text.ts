/**
 * A text of the model as a person has to see it before they approve it.
 *
 * Prevents texts that read otherwise than they are (CWE-451, "Trojan Source"): controls, bidirectional
 * marks, zero-width and unassigned characters are written out and marked, so that they are not taken
 * for letters that the text itself has. Line breaks alone stay.
 */
import { escapeUnprintable, UNPRINTABLE } from '../../core/log/unprintable.ts';
import { type Html, html } from '../../core/pages/html.ts';

/** Blanks that are not a space, and characters without a shape. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}|(?! )\p{Zs}|\u2800/u;
const HIDDEN = new RegExp(`(?!\\n)(?:${UNPRINTABLE.source}|${UNSEEN.source})`, 'gu');

export function visibleText(text: string): Html {
  const parts: Html[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    parts.push(html`${text.slice(from, index)}<mark>${codeOf(character)}</mark>`);
    from = index + character.length;
  }
  return html`<bdi>${parts}${text.slice(from)}</bdi>`;
}

function codeOf(character: string): string {
  const escaped = escapeUnprintable(character);
  if (escaped !== character) return escaped;
  return `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`;
}
