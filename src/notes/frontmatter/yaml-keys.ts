/** Sets and removes keys of a frontmatter by replacing their lines. */
import { isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';
import type { YamlText } from '../markdown/yaml-text.ts';
import type { Eol } from '../text/lines.ts';
import { afterLineEnd, lineEnd } from '../text/lines.ts';
import { writeItem, writeValue } from './yaml-value.ts';

/** A replacement in YAML; offsets are characters. */
export interface YamlChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A comment after the indicator of a block scalar. */
const BLOCK_COMMENT = /^[|>][-+\d]*([ \t]+#[^\r\n]*)/;

export function findPair(yaml: YamlText, key: string): Pair<Node, Node | null> | undefined {
  const { contents } = yaml.document;
  if (!isMap(contents)) return undefined;
  const pair = contents.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
  return pair as Pair<Node, Node | null> | undefined;
}

export function setKey(yaml: YamlText, key: string, value: unknown, eol: Eol): YamlChange {
  const pair = findPair(yaml, key);
  if (!pair) {
    const end = yaml.text.length;
    return {
      start: end,
      end,
      text: `${indentOf(yaml)}${writeItem(key)}: ${writeValue(value)}${eol}`,
    };
  }
  const old = pair.value;
  const afterColon = colonEnd(yaml.text, pair.key);
  if (!old?.range || old.range[0] === old.range[1]) {
    return { start: afterColon, end: afterColon, text: ` ${writeValue(value)}` };
  }
  const end = valueEnd(yaml.text, old);
  if (isSeq(old) && !old.flow && Array.isArray(value) && value.length > 0) {
    const indent = yaml.text.slice(lineStart(yaml.text, old.range[0]), old.range[0]);
    const items = value.map((item) => `- ${writeItem(item)}`);
    return { start: old.range[0], end, text: items.join(eol + indent) };
  }
  const keyLineEnd = lineEnd(yaml.text, afterColon);
  if (keyLineEnd >= old.range[0]) {
    const comment = BLOCK_COMMENT.exec(yaml.text.slice(old.range[0], end))?.[1] ?? '';
    return { start: old.range[0], end, text: writeValue(value, old) + comment };
  }
  const beside = yaml.text.slice(afterColon, keyLineEnd);
  const comment = /^[ \t]+#/.test(beside) ? beside : '';
  return { start: afterColon, end, text: ` ${writeValue(value)}${comment}` };
}

/** Removes the lines of the key and its value, with a trailing comment. */
export function unsetKey(yaml: YamlText, key: string): YamlChange | undefined {
  const pair = findPair(yaml, key);
  if (!pair) return undefined;
  const last = pair.value?.range ? valueEnd(yaml.text, pair.value) : pair.key.range![1];
  return wholeLines(yaml.text, pair.key.range![0], Math.max(last, pair.key.range![1]));
}

export function wholeLines(text: string, from: number, to: number): YamlChange {
  return { start: lineStart(text, from), end: afterLineEnd(text, lineEnd(text, to)), text: '' };
}

export function lineStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start--;
  return start;
}

/** Excludes the trailing line end of a multi-line value. */
export function valueEnd(text: string, node: Node): number {
  const [start, end] = node.range!;
  let at = end;
  while (at > start && /[ \t\r\n]/.test(text[at - 1]!)) at--;
  return at;
}

/** The colon follows the key, possibly on the next line. */
function colonEnd(text: string, key: Node): number {
  const colon = /\s*:/y;
  colon.lastIndex = key.range![1];
  return colon.test(text) ? colon.lastIndex : key.range![1];
}

export function indentOf(yaml: YamlText): string {
  const { contents } = yaml.document;
  const first = isMap(contents) ? (contents.items[0]?.key as Node | undefined) : undefined;
  return first?.range ? yaml.text.slice(lineStart(yaml.text, first.range[0]), first.range[0]) : '';
}
