/**
 * Copies a key from one frontmatter to another as written: parsing and serializing would lose
 * comments and the notation of values such as `1.10` and `007`.
 */
import { isDeepStrictEqual } from 'node:util';
import { readYaml, type YamlText } from '../markdown/yaml-text.ts';
import type { Eol } from '../text/lines.ts';
import { afterLineEnd, lineEnd, withEol } from '../text/lines.ts';
import { indentOf, lineStart, setKey, unsetKey, type YamlChange } from './yaml-keys.ts';
import { writeItem, writeValue } from './yaml-value.ts';

export interface CarriedKey {
  readonly value: unknown;
  /** Its lines, without indentation. */
  readonly lines: string;
}

/** The lines of a key, with the comments right above it. */
export function linesOfKey(yaml: YamlText, key: string): string {
  const { text } = yaml;
  const own = unsetKey(yaml, key);
  if (!own) return `${writeItem(key)}: ${writeValue(yaml.data[key])}\n`;
  let from = own.start;
  while (from > 0 && /^[ \t]*#/.test(lineBefore(text, from))) from -= lineBefore(text, from).length;
  return indented(text.slice(from, own.end), indentOf(yaml), '');
}

/** Appends the lines, or the value itself if they parse differently here, such as an alias `*name`. */
export function carryKey(
  yaml: YamlText,
  key: string,
  { value, lines }: CarriedKey,
  eol: Eol,
): YamlChange {
  const at = yaml.text.length;
  const text = withEol(indented(lines, '', indentOf(yaml)), eol);
  const read = readYaml(Buffer.from(yaml.text + text), 1);
  const fits = 'data' in read && isDeepStrictEqual(read.data, { ...yaml.data, [key]: value });
  return fits ? { start: at, end: at, text } : setKey(yaml, key, value, eol);
}

/** The line before `at`, with its line end. */
function lineBefore(text: string, at: number): string {
  const end = at - (text.startsWith('\r\n', at - 2) ? 2 : 1);
  return text.slice(lineStart(text, end), at);
}

function indented(lines: string, from: string, to: string): string {
  let made = '';
  for (let at = 0; at < lines.length; ) {
    const next = afterLineEnd(lines, lineEnd(lines, at));
    const line = lines.slice(at, next);
    const rest = line.startsWith(from) ? line.slice(from.length) : line;
    made += /^[\r\n]/.test(rest) ? rest : to + rest;
    at = next;
  }
  return made;
}
