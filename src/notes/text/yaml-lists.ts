/** Adds to and takes from a list of a frontmatter, in whichever of YAML's ways it is written. */
import { isScalar, isSeq, type Node, type YAMLSeq } from 'yaml';
import { afterLineEnd, lineEnd } from './lines.ts';
import type { Eol } from './parsed-note.ts';
import { foldName } from './utf8.ts';
import { findPair, lineStart, setKey, valueEnd, wholeLines, type YamlChange } from './yaml-keys.ts';
import type { YamlText } from './yaml-text.ts';
import { writeItem } from './yaml-value.ts';

export interface ListKind {
  /** The names the list may have; the first one is given to a new list. */
  readonly keys: readonly string[];
  /** What a text that stands for a list holds. */
  split(text: string): string[];
}

/** What the list holds, and under which key. */
export function readList(yaml: YamlText, kind: ListKind): { key: string; items: string[] } {
  const key = kind.keys.find((name) => findPair(yaml, name)) ?? kind.keys[0]!;
  const value = yaml.data[key];
  if (Array.isArray(value)) return { key, items: value.map(String) };
  const empty = value === undefined || value === null || value === '';
  return { key, items: empty ? [] : kind.split(String(value)) };
}

export function addItem(yaml: YamlText, kind: ListKind, item: string, eol: Eol): YamlChange[] {
  const { key, items } = readList(yaml, kind);
  if (items.some((one) => foldName(one) === foldName(item))) return [];
  const list = findPair(yaml, key)?.value;
  if (!isSeq(list) || items.length === 0) return [setKey(yaml, key, [...items, item], eol)];
  const last = list.items.at(-1) as Node;
  const end = valueEnd(yaml.text, last);
  if (list.flow) return [{ start: end, end, text: `, ${writeItem(item)}` }];
  const start = afterLineEnd(yaml.text, lineEnd(yaml.text, end));
  const indent = yaml.text.slice(lineStart(yaml.text, list.range![0]), list.range![0]);
  return [{ start, end: start, text: `${indent}- ${writeItem(item)}${eol}` }];
}

export function removeItem(yaml: YamlText, kind: ListKind, item: string, eol: Eol): YamlChange[] {
  const { key, items } = readList(yaml, kind);
  const at = items.findIndex((one) => foldName(one) === foldName(item));
  if (at === -1) return [];
  const list = findPair(yaml, key)?.value;
  const left = items.toSpliced(at, 1);
  if (!isSeq(list) || left.length === 0) return [setKey(yaml, key, left, eol)];
  return [list.flow ? cutFlowItem(yaml.text, list, at) : cutBlockItem(yaml.text, list, at)];
}

function cutFlowItem(text: string, list: YAMLSeq, at: number): YamlChange {
  const [item, next, before] = [list.items[at], list.items[at + 1], list.items[at - 1]] as Node[];
  return next
    ? { start: item!.range![0], end: next.range![0], text: '' }
    : { start: valueEnd(text, before!), end: valueEnd(text, item!), text: '' };
}

function cutBlockItem(text: string, list: YAMLSeq, at: number): YamlChange {
  const item = list.items[at];
  const range = isScalar(item) ? item.range! : list.range!;
  return wholeLines(text, range[0], valueEnd(text, item as Node));
}
