/** The frontmatter of a note: its data, tags, aliases, title and links. */
import { isAlias, type Scalar, visit } from 'yaml';
import { afterLineEnd, lineAt, lineEnd } from '../text/lines.ts';
import { fromLatin1, toLatin1 } from '../text/utf8.ts';
import { isExternal, readWikiTarget } from './link-text.ts';
import type { Frontmatter, Link, Tag } from './parsed-note.ts';
import { tagName } from './tag-text.ts';
import { readYaml, type YamlText } from './yaml-text.ts';

export interface FrontmatterParts {
  readonly frontmatter?: Frontmatter;
  readonly tags: Tag[];
  readonly aliases: string[];
  readonly links: Link[];
  readonly title?: string;
}

/** The keys of tags and aliases; the first that is present counts. */
export const TAG_KEYS = ['tags', 'tag'];
export const ALIAS_KEYS = ['aliases', 'alias'];

/** Reads `---`, YAML, `---` at the start of the note, after a byte order mark if there is one. */
export function readFrontmatter(
  bytes: Buffer,
  latin1: string,
  starts: Uint32Array,
  start: number,
): FrontmatterParts {
  const range = frontmatterRange(latin1, start);
  if (!range) return { tags: [], aliases: [], links: [] };
  const yaml = readYaml(bytes.subarray(range.innerStart, range.innerEnd), 2);
  if ('problem' in yaml) {
    return { frontmatter: { ...range, problem: yaml.problem }, tags: [], aliases: [], links: [] };
  }
  const title = titleOf(yaml);
  return {
    frontmatter: { ...range, data: yaml.data },
    tags: readTags(yaml, range.innerStart, starts),
    aliases: readAliases(yaml),
    links: readLinks(yaml, latin1, range.innerStart, starts),
    ...(title !== undefined && { title }),
  };
}

function titleOf(yaml: YamlText): string | undefined {
  const { title } = yaml.data;
  if (title === undefined || title === null || typeof title === 'object') return undefined;
  return typeof title === 'string' ? title : String(yaml.written.title);
}

/** The range of the frontmatter in Latin-1 text that begins at `start`. */
export function frontmatterRange(
  text: string,
  start: number,
): { start: number; end: number; innerStart: number; innerEnd: number } | undefined {
  const innerStart = afterFence(text, start);
  if (innerStart === -1 || innerStart === lineEnd(text, start)) return undefined;
  for (let at = innerStart; at < text.length; at = afterLineEnd(text, lineEnd(text, at))) {
    const end = afterFence(text, at);
    if (end !== -1) return { start, end, innerStart, innerEnd: at };
  }
  return undefined;
}

/** The start of the line after the `---` at `at`, or -1 if there is no `---`. */
function afterFence(text: string, at: number): number {
  if (!text.startsWith('---', at)) return -1;
  let pos = at + 3;
  while (text[pos] === ' ' || text[pos] === '\t') pos++;
  return pos === text.length || text[pos] === '\n' || text[pos] === '\r'
    ? afterLineEnd(text, pos)
    : -1;
}

function readTags(yaml: YamlText, innerStart: number, starts: Uint32Array): Tag[] {
  const tags: Tag[] = [];
  const { isList, ranges } = yaml.placesOf(TAG_KEYS) ?? { ranges: [] };
  for (const [from, to] of ranges) {
    const source = yaml.text.slice(from, to);
    const pattern = isList ? /[^"'#][^"']*/g : /[^\s,"'#]+/g;
    for (const { 0: written, index } of source.matchAll(pattern)) {
      const name = tagName(written.trim());
      if (name === undefined) continue;
      const space = written.length - written.trimStart().length;
      const start = innerStart + yaml.byteOf(from + index + space);
      const end = start + Buffer.byteLength(name);
      tags.push({ name, place: 'frontmatter', start, end, line: lineAt(starts, start) });
    }
  }
  return tags;
}

/** The tag of a list item as `readTags` reads it, without leading quotes and `#`. */
export function listedTag(item: string): string | undefined {
  return tagName(item.replace(/^["'#]+/, '').trim());
}

/** Splits a string value used in place of a tag list. */
export function splitTags(text: string): string[] {
  return text.split(/[\s,"'#]+/).filter((tag) => tag !== '');
}

/** As written, so that `007` is not read as `7`. */
export function readAliases(yaml: YamlText): string[] {
  const key = ALIAS_KEYS.find((name) => yaml.data[name] !== undefined);
  if (key === undefined) return [];
  const items = [yaml.data[key]].flat();
  const isNumber = (item: unknown) => typeof item === 'number';
  const written = items.some(isNumber) ? [yaml.written[key]].flat() : items;
  return items.flatMap((item, at) =>
    typeof item === 'string' || isNumber(item) ? [String(written[at])] : [],
  );
}

/** Wiki links in frontmatter values, which editors also follow. */
function readLinks(
  yaml: YamlText,
  latin1: string,
  innerStart: number,
  starts: Uint32Array,
): Link[] {
  const links: Link[] = [];
  if (!yaml.text.includes('[[')) return links;
  visit(yaml.document, {
    Scalar: (key, node) => {
      if (key === 'key' || isAlias(node) || !isInline(node) || !node.range) return;
      const [from, to] = [node.range[0], node.range[1]].map((at) => innerStart + yaml.byteOf(at));
      const quote = latin1[from!];
      const source = latin1.slice(from, to);
      for (const match of source.matchAll(/\[\[([^[\]|\r\n]+)(?:\|([^[\]\r\n]*))?\]\]/g)) {
        const target = unquoted(match[1]!, quote);
        if (isExternal(target)) continue;
        const start = from! + match.index;
        links.push({
          kind: 'wiki',
          place: 'frontmatter',
          ...readWikiTarget(target),
          ...(match[2] !== undefined && { label: match[2] }),
          start,
          end: start + match[0].length,
          targetStart: start + 2,
          targetEnd: start + 2 + match[1]!.length,
          ...((quote === '"' || quote === "'") && { quote }),
          line: lineAt(starts, start),
        });
      }
    },
  });
  return links;
}

function isInline(node: Scalar): boolean {
  return typeof node.value === 'string' && !node.type?.startsWith('BLOCK');
}

/** Undoes YAML quoting; input and output are Latin-1. */
function unquoted(source: string, quote: string | undefined): string {
  if (quote === "'") return source.replaceAll("''", "'");
  if (quote !== '"' || !source.includes('\\')) return source;
  try {
    return toLatin1(String(JSON.parse(`"${fromLatin1(source)}"`)));
  } catch {
    return source;
  }
}
