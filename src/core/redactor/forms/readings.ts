/**
 * What a value stands for, beside itself: texts that an upstream reads out of it and may write
 * back in their turn.
 *
 * Each is a whole credential, not a part of one that could be found letter by letter: whoever
 * guesses it must guess all of it, and it has as many characters as a secret must have.
 */

/** HTTP drops the blanks around a header's value, and a YAML block ends in a line break. */
export function readingsOf(value: string, floor: number): string[] {
  const readings = new Set([value]);
  const trimmed = value.trim();
  if ([...trimmed].length >= floor) readings.add(trimmed);
  return [...readings];
}
