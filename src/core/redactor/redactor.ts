/**
 * Removes every form of every secret from what leaves the gateway.
 *
 * Prevents an upstream, or an error text, from returning an injected credential to the model. Guarantees:
 * no form of a secret stays; only whole forms are replaced, so that echoing a part reveals nothing; the
 * work is linear. Not guaranteed: that a secret cannot be guessed, since an echoed guess is redacted if it
 * is right. The log warns of secrets that can be enumerated (`weak_secret`).
 */
import type { Secret } from '../secrets/secret.ts';
import { MAX_BREAK, MAX_SHORT_LINE, MIN_LINE } from './broken-lines.ts';
import { chooseMarker } from './marker.ts';
import { Matcher } from './matcher.ts';
import { compilePatterns, type Patterns } from './patterns.ts';
import { Splice } from './splice.ts';
import { type RedactionStream, ScanningStream, type StreamOptions } from './stream.ts';
import { redactText } from './text.ts';
import { TextScanner } from './text-scanner.ts';

export type { RedactionStream } from './stream.ts';

/** One redactor, or several in sequence. */
export interface Redaction {
  /** Whether there is nothing to redact. */
  readonly isEmpty: boolean;
  /** What stands where a secret stood. */
  readonly marker: string;
  /** No form of a secret takes more bytes, broken lines and escapes included. */
  readonly longestForm: number;
  /** Whether a form of a secret contains an empty line. */
  readonly spansBlankLines: boolean;
  text(value: string): { text: string; count: number };
  bytes(value: Uint8Array): { bytes: Uint8Array; count: number };
  stream(options?: StreamOptions): RedactionStream;
}

export class Redactor implements Redaction {
  readonly isEmpty: boolean;
  /** `[REDACTED]` unless a secret could hide in that. */
  readonly marker: string;
  readonly longestForm: number;
  readonly spansBlankLines: boolean;
  readonly #markerBytes: Uint8Array;
  readonly #matcher: Matcher;

  private constructor(patterns: Patterns) {
    this.isEmpty = patterns.folded.length === 0;
    this.longestForm = longestFormOf(patterns);
    this.spansBlankLines = patterns.folded.some((form) => /\n\r?\n/.test(form));
    this.marker = chooseMarker(patterns.folded);
    this.#markerBytes = Buffer.from(this.marker);
    this.#matcher = new Matcher(patterns);
  }

  /** Secrets under eight characters are ignored, as docs/gateway.md has it. */
  static of(secrets: Iterable<Secret>): Redactor {
    return new Redactor(compilePatterns(secrets));
  }

  /** Redacts a whole text. */
  text(value: string): { text: string; count: number } {
    if (this.isEmpty) return { text: value, count: 0 };
    return redactText(value, this.marker, this.#matcher);
  }

  /** Redacts whole bytes; returns the very same when nothing is removed. */
  bytes(value: Uint8Array): { bytes: Uint8Array; count: number } {
    if (this.isEmpty) return { bytes: value, count: 0 };
    const splice = new Splice(this.#markerBytes);
    new TextScanner(splice, this.#matcher).read(value, 0, value.length, 0, true);
    if (splice.isEmpty) return { bytes: value, count: 0 };
    const bytes = splice.take(value, 0, value.length);
    return { bytes, count: splice.count };
  }

  /** Redacts bytes that come in chunks. */
  stream(options: StreamOptions = { tailBytes: 0 }): RedactionStream {
    if (this.isEmpty) return { push: (chunk) => chunk, end: () => new Uint8Array(), count: 0 };
    const splice = new Splice(this.#markerBytes);
    return new ScanningStream(new TextScanner(splice, this.#matcher), splice, options);
  }
}

/** In broken lines, each line of `MIN_LINE` letters has a break of at most `MAX_BREAK` bytes. */
function longestFormOf({ folded, spelled }: Patterns): number {
  const longest = folded.reduce((most, { length }) => Math.max(most, length), 0);
  const broken = longest + Math.ceil(longest / MIN_LINE + 1) * (MAX_BREAK + MAX_SHORT_LINE);
  return spelled.reduce((most, { maxLength }) => Math.max(most, maxLength), broken);
}
