/**
 * Prevents a remote from leaking the token or flooding memory and logs through git's standard
 * error, which repeats what the remote sends.
 *
 * Keeps the first bytes, with every form of the token and the user info of URLs removed. A possible
 * start of a token at the cut is left out. The work is linear in the length.
 */
import type { RedactionStream, Redactor } from '../../core/redactor/redactor.ts';

const MAX_BYTES = 64 * 1024;
const MAX_MESSAGE_LENGTH = 500;

export class GitStderr {
  readonly #redacted: RedactionStream;
  readonly #kept: Uint8Array[] = [];
  #bytes = 0;

  constructor(redactor: Redactor) {
    this.#redacted = redactor.stream();
  }

  add(chunk: Buffer): void {
    const part = chunk.subarray(0, Math.max(0, MAX_BYTES - this.#bytes));
    if (part.length > 0) this.#kept.push(this.#redacted.push(part));
    this.#bytes += chunk.length;
  }

  /** One line of bounded length. Call it once, after the last chunk. */
  text(): string {
    if (this.#bytes <= MAX_BYTES) this.#kept.push(this.#redacted.end());
    const lines = Buffer.concat(this.#kept)
      .toString()
      .replaceAll(/\/\/[^/@\s]*@/g, '//');
    return lines
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
      .join('; ')
      .slice(0, MAX_MESSAGE_LENGTH);
  }
}
