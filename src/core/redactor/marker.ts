/**
 * The marker that replaces a secret.
 *
 * Prevents a marker from completing a secret with the text around it: a secret that begins with `]`, ends
 * with `[` or contains the marker could reappear in the output. Then another marker is chosen, with which
 * no form can overlap. No marker overlaps itself, so that a cut finds the boundary of adjacent ones.
 */
import { isUtf8 } from 'node:buffer';
import { REDACTED } from '../secrets/secret.ts';
import { foldCase } from './fold.ts';

const FULL_BLOCK = 0x2588;

/** The forms are folded, as one character for each byte. */
export function chooseMarker(forms: readonly string[]): string {
  let marker = REDACTED;
  for (let char = FULL_BLOCK; canOverlap(marker, forms); char++) {
    marker = String.fromCodePoint(char, char + 1, char + 2);
  }
  return marker;
}

/**
 * Whether some text around the marker could hold a form that takes in part of it.
 * Forms that are not text (the decoded bytes of a base64 key) do not count: one in a
 * hundred begins with `]` by chance, and text does not complete them.
 */
function canOverlap(marker: string, forms: readonly string[]): boolean {
  const folded = foldCase(Buffer.from(marker).toString('latin1'));
  return forms.some((form) => overlaps(form, folded) && isUtf8(Buffer.from(form, 'latin1')));
}

function overlaps(form: string, marker: string): boolean {
  if (form.includes(marker) || marker.includes(form)) return true;
  const most = Math.min(form.length, marker.length);
  for (let shared = 1; shared < most; shared++) {
    if (form.endsWith(marker.slice(0, shared)) || marker.endsWith(form.slice(0, shared)))
      return true;
  }
  return false;
}
