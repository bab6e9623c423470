/**
 * The YAML of a frontmatter with the range of every value. Prevents resource exhaustion by hostile
 * YAML: at most 64 KiB are parsed, alias expansion ("billion laughs", CWE-776) is limited, and too
 * deep nesting is reported as a problem of the note.
 */
import { isUtf8 } from 'node:buffer';
import { type Document, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { readSimpleYaml, type YamlPlaces } from './simple-yaml.ts';

export interface YamlText {
  readonly document: Document.Parsed;
  /** The source as written. */
  readonly text: string;
  readonly data: Record<string, unknown>;
  /** The same with every value as written: `1.10` and `007` stay strings. */
  readonly written: Record<string, unknown>;
  /** The ranges of the values of the first key that is present, in characters. */
  placesOf(keys: readonly string[]): YamlPlaces | undefined;
  /** The byte offset of a character offset of the document. */
  byteOf(character: number): number;
}

const MAX_YAML_BYTES = 64 * 1024;

/** The mapping, or the problem. `firstLine` is the line of the first byte, for the message. */
export function readYaml(bytes: Buffer, firstLine: number): YamlText | { problem: string } {
  if (bytes.length > MAX_YAML_BYTES) return { problem: 'the frontmatter is over 64 KiB' };
  if (!isUtf8(bytes)) return { problem: 'the frontmatter is not UTF-8' };
  const text = bytes.toString('utf8');
  const byteOf = byteOffsets(text, bytes);
  let written: YamlText['written'] | undefined;
  const asWritten = () => {
    written ??= parsed(text, 'failsafe').toJS({ maxAliasCount: 100 }) ?? {};
    return written!;
  };
  const simple = readSimpleYaml(text);
  if (simple) {
    const { data, places } = simple;
    const placesOf = (keys: readonly string[]) =>
      places.get(keys.find((key) => places.has(key)) ?? '');
    return {
      text,
      data,
      placesOf,
      byteOf,
      get document() {
        return parsed(text);
      },
      get written() {
        return asWritten();
      },
    };
  }
  try {
    const document = parsed(text);
    const problem = problemOf(document, firstLine);
    if (problem !== undefined) return { problem };
    const data: unknown = document.toJS({ maxAliasCount: 100 }) ?? {};
    const placesOf = (keys: readonly string[]) => placesIn(document, keys);
    return {
      document,
      text,
      data: data as Record<string, unknown>,
      placesOf,
      byteOf,
      get written() {
        return asWritten();
      },
    };
  } catch (error) {
    const cause = error instanceof RangeError ? 'it is nested too deeply' : 'it cannot be read';
    return { problem: `the frontmatter is not valid YAML: ${cause}` };
  }
}

/** A lone carriage return ends a line in a note but not in the YAML package. */
function parsed(text: string, schema: 'core' | 'failsafe' = 'core'): Document.Parsed {
  const lines = text.replace(/\r(?!\n)/g, '\n');
  return parseDocument(lines, { schema, uniqueKeys: false, logLevel: 'silent' });
}

function placesIn({ contents }: Document.Parsed, keys: readonly string[]): YamlPlaces | undefined {
  if (!isMap(contents)) return undefined;
  const named = (key: string) =>
    contents.items.find((item) => isScalar(item.key) && item.key.value === key);
  const pair = keys.map(named).find((item) => item !== undefined);
  if (!pair) return undefined;
  const isList = isSeq(pair.value);
  const items: unknown[] = isSeq(pair.value) ? pair.value.items : [pair.value];
  const ranges = items.flatMap((item): [number, number][] =>
    isScalar(item) && item.range && item.value !== null ? [[item.range[0], item.range[1]]] : [],
  );
  return { isList, ranges };
}

function problemOf(document: Document.Parsed, firstLine: number): string | undefined {
  const error = document.errors[0];
  if (error) {
    const line = firstLine + (error.linePos?.[0].line ?? 1) - 1;
    const [message] = error.message.replace(/ at line \d+, column \d+:/, '').split('\n');
    return `the frontmatter is not valid YAML in line ${line}: ${message}`;
  }
  if (document.contents === null) return undefined;
  if (!isMap(document.contents)) return 'the frontmatter is not a mapping of keys to values';
  const keys = new Set<unknown>();
  for (const { key } of document.contents.items) {
    const name = isScalar(key) ? String(key.value) : undefined;
    if (name === undefined) return 'the frontmatter has a key that is not a plain name';
    if (keys.has(name)) return `the frontmatter has the key ${name} twice`;
    keys.add(name);
  }
  return undefined;
}

function byteOffsets(text: string, bytes: Buffer): (character: number) => number {
  if (bytes.length === text.length) return (character) => character;
  const offsets = new Uint32Array(text.length + 1);
  let at = 0;
  for (let index = 0; index < text.length; index++) {
    offsets[index] = at;
    const code = text.charCodeAt(index);
    // The two halves of a surrogate pair are four bytes together.
    at += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
  }
  offsets[text.length] = at;
  return (character) => offsets[character] ?? at;
}
