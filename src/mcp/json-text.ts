/**
 * Serialized JSON. A large text is generated in pieces while it is sent.
 *
 * Prevents memory exhaustion by amplification (CWE-409): JSON escapes a control character to six
 * letters, JSON within JSON to seven more, and a string with one letter beyond Latin-1 takes two bytes
 * for each letter. In pieces, an answer takes no more memory than its source and one piece.
 */
export type JsonText = string | JsonPieces;

export class JsonPieces {
  readonly #pieces: () => Iterable<string>;

  /** Calls `pieces` each time that the text is written. */
  constructor(pieces: () => Iterable<string>) {
    this.#pieces = pieces;
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#pieces()[Symbol.iterator]();
  }
}

/** Puts JSON text around another. */
export function enclose(before: string, text: JsonText, after: string): JsonText {
  if (typeof text === 'string') return before + text + after;
  return new JsonPieces(function* () {
    yield before;
    yield* text;
    yield after;
  });
}

/** The text as it is within the quotes of a JSON string. */
export function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
