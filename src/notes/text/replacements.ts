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

/** What of a note stays, or what was put in, in the order of the edited note. */
type Piece = { readonly from: number; readonly to: number } | { readonly bytes: Buffer };

/**
 * Edits made one after another, each in the note as the last one left it, told as replacements in
 * the note as it was before the first.
 */
export class EditSequence {
  readonly #original: Buffer;
  #pieces: Piece[];
  /** The note after the edits so far. */
  current: Buffer;

  constructor(original: Buffer) {
    this.#original = original;
    this.#pieces = [{ from: 0, to: original.length }];
    this.current = original;
  }

  /** Makes replacements whose offsets are those of `current`. */
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
