/**
 * Sets and masks parameters of a query string without touching the bytes of the others.
 *
 * The attack: the model supplies a parameter that the gateway injects, twice, or in another
 * spelling (`api%5Fkey`, `API_KEY`), so that the upstream reads the model's value, or so that
 * the value appears in the audit line. Names are therefore compared as the upstream decodes
 * them (`application/x-www-form-urlencoded`), and every occurrence is dealt with. Only `&`
 * separates parameters; a semicolon is part of a value.
 */
import { REDACTED } from '../core/secret.ts';

type Scalar = string | number | boolean;
/** A list gives one parameter for each value; an empty list removes the parameter. */
export type QueryValue = Scalar | readonly Scalar[];

/** Replaces every parameter of the given names, compared exactly; the new ones stand at the end. */
export function setParameters(
  rawQuery: string,
  values: Readonly<Record<string, QueryValue>>,
): string {
  const names = new Set(Object.keys(values));
  return replaced(rawQuery, (name) => names.has(name), values);
}

/**
 * As `setParameters`, for injection: parameters whose names differ in case alone are removed, too,
 * since some upstreams read names in any case and might take the model's value.
 */
export function injectParameters(
  rawQuery: string,
  values: Readonly<Record<string, string>>,
): string {
  const names = caseless(Object.keys(values));
  return replaced(rawQuery, (name) => names.has(name.toLowerCase()), values);
}

/** Writes `name=[REDACTED]` for every parameter of the given names, in any case and spelling. */
export function maskParameters(rawQuery: string, names: Iterable<string>): string {
  const masked = caseless(names);
  return piecesOf(rawQuery)
    .map((piece) => {
      const name = nameOf(piece);
      if (name === undefined || !masked.has(name.toLowerCase())) return piece;
      return `${piece.split('=', 1)[0]}=${REDACTED}`;
    })
    .join('&');
}

function replaced(
  rawQuery: string,
  isReplaced: (name: string) => boolean,
  values: Readonly<Record<string, QueryValue>>,
): string {
  const kept = piecesOf(rawQuery).filter((piece) => {
    const name = nameOf(piece);
    return name === undefined || !isReplaced(name);
  });
  const added = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((item) => `${encode(name)}=${encode(String(item))}`),
  );
  return [...kept, ...added].join('&');
}

function piecesOf(rawQuery: string): string[] {
  return rawQuery === '' ? [] : rawQuery.split('&');
}

/** The decoded name of one parameter; `undefined` for the nothing between two `&`. */
function nameOf(piece: string): string | undefined {
  // The leading & keeps a question mark at the start of the name, which the parser would drop.
  const [first] = new URLSearchParams(`&${piece}`).keys();
  return first;
}

function caseless(names: Iterable<string>): ReadonlySet<string> {
  return new Set([...names].map((name) => name.toLowerCase()));
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
