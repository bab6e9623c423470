/**
 * Escaping that works character by character, and leaves ASCII letters and digits alone.
 *
 * All such encoders, and encoders applied over each other, are told apart by what they make
 * of the few other characters that a text holds. So hundreds of encoders cost a text only
 * as many passes as give different results.
 */
export type Encode = (text: string) => string;

const OTHER = /[^A-Za-z0-9]/gu;

/** What one encoder makes of each other character of a text. */
type Table = ReadonlyMap<string, string>;

/** Secrets hold much the same characters, so what was found for one serves the next. */
const MAX_REMEMBERED = 512;

export class Escapes {
  readonly #encoders: readonly Encode[];
  /** For a character what each encoder makes of it. */
  readonly #rows = new Map<string, readonly string[]>();
  /** For a set of characters the tables that differ. */
  readonly #tables = new Map<string, readonly Table[]>();

  constructor(encoders: readonly Encode[]) {
    this.#encoders = encoders;
  }

  /** What the encoders make of the text, each different result once, without the text. */
  of(text: string): string[] {
    const others = [...new Set(text.match(OTHER))].sort();
    if (others.length === 0) return [];
    const tables = remember(this.#tables, others.join(''), () => this.#tablesFor(others));
    return tables.map((table) => text.replace(OTHER, (char) => table.get(char)!));
  }

  #tablesFor(others: readonly string[]): Table[] {
    const rows = others.map((char) =>
      remember(this.#rows, char, () => this.#encoders.map((encode) => encode(char))),
    );
    const distinct = new Map<string, number>();
    for (let index = 0; index < this.#encoders.length; index++) {
      distinct.set(rows.map((row) => row[index]).join('\0'), index);
    }
    distinct.delete(others.join('\0'));
    return Array.from(
      distinct.values(),
      (index) => new Map(others.map((char, at) => [char, rows[at]![index]!])),
    );
  }
}

function remember<Value>(memory: Map<string, Value>, key: string, find: () => Value): Value {
  const known = memory.get(key);
  if (known !== undefined) return known;
  if (memory.size === MAX_REMEMBERED) memory.clear();
  const found = find();
  memory.set(key, found);
  return found;
}

/** One encoder over another. */
export const over =
  (outer: Encode, inner: Encode): Encode =>
  (text) =>
    outer(inner(text));

/** An encoder over itself. */
export const twice = (encode: Encode): Encode => over(encode, encode);
