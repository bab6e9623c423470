/** Two redactions in sequence, for values that are known only during one call. */
import type { Redaction, RedactionStream } from './redactor.ts';
import type { StreamOptions } from './stream.ts';

export class RedactorChain implements Redaction {
  readonly isEmpty: boolean;
  readonly marker: string;
  readonly longestForm: number;
  readonly spansBlankLines: boolean;
  readonly #first: Redaction;
  readonly #second: Redaction;

  /** The marker is that of the second, which has the longer-lived secrets. */
  constructor(first: Redaction, second: Redaction) {
    this.#first = first;
    this.#second = second;
    this.isEmpty = first.isEmpty && second.isEmpty;
    this.marker = second.marker;
    this.longestForm = Math.max(first.longestForm, second.longestForm);
    this.spansBlankLines = first.spansBlankLines || second.spansBlankLines;
  }

  text(value: string): { text: string; count: number } {
    const once = this.#first.text(value);
    const twice = this.#second.text(once.text);
    return { text: twice.text, count: once.count + twice.count };
  }

  bytes(value: Uint8Array): { bytes: Uint8Array; count: number } {
    const once = this.#first.bytes(value);
    const twice = this.#second.bytes(once.bytes);
    return { bytes: twice.bytes, count: once.count + twice.count };
  }

  stream(options?: StreamOptions): RedactionStream {
    const [first, second] = [this.#first.stream(options), this.#second.stream(options)];
    return {
      push: (chunk) => second.push(first.push(chunk)),
      end: () => Buffer.concat([second.push(first.end()), second.end()]),
      get count() {
        return first.count + second.count;
      },
    };
  }
}
