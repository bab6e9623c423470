/**
 * The tables that the scans of one set of secrets share.
 */
import { Automaton } from './automaton.ts';
import { isAllLetters } from './broken-lines.ts';
import { Filter } from './filter.ts';
import type { Patterns } from './patterns.ts';
import { type MatchSink, Scanner, type Scanners } from './scanner.ts';
import { SpelledScanner } from './spelled-scanner.ts';
import { TextScanner } from './text-scanner.ts';

/**
 * Past this many states, one MiB, an automaton is left to the scans that use it and the next
 * scan begins a new one. So a text made to reach every state takes memory only for a while.
 */
const MAX_KEPT_STATES = 32_768;

export class Matcher implements Scanners {
  readonly spelled: SpelledScanner | undefined;
  readonly #tables: Tables;
  #letterTables: Tables | undefined;

  constructor({ folded, spelled }: Patterns) {
    this.#tables = new Tables(folded);
    this.spelled = spelled.length > 0 ? new SpelledScanner(spelled) : undefined;
  }

  /** How many states are kept for the next scan. */
  get stateCount(): number {
    return this.#tables.stateCount;
  }

  /** Begins to scan a text. There must be patterns. */
  scanner(sink: MatchSink): TextScanner {
    return new TextScanner(sink, this);
  }

  ofAllForms(sink: MatchSink): Scanner {
    return this.#tables.scanner(sink);
  }

  ofLetters(sink: MatchSink): Scanner {
    this.#letterTables ??= new Tables(this.#tables.patterns.filter(isAllLetters));
    return this.#letterTables.scanner(sink);
  }
}

class Tables {
  readonly patterns: readonly Uint8Array[];
  readonly #filter: Filter;
  #automaton: Automaton | undefined;

  constructor(patterns: readonly Uint8Array[]) {
    this.patterns = patterns;
    this.#filter = new Filter(patterns);
  }

  get stateCount(): number {
    return this.#automaton?.stateCount ?? 0;
  }

  scanner(sink: MatchSink): Scanner {
    if (this.#automaton === undefined || this.#automaton.stateCount > MAX_KEPT_STATES) {
      this.#automaton = new Automaton(this.patterns);
    }
    return new Scanner(this.#filter, this.#automaton, sink);
  }
}
