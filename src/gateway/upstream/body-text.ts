/** The clean body as text, decoded piece by piece, so that a large one is never one string. */

/** A multiple of three, so that only the last piece has base64 padding. */
const PIECE_BYTES = 12 * 1024;

export class BodyText {
  readonly #bytes: Buffer;
  readonly #encoding: 'utf8' | 'base64';

  /** With `utf8`, the bytes must be valid UTF-8. */
  constructor(bytes: Buffer, encoding: 'utf8' | 'base64') {
    this.#bytes = bytes;
    this.#encoding = encoding;
  }

  get isOnePiece(): boolean {
    return this.#bytes.length <= PIECE_BYTES;
  }

  toString(): string {
    return this.#bytes.toString(this.#encoding);
  }

  /** Never splits a character. */
  *pieces(): Iterable<string> {
    const bytes = this.#bytes;
    for (let start = 0, end = 0; start < bytes.length; start = end) {
      end = Math.min(start + PIECE_BYTES, bytes.length);
      if (this.#encoding === 'utf8') end = characterStart(bytes, end);
      yield bytes.toString(this.#encoding, start, end);
    }
  }
}

/** The start of the UTF-8 character that the cut would split, or the cut itself. */
export function characterStart(body: Buffer, cut: number): number {
  let start = cut;
  while (start > 0 && cut - start < 3 && isContinuation(body[start])) start -= 1;
  return isContinuation(body[start]) ? cut : start;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
