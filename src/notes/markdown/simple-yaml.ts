/**
 * A fast path for common frontmatter: keys with text, plain or quoted, a number, a date or a list of
 * these. The YAML package takes longer for it than parsing the rest of the note. Everything else
 * (escapes, comments, tabs, nesting, several lines) is left to the package.
 */
export interface SimpleYaml {
  readonly data: Record<string, unknown>;
  /** The ranges of the values of each key, in characters. */
  readonly places: ReadonlyMap<string, YamlPlaces>;
}

export interface YamlPlaces {
  readonly isList: boolean;
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

type Value = string | number | boolean;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);
const KEY = /^([A-Za-z_][\w-]*):(?: +|$)/;
const ITEM = /^( *)- +/;
const LIST_TEXT = /^[\p{L}_][\p{L}\p{N} _/.()'+-]*$/u;
/** A colon before a space would begin a mapping, and `#` after one a comment. */
const TEXT = /^[\p{L}_](?:[[\p{L}\p{M}\p{N}\p{P}\p{S} ]--[:#]]|:(?! |$)|(?<! )#)*$/v;
const QUOTED =
  /^(?:"([[\p{L}\p{M}\p{N}\p{P}\p{S} ]--["\\]]*)"|'([[\p{L}\p{M}\p{N}\p{P}\p{S} ]--']*)')$/v;
const NUMBER = /^(?:0|[1-9]\d{0,14})$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
/** Not strings in YAML, and a key that would set the prototype. */
const SPECIAL = /^(?:null|true|false|__proto__)$/i;

/** Undefined if the text needs the YAML package. */
export function readSimpleYaml(text: string): SimpleYaml | undefined {
  const data: Record<string, unknown> = {};
  const places = new Map<string, YamlPlaces>();
  let list: BlockList | undefined;
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(at, end);
    const key = KEY.exec(line);
    if (key) {
      const [start, name] = [at + key[0].length, key[1]!];
      if (SPECIAL.test(name) || Object.hasOwn(data, name)) return undefined;
      const value = readValue(text, start, trimmedEnd(text, start, end));
      if (!value) return undefined;
      data[name] = value.value;
      places.set(name, value);
      list = value.value === null ? { name, indent: undefined, values: [], ranges: [] } : undefined;
    } else if (!/^ *$/.test(line) && (!list || !takeItem(list, text, at, line, data, places))) {
      return undefined;
    }
    at = end + 1;
  }
  return { data, places };
}

interface BlockList {
  readonly name: string;
  indent: string | undefined;
  readonly values: Value[];
  readonly ranges: [number, number][];
}

function takeItem(
  list: BlockList,
  text: string,
  at: number,
  line: string,
  data: Record<string, unknown>,
  places: Map<string, YamlPlaces>,
): boolean {
  const item = ITEM.exec(line);
  list.indent ??= item?.[1];
  if (!item || item[1] !== list.indent) return false;
  const start = at + item[0].length;
  const end = trimmedEnd(text, start, at + line.length);
  const value = plainValue(text.slice(start, end));
  if (value === undefined) return false;
  list.values.push(value);
  list.ranges.push([start, end]);
  data[list.name] = list.values;
  places.set(list.name, { isList: true, ranges: list.ranges });
  return true;
}

function readValue(
  text: string,
  start: number,
  end: number,
): (YamlPlaces & { value: Value | Value[] | null }) | undefined {
  if (start >= end) return { value: null, isList: false, ranges: [] };
  if (text[start] === '[') return readFlowList(text, start, end);
  const value = plainValue(text.slice(start, end));
  return value === undefined ? undefined : { value, isList: false, ranges: [[start, end]] };
}

function readFlowList(text: string, start: number, end: number) {
  if (text[end - 1] !== ']') return undefined;
  const value: Value[] = [];
  const ranges: [number, number][] = [];
  let from = start + 1;
  if (/^ *$/.test(text.slice(from, end - 1))) return { value, isList: true, ranges };
  for (const part of text.slice(from, end - 1).split(',')) {
    const first = from + /^ */.exec(part)![0].length;
    const last = trimmedEnd(text, first, from + part.length);
    const one = plainValue(text.slice(first, last), LIST_TEXT);
    if (one === undefined) return undefined;
    value.push(one);
    ranges.push([first, last]);
    from += part.length + 1;
  }
  return { value, isList: true, ranges };
}

function plainValue(source: string, plain = TEXT): Value | undefined {
  if (plain.test(source)) return SPECIAL.test(source) ? BOOLEANS.get(source) : source;
  const quoted = QUOTED.exec(source);
  if (quoted) return quoted[1] ?? quoted[2];
  if (NUMBER.test(source)) return Number(source);
  return DATE.test(source) ? source : undefined;
}

function trimmedEnd(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && text[last - 1] === ' ') last--;
  return last;
}
