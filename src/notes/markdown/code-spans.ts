import { firstAtOrAfter } from '../text/lines.ts';

/**
 * Finds the end of code spans. Runs of backticks are indexed once, so many runs of different lengths
 * do not cause quadratic time.
 */
export class CodeSpans {
  readonly #text: string;
  readonly #from: number;
  readonly #to: number;
  /** The offsets of the runs of each length. */
  #runs: Map<number, number[]> | undefined;

  constructor(text: string, from: number, to: number) {
    this.#text = text;
    this.#from = from;
    this.#to = to;
  }

  /** The end of the run of backticks that starts at `at`. */
  runEnd(at: number): number {
    let end = at;
    while (end < this.#to && this.#text.charCodeAt(end) === 96) end++;
    return end;
  }

  /** The end of the span that the run at `at` opens, or -1. */
  spanEnd(at: number): number {
    const opened = this.runEnd(at);
    this.#runs ??= this.#list();
    const starts = this.#runs.get(opened - at) ?? [];
    const closer = starts[firstAtOrAfter(starts, opened)];
    return closer === undefined ? -1 : closer + opened - at;
  }

  #list(): Map<number, number[]> {
    const runs = new Map<number, number[]>();
    for (let at = this.#text.indexOf('`', this.#from); at !== -1 && at < this.#to; ) {
      const end = this.runEnd(at);
      const known = runs.get(end - at);
      if (known) known.push(at);
      else runs.set(end - at, [at]);
      at = this.#text.indexOf('`', end);
    }
    return runs;
  }
}
