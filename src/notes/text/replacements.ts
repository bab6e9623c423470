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

/** A range of the original note, or inserted bytes. */
type Piece = { readonly from: number; readonly to: number } | { readonly bytes: Buffer };

/** Successive edits of one note, expressed as replacements in the original. */
export class EditSequence {
  readonly #original: Buffer;
  #pieces: Piece[];
  current: Buffer;

  constructor(original: Buffer) {
    this.#original = original;
    this.#pieces = [{ from: 0, to: original.length }];
    this.current = original;
  }

  /** Applies replacements whose offsets refer to `current`. */
  make(replacements: readonly Replacement[]): void {
    this.current = applyReplacements(this.current, replacements);
    const made: Piece[] = [];
    let rest = this.#pieces.toReversed();
    let position = 0;
    const take = (upTo: number, keep: boolean) => {
      while (position < upTo) {
        const piece = rest.pop()!;
        const [head, tail] = cut(piece, upTo - position);
        if (keep) made.push(head);
        if (tail) rest.push(tail);
        position += lengthOf(head);
      }
    };
    for (const { start, end, bytes } of inOrder(replacements)) {
      take(start, true);
      take(end, false);
      if (bytes.length > 0) made.push({ bytes });
    }
    rest = rest.toReversed();
    this.#pieces = [...made, ...rest];
  }

  replacements(): Replacement[] {
    const found: Replacement[] = [];
    let copied = 0;
    let inserted: Buffer[] = [];
    const close = (from: number) => {
      if (from > copied || inserted.length > 0) {
        found.push({ start: copied, end: from, bytes: Buffer.concat(inserted) });
      }
      inserted = [];
    };
    for (const piece of this.#pieces) {
      if ('bytes' in piece) inserted.push(piece.bytes);
      else if (piece.to > piece.from) {
        close(piece.from);
        copied = piece.to;
      }
    }
    close(this.#original.length);
    return found;
  }
}

function lengthOf(piece: Piece): number {
  return 'bytes' in piece ? piece.bytes.length : piece.to - piece.from;
}

function cut(piece: Piece, length: number): [Piece, Piece?] {
  if (lengthOf(piece) <= length) return [piece];
  if ('bytes' in piece) {
    return [{ bytes: piece.bytes.subarray(0, length) }, { bytes: piece.bytes.subarray(length) }];
  }
  const middle = piece.from + length;
  return [
    { from: piece.from, to: middle },
    { from: middle, to: piece.to },
  ];
}
