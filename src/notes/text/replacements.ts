/** The bytes from `start` to before `end` give way to `bytes`; everything else is copied. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly bytes: Buffer;
}

/**
 * The note with the replacements made. They may come in any order; two insertions at one place
 * keep theirs. Ranges that overlap or leave the note are a mistake of the caller and throw.
 */
export function applyReplacements(bytes: Buffer, replacements: readonly Replacement[]): Buffer {
  const pieces: Buffer[] = [];
  let copied = 0;
  for (const { start, end, bytes: inserted } of inOrder(replacements)) {
    if (start < copied || end < start || end > bytes.length) {
      throw new RangeError(`replacement ${start}-${end} overlaps another or leaves the note`);
    }
    pieces.push(bytes.subarray(copied, start), inserted);
    copied = end;
  }
  pieces.push(bytes.subarray(copied));
  return Buffer.concat(pieces);
}

/** Insertions stand before a replaced range that starts at the same place. */
export function inOrder(replacements: readonly Replacement[]): Replacement[] {
  return replacements.toSorted((a, b) => a.start - b.start || a.end - b.end);
}
