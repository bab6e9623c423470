/**
 * A text of the model as a person has to see it before they approve it.
 *
 * Prevents texts that read otherwise than they are (CWE-451, "Trojan Source"): controls, bidirectional
 * marks, zero-width and unassigned characters are written out and marked, so that they are not taken
 * for letters that the text itself has. Line breaks alone stay.
 */
import { UNPRINTABLE } from '../../core/log/unprintable.ts';
import { Html } from '../../core/pages/html.ts';

/** Blanks that are not a space, and characters without a shape. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}|(?! )\p{Zs}|\u2800/u;
const HIDDEN = `(?:(?!\\n)(?:${UNPRINTABLE.source}|${UNSEEN.source}))+`;
const NOT_PLAIN = new RegExp(`${HIDDEN}|[&<>"']`, 'gu');

/** In one pass, since a body of a million such characters must not hold up the server. */
export function visibleText(text: string): Html {
  const shown = text.replace(NOT_PLAIN, (part) =>
    isMarkup(part) ? `&#${part.charCodeAt(0)};` : `<mark>${codesOf(part)}</mark>`,
  );
  return new Html(`<bdi>${shown}</bdi>`);
}

function isMarkup(part: string): boolean {
  return part.length === 1 && '&<>"\''.includes(part);
}

/** Every code unit, so that a lone surrogate has one, too. */
function codesOf(part: string): string {
  let codes = '';
  for (let at = 0; at < part.length; at++) {
    codes += `\\u${part.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return codes;
}
