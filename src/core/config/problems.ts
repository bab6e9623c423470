/**
 * The problems of a configuration, collected so that all are shown together. Each says where it is, what
 * is wrong and what would be right.
 *
 * Prevents secrets in logs (CWE-532), such as a password that a typing error moved into another value.
 * A quoted value ends where another line, key or item may have been joined to it. User info of URLs is
 * never quoted, nor any word of a value that is a secret anywhere in the file.
 */
import { escapeUnprintable } from '../log/unprintable.ts';
import { REDACTED } from '../secrets/secret.ts';

/** The place of a problem with the installation itself. */
export const INSTALLATION = 'installation';

interface Position {
  readonly file: string;
  /** From one; absent where no line is at fault, such as a missing file. */
  readonly line?: number;
  readonly column?: number;
}

export interface Problem extends Position {
  /** The key at fault as one would write it: `users[0].targets[1].base_url`. */
  readonly key?: string;
  readonly message: string;
}

export class Problems {
  readonly #errors: Problem[] = [];
  readonly #warnings: Problem[] = [];
  readonly #withheld = new Set<string>();

  add(problem: Problem): void {
    this.#errors.push(problem);
  }

  warn(problem: Problem): void {
    this.#warnings.push(problem);
  }

  /** Ensures that no problem, before or after, quotes this text or a word of it. */
  withhold(sensitive: string): void {
    this.#withheld.add(sensitive);
    for (const word of sensitive.split(BETWEEN_WORDS)) {
      if (word.length >= MIN_WITHHELD_WORD) this.#withheld.add(word);
    }
  }

  /** In the order of the file. */
  get errors(): readonly Problem[] {
    return this.#errors.map((problem) => this.#clean(problem)).toSorted(byPosition);
  }

  get warnings(): readonly Problem[] {
    return this.#warnings.map((problem) => this.#clean(problem)).toSorted(byPosition);
  }

  #clean(problem: Problem): Problem {
    const message = problem.message.replace(QUOTED, (quoted) => {
      const text = String(JSON.parse(quoted));
      const parts = text.split(BETWEEN_PARTS).filter((part) => part.length >= MIN_WITHHELD_WORD);
      const shown = [text, ...text.split(BETWEEN_WORDS), ...parts];
      return shown.some((part) => this.#withheld.has(part)) ? quote(REDACTED) : quoted;
    });
    return { ...problem, message };
  }
}

/** Shorter words, and shorter parts of a path, turn up by chance. */
const MIN_WITHHELD_WORD = 4;
const BETWEEN_WORDS = /[\s,"'…]+/;
const BETWEEN_PARTS = /[\s,"'…/:?&=@]+/;
/** A text as `quote` writes it: always valid JSON. */
const QUOTED = /"(?:[^"\\\0-\x1f]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*"/g;

function byPosition(a: Problem, b: Problem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

/** `file:line: key: message`, the form editors and terminals make clickable. */
export function formatProblem(problem: Problem): string {
  const place = problem.line === undefined ? problem.file : `${problem.file}:${problem.line}`;
  return problem.key
    ? `${place}: ${problem.key}: ${problem.message}`
    : `${place}: ${problem.message}`;
}

const MAX_QUOTED = 80;
const USER_INFO = /^(https?:\/\/)?.*@/is;

/** Where another line (its indentation), key or item may begin. */
const SEAM = / {2,}(?=\S)|[^\S ]|[,"']|:(?=\s|$)/;

/**
 * A value as a problem may quote it: short, on one line, without what may be the user info of a URL, and
 * up to the first seam, behind which the value of another line may follow after a missing line break
 * or quote.
 */
export function quote(value: string): string {
  const safe = /[:/\\].*@/s.test(value) ? withoutUserInfo(value) : value;
  const whole = safe.slice(0, SEAM.exec(safe)?.index).slice(0, MAX_QUOTED);
  const short = whole === safe ? whole : `${whole}…`;
  return escapeUnprintable(JSON.stringify(short));
}

/**
 * A URL as a problem may quote it, without query and fragment, which may contain a credential. With an
 * `@` behind a `?` or `#`, all of it may be user info.
 */
export function quoteUrl(url: string): string {
  if (/[?#].*@/s.test(url)) return quote(REDACTED);
  return quote(withoutUserInfo(url).replace(/([?#]).+$/s, '$1…'));
}

function withoutUserInfo(url: string): string {
  return url.replace(USER_INFO, `$1${REDACTED}@`);
}

/** ` (did you mean "x"?)` with the most similar known name, or nothing. */
export function suggestion(name: string, known: Iterable<string>): string {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best === undefined ? '' : ` (did you mean "${best}"?)`;
}

const MAX_COMPARED = 64;

function editDistance(a: string, b: string): number {
  if (a.length > MAX_COMPARED || b.length > MAX_COMPARED) return Number.POSITIVE_INFINITY;
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substitution, previous[j]! + 1, row[j - 1]! + 1));
    }
    previous = row;
  }
  return previous[b.length]!;
}
