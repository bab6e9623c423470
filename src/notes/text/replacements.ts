/** Replaces the bytes from `start` up to `end`. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly bytes: Buffer;
}

/**
 * Applies replacements given in any order; insertions at one offset keep their order. Throws if
 * ranges overlap or lie outside the note.
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

/** Sorted by offset, insertions before a range that starts at the same offset. */
export function inOrder(replacements: readonly Replacement[]): Replacement[] {
  return replacements.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

/** Successive edits of one note, expressed as one replacement in the original. */
export class EditSequence {
  readonly #original: Buffer;
  current: Buffer;

  constructor(original: Buffer) {
    this.#original = original;
    this.current = original;
  }

  /** Applies replacements whose offsets refer to `current`. */
  make(replacements: readonly Replacement[]): void {
    this.current = applyReplacements(this.current, replacements);
  }

  /** The range that differs; none if the edits left the note as it was. */
  replacements(): Replacement[] {
    const [before, after] = [this.#original, this.current];
    const shorter = Math.min(before.length, after.length);
    let start = 0;
    while (start < shorter && before[start] === after[start]) start++;
    if (start === before.length && start === after.length) return [];
    let same = 0;
    while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same++;
    const end = before.length - same;
    return [{ start, end, bytes: after.subarray(start, after.length - same) }];
  }
}
