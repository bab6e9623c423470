/**
 * Escaping that works character by character, and leaves ASCII letters and digits alone.
 *
 * All such encoders, and encoders applied over each other, are told apart by what they make
 * of the few other characters that a text holds. So hundreds of encoders cost a text only
 * as many passes as give different results.
 */
export type Encode = (text: string) => string;

const OTHER = /[^A-Za-z0-9]/gu;

type Table = ReadonlyMap<string, string>;

export class Escapes {
  readonly #encoders: readonly Encode[];
  readonly #tables = new Map<string, readonly Table[]>();

  constructor(encoders: readonly Encode[]) {
    this.#encoders = encoders;
  }

  /** What the encoders make of the text, each different result once, without the text. */
  of(text: string): string[] {
    const others = [...new Set(text.match(OTHER))].sort();
    if (others.length === 0) return [];
    const key = others.join('');
    let tables = this.#tables.get(key);
    if (tables === undefined) {
      tables = this.#tablesFor(others);
      this.#tables.set(key, tables);
    }
    return tables.map((table) => text.replace(OTHER, (char) => table.get(char)!));
  }

  #tablesFor(others: readonly string[]): Table[] {
    const distinct = new Map<string, Table>();
    for (const encode of this.#encoders) {
      const escaped = others.map(encode);
      const table = new Map(others.map((char, index) => [char, escaped[index]!]));
      distinct.set(escaped.join('\0'), table);
    }
    distinct.delete(others.join('\0'));
    return [...distinct.values()];
  }
}

/** One encoder over another. */
export const over =
  (outer: Encode, inner: Encode): Encode =>
  (text) =>
    outer(inner(text));

/** An encoder over itself. */
export const twice = (encode: Encode): Encode => over(encode, encode);
