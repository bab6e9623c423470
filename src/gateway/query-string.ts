/**
 * Sets, finds and masks parameters of a query string without touching the bytes of the others.
 *
 * The attack: the model supplies a parameter that the gateway injects, twice, or in another
 * spelling (`api%5Fkey`, `API_KEY`), or behind a semicolon, so that the upstream reads the model's
 * value, or so that the value appears in the audit line. Names are therefore compared as the
 * upstream decodes them (`application/x-www-form-urlencoded`), and every occurrence is dealt with.
 * `&` separates parameters. A semicolon is part of a value to most upstreams and a separator to
 * some, so a name behind one counts where something is found, injected or masked.
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
  const kept = piecesOf(rawQuery).filter((piece) => !isNamed(piece, (name) => names.has(name)));
  return withValues(kept, values);
}

/**
 * As `setParameters`, for injection: parameters whose names differ in case alone are removed, too,
 * since some upstreams read names in any case and might take the model's value. What follows such
 * a name goes with it up to the next `&`: all of it may be the value.
 */
export function injectParameters(
  rawQuery: string,
  values: Readonly<Record<string, string>>,
): string {
  const names = caseless(Object.keys(values));
  const kept = piecesOf(rawQuery).flatMap((piece) => {
    const start = startOf(piece, names);
    if (start === -1) return [piece];
    return start === 0 ? [] : [piece.slice(0, start - 1)];
  });
  return withValues(kept, values);
}

/** Writes `name=[REDACTED]` for every parameter of the given names, in any case and spelling. */
export function maskParameters(rawQuery: string, names: Iterable<string>): string {
  const masked = caseless(names);
  return piecesOf(rawQuery)
    .map((piece) => {
      const start = startOf(piece, masked);
      if (start === -1) return piece;
      const name = piece.slice(start).split('=', 1)[0];
      return `${piece.slice(0, start)}${name}=${REDACTED}`;
    })
    .join('&');
}

/** The decoded values of the parameters meant, where `&` separates and where `;` does, too. */
export function valuesNamed(rawQuery: string, isMeant: (name: string) => boolean): string[] {
  const pieces = new Set([...piecesOf(rawQuery), ...rawQuery.split(/[&;]/)]);
  return [...pieces]
    .filter((piece) => isNamed(piece, isMeant))
    .flatMap((piece) => [...new URLSearchParams(`&${piece}`).values()]);
}

/** Where one of the names begins: at the start of the piece or behind a `;` of it; or -1. */
function startOf(piece: string, names: ReadonlySet<string>): number {
  const isMeant = (name: string): boolean => names.has(name.toLowerCase());
  if (isNamed(piece, isMeant)) return 0;
  let start = 0;
  for (const part of piece.split(';')) {
    if (isNamed(part, isMeant)) return start;
    start += part.length + 1;
  }
  return -1;
}

function isNamed(piece: string, isMeant: (name: string) => boolean): boolean {
  const name = nameOf(piece);
  return name !== undefined && isMeant(name);
}

function withValues(kept: readonly string[], values: Readonly<Record<string, QueryValue>>): string {
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
  if (piece === '') return undefined;
  const end = piece.indexOf('=');
  const name = end === -1 ? piece : piece.slice(0, end);
  if (PLAIN_NAME.test(name)) return name;
  // The leading & keeps a question mark at the start of the name, which the parser would drop.
  const [first] = new URLSearchParams(`&${name}`).keys();
  return first;
}

/** ASCII with nothing to decode: a query may have thousands, and a parser for each takes long. */
const PLAIN_NAME = /^[\x00-\x24\x27-\x2a\x2c-\x7f]*$/;

function caseless(names: Iterable<string>): ReadonlySet<string> {
  return new Set([...names].map((name) => name.toLowerCase()));
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
