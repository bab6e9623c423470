/** Adds and removes items of a frontmatter list in any YAML notation. */
import { isMap, isScalar, isSeq, type Node, type YAMLSeq } from 'yaml';
import type { YamlText } from '../markdown/yaml-text.ts';
import type { Eol } from '../text/lines.ts';
import { afterLineEnd, lineEnd } from '../text/lines.ts';
import { foldName } from '../text/utf8.ts';
import { findPair, lineStart, setKey, valueEnd, wholeLines, type YamlChange } from './yaml-keys.ts';
import { writeItem } from './yaml-value.ts';

export interface ListKind {
  /** The keys the list may have; a new list gets the first. */
  readonly keys: readonly string[];
  /** Splits a string used in place of a list. */
  split(text: string): string[];
  /** The tag or alias of an item, if it is one. */
  nameOf(item: unknown): string | undefined;
}

/** The items and the key of the list. */
export function readList(yaml: YamlText, kind: ListKind): { key: string; items: unknown[] } {
  const key = kind.keys.find((name) => findPair(yaml, name)) ?? kind.keys[0]!;
  const value = yaml.data[key];
  if (Array.isArray(value)) return { key, items: value };
  if (value === undefined || value === null || value === '') return { key, items: [] };
  return { key, items: typeof value === 'string' ? kind.split(value) : [value] };
}

/** Whether each item has the name. A number is compared as written: `007`, `1.10`. */
export function areCalled(yaml: YamlText, kind: ListKind, name: string): boolean[] {
  const wanted = foldName(name);
  const { key, items } = readList(yaml, kind);
  const isNumber = (item: unknown) => typeof item === 'number';
  const written = items.some(isNumber) ? [yaml.written[key]].flat() : items;
  return items.map((item, at) => {
    const found = kind.nameOf(isNumber(item) ? written[at] : item);
    return found !== undefined && foldName(found) === wanted;
  });
}

export function addItem(yaml: YamlText, kind: ListKind, item: string, eol: Eol): YamlChange[] {
  const { key, items } = readList(yaml, kind);
  const list = findPair(yaml, key)?.value;
  const isOther = isMap(list) || (isScalar(list) && typeof list.value !== 'string');
  if (isOther && items.length > 0 && list.range) {
    // A number, for example, is kept as written.
    const [start, end] = [list.range[0], valueEnd(yaml.text, list)];
    return [{ start, end, text: `[${yaml.text.slice(start, end)}, ${writeItem(item)}]` }];
  }
  if (!isSeq(list) || items.length === 0) return [setKey(yaml, key, [...items, item], eol)];
  const last = list.items.at(-1) as Node;
  const end = valueEnd(yaml.text, last);
  if (list.flow) return [{ start: end, end, text: `, ${writeItem(item)}` }];
  const start = afterLineEnd(yaml.text, lineEnd(yaml.text, end));
  const indent = yaml.text.slice(lineStart(yaml.text, list.range![0]), list.range![0]);
  return [{ start, end: start, text: `${indent}- ${writeItem(item)}${eol}` }];
}

export function removeItems(yaml: YamlText, kind: ListKind, name: string, eol: Eol): YamlChange[] {
  const { key, items } = readList(yaml, kind);
  const goes = areCalled(yaml, kind, name);
  const left = items.filter((_, at) => !goes[at]);
  const list = findPair(yaml, key)?.value;
  if (!isSeq(list) || left.length === 0) return [setKey(yaml, key, left, eol)];
  if (list.flow) return cutFlowItems(yaml.text, list, goes);
  return goes.flatMap((isGoing, at) => (isGoing ? [cutBlockItem(yaml.text, list, at)] : []));
}

/**
 * Removes runs of items with the comma after them. The last run takes the comma before it instead,
 * unless a comment of the previous item follows that comma.
 */
function cutFlowItems(text: string, list: YAMLSeq, goes: readonly boolean[]): YamlChange[] {
  const nodes = list.items as Node[];
  const cuts: YamlChange[] = [];
  for (let first = goes.indexOf(true); first !== -1; ) {
    const next = goes.indexOf(false, first);
    cuts.push(
      next === -1
        ? {
            start: afterItem(text, nodes[first - 1]!, nodes[first]!),
            end: valueEnd(text, nodes.at(-1)!),
            text: '',
          }
        : { start: nodes[first]!.range![0], end: nodes[next]!.range![0], text: '' },
    );
    first = next === -1 ? -1 : goes.indexOf(true, next);
  }
  return cuts;
}

function afterItem(text: string, item: Node, next: Node): number {
  const end = valueEnd(text, item);
  return text.slice(end, next.range![0]).includes('#') ? next.range![0] : end;
}

function cutBlockItem(text: string, list: YAMLSeq, at: number): YamlChange {
  const item = list.items[at];
  const range = isScalar(item) ? item.range! : list.range!;
  return wholeLines(text, range[0], valueEnd(text, item as Node));
}
