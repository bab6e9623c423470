/** How the part of a link after `#` names a heading. */
import { foldName } from './utf8.ts';

/** Whether a link to the anchor leads to the heading; `A#B` leads to B. */
export function namesHeading(anchor: string, heading: string): boolean {
  const last = anchor.slice(anchor.lastIndexOf('#') + 1);
  return partNames(last, heading);
}

/** The anchor after a heading has another text, or undefined where it did not name it. */
export function renamedAnchor(anchor: string, from: string, to: string): string | undefined {
  if (anchor.startsWith('^')) return undefined;
  const parts = anchor.split('#');
  if (!parts.some((part) => partNames(part, from))) return undefined;
  return parts
    .map((part) => {
      if (!partNames(part, from)) return part;
      return plain(part) === plain(from) ? anchorFor(to) : slug(to);
    })
    .join('#');
}

/** A heading as an anchor: what ends an anchor or a link is left out, as editors do. */
export function anchorFor(heading: string): string {
  return heading
    .replace(/[#^|[\]\\]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function partNames(part: string, heading: string): boolean {
  return plain(part) === plain(heading) || foldName(part) === slug(heading);
}

function plain(text: string): string {
  return foldName(text.replace(/[#^|[\]\\:]/g, ' ').replace(/\s+/g, ' ')).trim();
}

/** The form that websites give their headings. */
function slug(heading: string): string {
  return foldName(heading)
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}
