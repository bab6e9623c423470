/**
 * Redacts a body piece by piece, for an answer that streams through the HTTP door.
 *
 * Prevents a prefix oracle by timing: a pause that shows whether the last bytes could begin a secret
 * would let a client find a secret letter by letter. So what is held back never depends on a secret:
 * in an event stream everything up to the blank line, elsewhere a tail as long as the longest form.
 */
import type { Redaction, RedactionStream } from '../../core/redactor/redactor.ts';

/** A longer event is not held as a whole, to bound memory. */
const MAX_EVENT_BYTES = 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const NOTHING = new Uint8Array();

export interface CleanStream {
  /** How many values were removed. */
  readonly count: number;
  /** The clean bytes that may be sent now. */
  push(chunk: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

/** `currentRedactor` may change during a reload; the new secrets are removed from then on, too. */
export function cleanStream(currentRedactor: () => Redaction, isEventStream: boolean): CleanStream {
  return isEventStream && !currentRedactor().spansBlankLines
    ? new CleanEvents(currentRedactor)
    : new CleanTail(currentRedactor);
}

class CleanTail implements CleanStream {
  readonly #currentRedactor: () => Redaction;
  #redactor: Redaction;
  readonly #streams: RedactionStream[];

  constructor(currentRedactor: () => Redaction) {
    this.#currentRedactor = currentRedactor;
    this.#redactor = currentRedactor();
    this.#streams = [streamOf(this.#redactor)];
  }

  get count(): number {
    return this.#streams.reduce((sum, { count }) => sum + count, 0);
  }

  push(chunk: Uint8Array): Uint8Array {
    const current = this.#currentRedactor();
    if (current !== this.#redactor) {
      this.#redactor = current;
      this.#streams.push(streamOf(current));
    }
    return this.#pass(chunk, 0);
  }

  end(): Uint8Array {
    const rest = this.#streams.map((stream, index) => this.#pass(stream.end(), index + 1));
    return rest.length === 1 ? rest[0]! : Buffer.concat(rest);
  }

  #pass(bytes: Uint8Array, fromStream: number): Uint8Array {
    let clean = bytes;
    for (let at = fromStream; at < this.#streams.length; at++)
      clean = this.#streams[at]!.push(clean);
    return clean;
  }
}

function streamOf(redactor: Redaction): RedactionStream {
  return redactor.stream({ tailBytes: redactor.longestForm });
}

/** Each event is redacted as a text of its own and released at its blank line. */
class CleanEvents implements CleanStream {
  readonly #currentRedactor: () => Redaction;
  #event: CleanTail;
  #held: Uint8Array[] = [];
  /** Bytes of the event so far; from `MAX_EVENT_BYTES` on, it is released as a plain stream is. */
  #eventBytes = 0;
  #finished = 0;
  readonly #lines = new BlankLines();

  constructor(currentRedactor: () => Redaction) {
    this.#currentRedactor = currentRedactor;
    this.#event = new CleanTail(currentRedactor);
  }

  get count(): number {
    return this.#finished + this.#event.count;
  }

  push(chunk: Uint8Array): Uint8Array {
    const released: Uint8Array[] = [];
    let start = 0;
    for (;;) {
      const end = this.#lines.endOfEvent(chunk, start);
      this.#hold(this.#event.push(chunk.subarray(start, end ?? chunk.length)));
      this.#eventBytes += (end ?? chunk.length) - start;
      if (end === undefined) break;
      released.push(...this.#finish());
      start = end;
    }
    if (this.#eventBytes > MAX_EVENT_BYTES) released.push(...this.#release());
    return joined(released);
  }

  end(): Uint8Array {
    return joined(this.#finish());
  }

  #finish(): Uint8Array[] {
    this.#hold(this.#event.end());
    this.#finished += this.#event.count;
    this.#event = new CleanTail(this.#currentRedactor);
    this.#eventBytes = 0;
    return this.#release();
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    // Clean bytes may be a view of a chunk that is read again.
    this.#held.push(bytes.slice());
  }

  #release(): Uint8Array[] {
    const held = this.#held;
    this.#held = [];
    return held;
  }
}

/** Finds where events end: behind an empty line, with LF or CRLF as line breaks. */
class BlankLines {
  #isLineEmpty = false;

  /** The position behind the next blank line, or undefined when there is none in the rest. */
  endOfEvent(chunk: Uint8Array, from: number): number | undefined {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (byte === LF) {
        if (this.#isLineEmpty) return at + 1;
        this.#isLineEmpty = true;
      } else if (byte !== CR) {
        this.#isLineEmpty = false;
      }
    }
    return undefined;
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 0) return NOTHING;
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}
