/**
 * Sets one field of a JSON text and leaves every other byte as it was: big integers, order,
 * spacing, escapes.
 *
 * The attack: the model writes the injected field itself, twice or under an escaped name
 * (`"\u0061pi_key"`), so that the upstream's parser picks the model's value. Names are
 * therefore compared decoded, and of several fields with an addressed name, at any level of
 * the path, only the last stays, which is the one that `JSON.parse` and most parsers read.
 * A field whose name differs in case, underscores and hyphens alone is a problem, wherever it
 * is: parsers that fold case read the first such field (cJSON) or the last (Go), and those of
 * protocol buffers take `apiKey` for `api_key`.
 *
 * A `Json` has been parsed as a whole, so the scanner below sees valid JSON only. Neither recurses, so deep
 * nesting does not exhaust the stack.
 */

import { foldCase } from './fold-case.ts';

declare const json: unique symbol;
/** A text that is valid JSON. */
export type Json = string & { readonly [json]: true };

export function asJson(text: string): Json | undefined {
  try {
    JSON.parse(text);
    return text as Json;
  } catch {
    return undefined;
  }
}

/**
 * Objects missing on the path are created. What is on the path and is not an object (an
 * array, a scalar, null), and a root that is no object, is a problem: replacing it would
 * discard what the model meant to send.
 */
export function setJsonPath(
  text: Json,
  path: readonly string[],
  value: string,
): Json | { problem: string } {
  const edits: Edit[] = [];
  let at = skipSpace(text, 0);
  for (const [depth, name] of path.entries()) {
    if (text[at] !== '{') {
      const place = ['$', ...path.slice(0, depth)].join('.');
      return { problem: `the body must hold an object at ${place}` };
    }
    const field = findField(text, at, name);
    if (field.twin !== undefined) {
      const twin = JSON.stringify(field.twin);
      return {
        problem: `the field ${twin} differs from an injected one in case, underscores or hyphens alone; leave it out`,
      };
    }
    for (const duplicate of field.duplicates) edits.push(duplicate);
    if (field.value === undefined) {
      const nested = path.slice(depth).map((key) => JSON.stringify(key));
      const closing = '}'.repeat(nested.length - 1);
      const insert = `${field.separator}${nested.join(':{')}:${JSON.stringify(value)}${closing}`;
      edits.push({ start: field.end, end: field.end, insert });
      return applied(text, edits);
    }
    if (depth === path.length - 1) {
      edits.push({ ...field.value, insert: JSON.stringify(value) });
    }
    at = field.value.start;
  }
  return applied(text, edits);
}

/** Reads `$.a.b`. Names that JavaScript objects give a meaning are problems, and so are lists. */
export function parseJsonPath(text: string): string[] | { problem: string } {
  if (!text.startsWith('$.')) return { problem: 'it must have the form $.a.b' };
  const names = text.slice(2).split('.');
  for (const name of names) {
    if (!/^[^[\]"'*\\\s\p{Cc}]+$/u.test(name)) {
      return { problem: 'it must have the form $.a.b, with plain field names' };
    }
    if (['__proto__', 'constructor', 'prototype'].includes(name)) {
      return { problem: `it must not contain ${name}` };
    }
  }
  return names;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly insert: string;
}

interface Field {
  /** Where the value of the last field of that name is. */
  readonly value: { readonly start: number; readonly end: number } | undefined;
  /** Removes the earlier fields of that name, each with the comma after it. */
  readonly duplicates: readonly Edit[];
  /** The name of a field that differs in case, underscores and hyphens alone. */
  readonly twin: string | undefined;
  /** Where a new field goes, and what separates it from the one before. */
  readonly end: number;
  readonly separator: '' | ',';
}

/** Looks through the object that opens at `open`. */
function findField(text: string, open: number, name: string): Field {
  const duplicates: Edit[] = [];
  const wanted = folded(name);
  let twin: string | undefined;
  let found: { key: number; start: number; end: number } | undefined;
  let end = open + 1;
  let at = skipSpace(text, open + 1);
  while (text[at] !== '}') {
    const key = text[at] === ',' ? skipSpace(text, at + 1) : at;
    const keyEnd = skipString(text, key);
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1);
    end = skipValue(text, start);
    at = skipSpace(text, end);
    if (!mayFoldTo(wanted, text.charCodeAt(key + 1))) continue;
    const given = nameAt(text, key, keyEnd);
    if (given !== name) {
      if (folded(given) === wanted) twin = given;
      continue;
    }
    if (found !== undefined) {
      const next = skipSpace(text, skipSpace(text, found.end) + 1);
      duplicates.push({ start: found.key, end: next, insert: '' });
    }
    found = { key, start, end };
  }
  return { value: found, duplicates, twin, end, separator: end === open + 1 ? '' : ',' };
}

/** Applies edits, which are in the order of the text: a field's duplicates come before it, other edits are within it. */
function applied(text: string, edits: readonly Edit[]): Json {
  let result = '';
  let done = 0;
  for (const { start, end, insert } of edits) {
    result += text.slice(done, start) + insert;
    done = end;
  }
  return (result + text.slice(done)) as Json;
}

function folded(name: string): string {
  return foldCase(name).replace(/[_-]/g, '');
}

/** Whether a name with this first character may be `wanted` once it is folded; most are not. */
function mayFoldTo(wanted: string, first: number): boolean {
  if (first === BACKSLASH || first === UNDERSCORE || first === HYPHEN || first > 0x7f) return true;
  return (first | LOWER_CASE) === (wanted.charCodeAt(0) | LOWER_CASE);
}

function nameAt(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes('\\') ? JSON.parse(text.slice(start, end)) : raw;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** From the opening quote to behind the closing one. */
function skipString(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    at += code === BACKSLASH ? 2 : 1;
  }
}

function skipValue(text: string, from: number): number {
  let at = from;
  let depth = 0;
  do {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = skipString(text, at);
      continue;
    }
    if (code === OPEN_OBJECT || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth -= 1;
    else if (depth === 0) return skipScalar(text, at);
    at += 1;
  } while (depth > 0);
  return at;
}

/** Behind a number, true, false or null. */
function skipScalar(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isEndOfScalar(text.charCodeAt(at))) at += 1;
  return at;
}

function isEndOfScalar(code: number): boolean {
  return code === COMMA || code === CLOSE_OBJECT || code === CLOSE_LIST || isSpace(code);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const HYPHEN = 0x2d;
const UNDERSCORE = 0x5f;
const LOWER_CASE = 0x20;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
