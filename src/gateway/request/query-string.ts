/**
 * Sets, finds and masks parameters of a query string without touching the bytes of the others.
 *
 * The attack is HTTP parameter pollution (CWE-235): the model supplies a parameter that the gateway
 * injects, twice, or in another spelling (`api%5Fkey`, `API_KEY`, and `api.key`, `api_key[]`, which
 * PHP, Rack and qs read as `api_key`), or behind a semicolon, or behind a thousand others, after
 * which PHP and qs stop reading. The upstream would then read the model's value or none, or the value
 * would appear in the audit line. Names are therefore compared as upstreams may read them, every
 * occurrence counts, and injected parameters come first.
 *
 * `&` separates parameters. A semicolon is part of a value to most upstreams and a separator to some,
 * so a name behind one also counts.
 */
import { REDACTED } from '../../core/secrets/secret.ts';
import { foldCase } from './fold-case.ts';

type Scalar = string | number | boolean;
/** A list gives one parameter for each value; an empty list removes the parameter. */
export type QueryValue = Scalar | readonly Scalar[];

/** Replaces every parameter of the given names, compared exactly; the new ones are appended. */
export function setParameters(
  rawQuery: string,
  values: Readonly<Record<string, QueryValue>>,
): string {
  const names = new Set(Object.keys(values));
  const kept = piecesOf(rawQuery).filter((piece) => !isNamed(piece, (name) => names.has(name)));
  return [...kept, ...written(values)].join('&');
}

/**
 * As `setParameters`, for injection: the new parameters come first, since some upstreams read only
 * the first thousand, and every parameter whose name an upstream might read as an injected one is
 * also removed. What follows such a name goes with it up to the next `&`: all of it may be the value.
 */
export function injectParameters(
  rawQuery: string,
  values: Readonly<Record<string, string>>,
): string {
  const isMeant = twinsOf(Object.keys(values));
  const kept = piecesOf(rawQuery).flatMap((piece) => {
    const start = startOf(piece, isMeant);
    if (start === -1) return [piece];
    return start === 0 ? [] : [piece.slice(0, start - 1)];
  });
  return [...written(values), ...kept].join('&');
}

/** Writes `name=[REDACTED]` for every parameter that injection of these names would remove. */
export function maskParameters(rawQuery: string, names: Iterable<string>): string {
  const isMeant = twinsOf(names);
  return piecesOf(rawQuery)
    .map((piece) => {
      const start = startOf(piece, isMeant);
      if (start === -1) return piece;
      const name = piece.slice(start).split('=', 1)[0];
      return `${piece.slice(0, start)}${name}=${REDACTED}`;
    })
    .join('&');
}

/** Whether a parameter that is meant is in the query, where `&` separates or `;` does, too. */
export function hasParameter(rawQuery: string, isMeant: (name: string) => boolean): boolean {
  const pieces = new Set([...piecesOf(rawQuery), ...rawQuery.split(/[&;]/)]);
  return [...pieces].some((piece) => isNamed(piece, isMeant));
}

/** Where a name that is meant begins: at the start of the piece or behind a `;` of it; or -1. */
function startOf(piece: string, isMeant: (name: string) => boolean): number {
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

function written(values: Readonly<Record<string, QueryValue>>): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((item) => `${encode(name)}=${encode(String(item))}`),
  );
}

/**
 * Whether an upstream might read a name as one of the given ones. It is compared without case,
 * white space, dots, underscores and hyphens: PHP reads `api.key` and ` api_key` as `api_key`, and
 * APIs made from protocol buffers take `apiKey` for it. A name in brackets is compared part by part:
 * `api_key[]`, `[api_key]` and `api_key[x]` set `api_key` or replace it, `api[key` is `api_key` to
 * PHP, and `filter=x` replaces an injected `filter[token]`, while `filter[other]` is its neighbour.
 */
function twinsOf(names: Iterable<string>): (name: string) => boolean {
  const injected = Array.from(names, (name) => partsOf(name));
  const letters = new Set(injected.map((parts) => parts.join('')));
  const isNested = injected.some((parts) => parts.length > 1);
  return (name) => {
    const parts = partsOf(name);
    if (letters.has(parts[0] ?? '') || letters.has(parts.join(''))) return true;
    return isNested && injected.some((others) => isBeginning(parts, others));
  };
}

/** Whether one of two lists is the beginning of the other. */
function isBeginning(some: readonly string[], others: readonly string[]): boolean {
  return some.every((part, at) => part === (others[at] ?? part)) && some.length > 0;
}

function partsOf(name: string): string[] {
  const [beforeNul = ''] = name.split('\0', 1);
  const plain = foldCase(beforeNul).replace(/^\?+|[\s\x00-\x1f._-]+/g, '');
  const parts = plain.split(/[[\]]+/).filter((part) => part !== '');
  return parts.length > 0 ? parts : [plain];
}

function piecesOf(rawQuery: string): string[] {
  return rawQuery === '' ? [] : rawQuery.split('&');
}

/** The decoded name of one parameter; undefined for an empty piece. */
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

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
