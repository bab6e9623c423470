/** The tables that the scans of one set of secrets share. */
import { type Anchor, Automaton } from './automaton.ts';
import { Filter } from './filter.ts';
import type { Patterns } from './patterns.ts';
import { type MatchSink, Scanner } from './scanner.ts';
import { SpelledBeginnings } from './spelled-beginnings.ts';
import type { SpelledValue } from './spelled-value.ts';

/**
 * With more states, which is one MiB, the next scan creates a new automaton. So a text that reaches many
 * states takes memory only temporarily.
 */
const MAX_KEPT_STATES = 32_768;
/** Shorter patterns have separate tables, since the shortest limits the steps of the filter. */
const LONG = 15;

/** Whether a pattern can stand in broken lines. */
const isAllLetters = (pattern: string): boolean => /^[\w+/-]+$/.test(pattern);

export class Matcher {
  readonly long: Tables | undefined;
  readonly short: Tables | undefined;
  /** Finds the values that have no anchor. */
  readonly beginnings: SpelledBeginnings | undefined;
  /** The maximum length of a spelling, or of what precedes and follows a pair. */
  readonly longestSpelling: number;
  readonly #forms: readonly string[];
  #letterTables: Tables | undefined;

  constructor({ folded, spelled }: Patterns) {
    const anchored = spelled.filter(({ anchor }) => anchor !== undefined);
    // Their plain forms are found by their anchors.
    const raw = new Set(anchored.map((value) => value.raw));
    const forms = folded.filter((form) => !raw.has(form));
    const isLong = ({ length }: string): boolean => length >= LONG;
    const isShort = (pattern: string): boolean => !isLong(pattern);
    [this.long, this.short] = [isLong, isShort].map((isIn) => {
      const [own, values] = [forms.filter(isIn), anchored.filter(({ anchor }) => isIn(anchor!))];
      return own.length + values.length > 0 ? new Tables(own, values) : undefined;
    });
    this.#forms = folded;
    const unanchored = spelled.filter(({ anchor }) => anchor === undefined);
    if (unanchored.length > 0) this.beginnings = new SpelledBeginnings(unanchored);
    const { lengthFrom = 0, lengthBefore = 0 } = this.beginnings ?? {};
    this.longestSpelling = spelled.reduce(
      (most, { maxLength }) => Math.max(most, maxLength),
      lengthFrom + lengthBefore,
    );
  }

  /** How many states are kept for the next scan. */
  get stateCount(): number {
    return (this.long?.stateCount ?? 0) + (this.short?.stateCount ?? 0);
  }

  /** Begins to scan for the forms that are all letters. */
  letterScanner(sink: MatchSink): Scanner {
    this.#letterTables ??= new Tables(this.#forms.filter(isAllLetters), []);
    return this.#letterTables.scanner(sink);
  }
}

class Tables {
  readonly #patterns: readonly Uint8Array[];
  readonly #anchors: ReadonlyMap<number, Anchor>;
  readonly #filter: Filter;
  #automaton: Automaton | undefined;

  constructor(forms: readonly string[], anchored: readonly SpelledValue[]) {
    const byAnchor = Map.groupBy(anchored, ({ anchor }) => anchor!);
    const others = [...byAnchor.keys()].filter((anchor) => !forms.includes(anchor));
    const patterns = [...forms, ...others].sort();
    this.#anchors = new Map(
      [...byAnchor].map(([anchor, values]) => [
        patterns.indexOf(anchor),
        { values, isForm: !others.includes(anchor) },
      ]),
    );
    this.#patterns = patterns.map((pattern) => Buffer.from(pattern, 'latin1'));
    this.#filter = new Filter(this.#patterns);
  }

  get stateCount(): number {
    return this.#automaton?.stateCount ?? 0;
  }

  scanner(sink: MatchSink): Scanner {
    if (this.#automaton === undefined || this.#automaton.stateCount > MAX_KEPT_STATES) {
      this.#automaton = new Automaton(this.#patterns, this.#anchors);
    }
    return new Scanner(this.#filter, this.#automaton, sink);
  }
}
