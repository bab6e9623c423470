/**
 * `note_merge`: appends one note to another without loss. Tags and aliases are joined, other keys
 * are copied, and keys that conflict are kept as a YAML block in the text.
 */
import { isDeepStrictEqual } from 'node:util';
import { type CarriedKey, linesOfKey } from '../frontmatter/carry-key.ts';
import { editFrontmatter, type JoiningEdit } from '../frontmatter/edit-frontmatter.ts';
import { noteName } from '../links/page-name.ts';
import type { LinkChange } from '../links/rewrite-links.ts';
import { sharedLabels } from '../markdown/definitions.ts';
import { ALIAS_KEYS, readAliases, splitTags, TAG_KEYS } from '../markdown/frontmatter.ts';
import { parseNote } from '../markdown/parse-note.ts';
import type { ParsedNote, WholeNote } from '../markdown/parsed-note.ts';
import { readYaml, type YamlText } from '../markdown/yaml-text.ts';
import { EditSequence, type Replacement } from '../text/replacements.ts';
import { foldName, toLatin1 } from '../text/utf8.ts';
import { appendToNote, blockOf, bodyStart, contentStart, trimmedBlock } from './insert-block.ts';
import { keepingStructure } from './keeps-structure.ts';

export interface PlacedNote<Note extends ParsedNote = ParsedNote> {
  readonly path: string;
  readonly note: Note;
}

/** Keys whose values are added to the target's; a title becomes an alias. */
const JOINED_KEYS = [TAG_KEYS, ALIAS_KEYS, ['title']];

/** Never copied to another note. */
const DATE_KEYS = ['created', 'updated'];

export type MergeLinks = Pick<LinkChange, 'resolve' | 'isUnique' | 'leadsTo'>;

export interface Merged {
  /** For the target. */
  readonly replacements: Replacement[];
  readonly warnings: string[];
}

/** Rewrites the links of the source for their place in the target. */
export function mergeChange(source: string, target: string, links: MergeLinks): LinkChange {
  return {
    from: source,
    to: target,
    destination: (path) => (path === source ? { path: target } : undefined),
    keepsOtherNames: false,
    ...links,
  };
}

/** `moved` is the source with its links rewritten. */
export function joinNotes(moved: PlacedNote<WholeNote>, target: PlacedNote): Merged {
  const { edit, leftOver } = joinFrontmatter(moved, target);
  const sequence = new EditSequence(target.note.bytes);
  sequence.make(appendBody(moved, target.note, leftOver));
  sequence.make(editFrontmatter(parseNote(sequence.current), edit));
  return { replacements: sequence.replacements(), warnings: sharedLabels(moved.note, target.note) };
}

/** A body equal to the target's is not appended again. `leftOver` is Latin-1. */
function appendBody(
  { path, note: moved }: PlacedNote,
  target: ParsedNote,
  leftOver: string,
): Replacement[] {
  const body = trimmedBody(moved, target);
  const isNew = body !== '' && body !== trimmedBody(target, target);
  const first = contentStart(moved, bodyStart(moved), moved.bytes.length);
  const startsWithHeading = moved.headings[0]?.start === first;
  const title = isNew && !startsWithHeading ? `## ${noteName(path)}` : '';
  const blocks = [
    blockOf(title, target.eol),
    trimmedBlock(leftOver, target.eol),
    isNew ? body : '',
  ].filter((block) => block !== '');
  if (blocks.length === 0) return [];
  const appended = appendToNote(target, blocks.join(target.eol + target.eol));
  const titles = parseNote(Buffer.from(title)).headings;
  const expected = [...target.headings, ...titles, ...(isNew ? moved.headings : [])];
  return keepingStructure(target, [appended], expected);
}

/** The body as Latin-1, with the target's line ends and no empty lines around it. */
function trimmedBody(note: ParsedNote, { eol }: Pick<ParsedNote, 'eol'>): string {
  return trimmedBlock(note.latin1.slice(bodyStart(note)), eol);
}

