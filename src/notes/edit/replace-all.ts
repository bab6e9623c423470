/** `vault_replace` in one note: replaces every match of a text, a pattern or a tag. */

import { writeItem } from '../frontmatter/yaml-value.ts';
import { TAG_KEYS } from '../markdown/frontmatter.ts';
import type { Frontmatter, ParsedNote, WholeNote } from '../markdown/parsed-note.ts';
import { isTagName } from '../markdown/tag-text.ts';
import { readYaml } from '../markdown/yaml-text.ts';
import { EditError, invalidArguments } from '../text/edit-error.ts';
import { findText } from '../text/find-text.ts';
import { FoldedLines } from '../text/folded-lines.ts';
import { lineExpression } from '../text/line-expression.ts';
import { withEol } from '../text/lines.ts';
import type { Replacement } from '../text/replacements.ts';
import { decodeLossless, encodeLossless, foldName } from '../text/utf8.ts';

export interface ReplaceAll {
  readonly kind: 'literal' | 'regex' | 'tag';
  readonly pattern: string;
  readonly replace: string;
  /** Stops after one match more than this. */
  readonly most?: number;
}

/** Bounds the expansion of `$&` repeated over a long match. */
const MAX_MADE_CHARS = 32 * 1024 * 1024;

/** The caller must bound the time: a regular expression may backtrack without end (ReDoS). */
export function replaceAll(note: WholeNote, wanted: ReplaceAll): Replacement[] {
  if (wanted.pattern === '') {
    throw invalidArguments('pattern is empty; give the text to replace');
  }
  switch (wanted.kind) {
    case 'literal':
      return replaceLiteral(note, wanted);
    case 'regex':
      return replacePattern(note, wanted);
    case 'tag':
      return replaceTag(note, wanted);
  }
}

function replaceLiteral(
  note: ParsedNote,
  { pattern, replace, most = Number.POSITIVE_INFINITY }: ReplaceAll,
): Replacement[] {
  const bytes = Buffer.from(withEol(replace, note.eol));
  if (pattern === replace) return [];
  return findText(note.latin1, pattern, most + 1).map((found) => ({ ...found, bytes }));
}

/** All line ends match alike; inserted ones are those of the note. */
function replacePattern(
  note: ParsedNote,
  { pattern, replace, most = Number.POSITIVE_INFINITY }: ReplaceAll,
): Replacement[] {
  let expression: RegExp;
  try {
    expression = lineExpression(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw new EditError('regex_invalid', `invalid pattern: ${reason}; correct it`);
  }
  const text = decodeLossless(note.bytes);
  const made: Replacement[] = [];
  const lines = new FoldedLines(text);
  let [read, start, budget] = [0, 0, MAX_MADE_CHARS];
  for (const match of lines.text.matchAll(expression)) {
    const from = lines.offset(match.index);
    const to = lines.offset(match.index + match[0].length);
    start += encodeLossless(text.slice(read, from)).length;
    const end = start + encodeLossless(text.slice(from, to)).length;
    budget -= expandedLength(replace, match);
    if (budget < 0) {
      throw invalidArguments(
        'the replacement makes the note too long; match less or repeat less of the match',
      );
    }
    const bytes = encodeLossless(withEol(expand(replace, match), note.eol));
    if (!bytes.equals(note.bytes.subarray(start, end))) made.push({ start, end, bytes });
    if (made.length > most) break;
    [read, start] = [to, end];
  }
  return made;
}

/** `$1`, `$<name>`, `$&` and `$$` as in JavaScript. */
const REFERENCE = /\$(?:(\$)|(&)|(\d{1,2})|<([^>]*)>)/g;

function expand(replace: string, match: RegExpExecArray): string {
  return replace.replace(REFERENCE, (...found) => referred(found, match));
}

/** The length of `expand`, without building it. */
function expandedLength(replace: string, match: RegExpExecArray): number {
  let length = replace.length;
  for (const found of replace.matchAll(REFERENCE)) {
    length += referred(found, match).length - found[0].length;
  }
  return length;
}

function referred(found: readonly string[], match: RegExpExecArray): string {
  const [whole, dollar, all, group, name] = found;
  if (dollar) return '$';
  if (all) return match[0];
  if (name !== undefined) return match.groups ? (match.groups[name] ?? '') : whole!;
  return Number(group) > 0 && Number(group) < match.length ? (match[Number(group)] ?? '') : whole!;
}

/** Renames a tag with its subtags: `a` to `b` also renames `a/c` to `b/c`. */
function replaceTag(note: WholeNote, wanted: ReplaceAll): Replacement[] {
  const [pattern, replace] = [wanted.pattern, wanted.replace].map((tag) => tag.replace(/^#/, ''));
  if (!isTagName(pattern!) || !isTagName(replace!)) {
    throw invalidArguments('pattern and replace must be tags, without spaces');
  }
  const depth = pattern!.split('/').length;
  const isValue = wholeValues(note);
  return note.tags.flatMap(({ name, place, start, end }) => {
    const head = name.split('/').slice(0, depth).join('/');
    if (foldName(head) !== foldName(pattern!) || head === replace) return [];
    if (place === 'frontmatter' && isValue(start, end)) {
      const bytes = Buffer.from(writeItem(replace! + name.slice(head.length)));
      return [{ start, end, bytes }];
    }
    return [{ start, end: start + Buffer.byteLength(head), bytes: Buffer.from(replace!) }];
  });
}

/** Whether a range is exactly one unquoted value of the tag list. */
function wholeValues({ bytes, frontmatter }: WholeNote): (start: number, end: number) => boolean {
  let places: ReadonlySet<string> | undefined;
  return (start, end) => {
    places ??= new Set(frontmatter && tagPlaces(bytes, frontmatter));
    return places.has(`${start}-${end}`);
  };
}

function tagPlaces(bytes: Buffer, { innerStart, innerEnd }: Frontmatter): string[] {
  const yaml = readYaml(bytes.subarray(innerStart, innerEnd), 2);
  if ('problem' in yaml) return [];
  const at = (character: number) => innerStart + yaml.byteOf(character);
  const { ranges } = yaml.placesOf(TAG_KEYS) ?? { ranges: [] };
  return ranges.map(([from, to]) => `${at(from)}-${at(to)}`);
}
