/**
 * Stops a remote from doing harm with what it says: git passes its words on, as many and of any
 * shape, and they may hold the token.
 *
 * The beginning is kept, without any form of the token and without user info. What could be the
 * beginning of a token where the words were cut is left out. The work grows with the length alone.
 */
import type { RedactionStream, Redactor } from '../../core/redactor/redactor.ts';

const MAX_BYTES = 64 * 1024;
const MAX_MESSAGE = 500;

export class GitStderr {
  readonly #clean: RedactionStream;
  readonly #kept: Uint8Array[] = [];
  #bytes = 0;

  constructor(redactor: Redactor) {
    this.#clean = redactor.stream();
  }

  add(chunk: Buffer): void {
    const beginning = chunk.subarray(0, Math.max(0, MAX_BYTES - this.#bytes));
    if (beginning.length > 0) this.#kept.push(this.#clean.push(beginning));
    this.#bytes += chunk.length;
  }

  /** In one line of bounded length; asked for once, after the last word. */
  text(): string {
    if (this.#bytes <= MAX_BYTES) this.#kept.push(this.#clean.end());
    const lines = Buffer.concat(this.#kept)
      .toString()
      .replaceAll(/\/\/[^/@\s]*@/g, '//');
    return lines
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
      .join('; ')
      .slice(0, MAX_MESSAGE);
  }
}