function joinFrontmatter(
  { path, note: moved }: PlacedNote<WholeNote>,
  target: PlacedNote,
): { edit: JoiningEdit; leftOver: string } {
  const yaml = yamlOf(moved);
  if (!yaml) return { edit: withName(path, target, {}), leftOver: '' };
  if ('problem' in yaml) {
    const { innerStart, innerEnd } = moved.frontmatter!;
    const leftOver = fenced(moved.latin1.slice(innerStart, innerEnd));
    return { edit: withName(path, target, {}), leftOver };
  }
  const { data, written } = yaml;
  const inFrontmatter = moved.tags.filter(({ place }) => place === 'frontmatter');
  const tags = inFrontmatter.map(({ name }) => name);
  const carry: Record<string, CarriedKey> = {};
  let other = '';
  const there = yamlOf(target.note);
  const known = there && 'data' in there ? there : { data: {}, written: {} };
  for (const [key, value] of Object.entries(data)) {
    if (isSame(key, yaml, known)) continue;
    const keys = JOINED_KEYS.find((names) => names.includes(key));
    const lines = linesOfKey(yaml, key);
    if (keys) {
      const isRead = keys.find((name) => name in data) === key;
      if (value !== null && !(isRead && joins(key, value, new Set(tags)))) other += lines;
    } else if (key in known.data || DATE_KEYS.includes(key)) other += lines;
    else carry[key] = { value, lines };
  }
  const title = isPlain(data.title) ? [String(written.title)] : [];
  const carried = { carry, add_tags: tags, add_aliases: [...title, ...readAliases(yaml)] };
  return {
    edit: withName(path, target, carried),
    leftOver: other === '' ? '' : fenced(toLatin1(other)),
  };
}

function yamlOf({ bytes, frontmatter }: ParsedNote): YamlText | { problem: string } | undefined {
  return frontmatter && readYaml(bytes.subarray(frontmatter.innerStart, frontmatter.innerEnd), 2);
}

/** Whether the key has the same value on both sides, written the same way. */
function isSame(key: string, ...sides: readonly Pick<YamlText, 'data' | 'written'>[]): boolean {
  const [one, other] = sides.map(({ data, written }) => [data[key], written[key]]);
  return isDeepStrictEqual(one, other);
}

/** Whether every item of a joined key is a tag or a name. */
function joins(key: string, value: unknown, tags: ReadonlySet<string>): boolean {
  if (key === 'title') return isPlain(value);
  const isTag = (item: unknown) =>
    tags.has(
      String(item)
        .replace(/^["'#]+/, '')
        .trim(),
    );
  const isJoined = TAG_KEYS.includes(key) ? isTag : isName;
  if (Array.isArray(value)) return value.every((item) => item === null || isJoined(item));
  const items = TAG_KEYS.includes(key) ? splitTags(String(value)) : [value];
  return items.every(isJoined);
}

function isName(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

function isPlain(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== 'object';
}

/**
 * Adds the name of the source as an alias, unless that alone would add a frontmatter: links lead to
 * the target without it.
 */
function withName(path: string, target: PlacedNote, carried: JoiningEdit): JoiningEdit {
  const own = foldName(noteName(target.path));
  const isOther = (name: string) => foldName(name) !== own;
  const aliases = (carried.add_aliases ?? []).filter(isOther);
  const isNeeded = [aliases, carried.add_tags ?? [], Object.keys(carried.carry ?? {})].some(
    ({ length }) => length > 0,
  );
  const names = isNeeded || target.note.frontmatter ? [noteName(path)].filter(isOther) : [];
  return { ...carried, add_aliases: [...names, ...aliases] };
}

function fenced(yaml: string): string {
  const longest = Math.max(2, ...(yaml.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}yaml\n${trimmedBlock(yaml, '\n')}\n${fence}`;
}
