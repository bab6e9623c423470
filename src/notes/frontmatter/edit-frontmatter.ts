/**
 * `note_frontmatter`: sets and removes keys by replacing their lines. The YAML is never serialized
 * as a whole, so comments, quotes, order and indentation of the rest are unchanged. The result is
 * parsed again and refused unless it has exactly the requested values.
 */
import { isDeepStrictEqual } from 'node:util';
import { isMap } from 'yaml';
import {
  ALIAS_KEYS,
  frontmatterRange,
  listedTag,
  splitTags,
  TAG_KEYS,
} from '../markdown/frontmatter.ts';
import type { ParsedNote } from '../markdown/parsed-note.ts';
import { isTagName } from '../markdown/tag-text.ts';
import { readYaml, type YamlText } from '../markdown/yaml-text.ts';
import { EditError, invalidArguments } from '../text/edit-error.ts';
import type { Eol } from '../text/lines.ts';
import { EditSequence, type Replacement } from '../text/replacements.ts';
import { type CarriedKey, carryKey } from './carry-key.ts';
import { setKey, unsetKey, type YamlChange } from './yaml-keys.ts';
import { addItem, areCalled, type ListKind, readList, removeItems } from './yaml-lists.ts';

export interface FrontmatterEdit {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly unset?: readonly string[];
  readonly add_tags?: readonly string[];
  readonly remove_tags?: readonly string[];
  readonly add_aliases?: readonly string[];
  readonly remove_aliases?: readonly string[];
}

/** Also copies keys from another frontmatter. */
export interface JoiningEdit extends FrontmatterEdit {
  readonly carry?: Readonly<Record<string, CarriedKey>>;
}

type Data = Record<string, unknown>;

interface Step {
  change(yaml: YamlText, eol: Eol): YamlChange[];
  /** Applies the same step to the parsed data. */
  expect(data: Data, yaml: YamlText): void;
}

const TAGS: ListKind = {
  keys: TAG_KEYS,
  split: splitTags,
  nameOf: (item) => (isPlain(item) ? listedTag(String(item)) : undefined),
};
const ALIASES: ListKind = {
  keys: ALIAS_KEYS,
  split: (text) => [text],
  nameOf: (item) => (isPlain(item) ? String(item) : undefined),
};

function isPlain(item: unknown): boolean {
  return item !== null && typeof item !== 'object';
}

export function editFrontmatter(note: ParsedNote, edit: JoiningEdit): Replacement[] {
  const steps = stepsOf(edit);
  if (steps.length === 0) return [];
  if (note.frontmatter?.problem !== undefined) throw invalid(note.frontmatter.problem);
  const tags = [...(edit.add_tags ?? []), ...(edit.remove_tags ?? [])].map(bareTag);
  const wrong = tags.find((tag) => !isTagName(tag));
  if (wrong !== undefined) {
    throw invalidArguments(`"${wrong}" is not a valid tag; use letters, digits, "_", "-" and "/"`);
  }
  const sequence = new EditSequence(note.bytes);
  if (!note.frontmatter) open(sequence, note);
  for (const step of steps) take(sequence, step, note);
  const { innerStart, innerEnd } = rangeIn(sequence, note);
  return !note.frontmatter && innerStart === innerEnd ? [] : sequence.replacements();
}

function stepsOf(edit: JoiningEdit): Step[] {
  return [
    ...(edit.unset ?? []).map(unsetting),
    ...Object.entries(edit.set ?? {}).map(([key, value]) => setting(key, value)),
    ...Object.entries(edit.carry ?? {}).map(([key, carried]) => carrying(key, carried)),
    ...(edit.remove_tags ?? []).map((tag) => removing(TAGS, bareTag(tag))),
    ...(edit.add_tags ?? []).map((tag) => adding(TAGS, bareTag(tag))),
    ...(edit.remove_aliases ?? []).map((alias) => removing(ALIASES, alias)),
    ...(edit.add_aliases ?? []).map((alias) => adding(ALIASES, alias)),
  ];
}

/** Adds an empty frontmatter for the steps. */
function open(sequence: EditSequence, { hasBom, eol }: ParsedNote): void {
  const start = hasBom ? 3 : 0;
  sequence.make([{ start, end: start, bytes: Buffer.from(`---${eol}---${eol}`) }]);
}

function rangeIn(sequence: EditSequence, { hasBom }: ParsedNote) {
  return frontmatterRange(sequence.current.toString('latin1'), hasBom ? 3 : 0)!;
}

function yamlIn(sequence: EditSequence, note: ParsedNote): YamlText | { problem: string } {
  const { innerStart, innerEnd } = rangeIn(sequence, note);
  return readYaml(sequence.current.subarray(innerStart, innerEnd), 2);
}

function take(sequence: EditSequence, step: Step, note: ParsedNote): void {
  const base = rangeIn(sequence, note).innerStart;
  const yaml = yamlIn(sequence, note);
  if ('problem' in yaml) throw invalid(yaml.problem);
  if (isMap(yaml.document.contents) && yaml.document.contents.flow) {
    throw invalid('the frontmatter is one mapping in braces');
  }
  const expected = structuredClone(yaml.data);
  step.expect(expected, yaml);
  if (isDeepStrictEqual(expected, yaml.data)) return;
  sequence.make(
    step.change(yaml, note.eol).map(({ start, end, text }) => ({
      start: base + yaml.byteOf(start),
      end: base + yaml.byteOf(end),
      bytes: Buffer.from(text),
    })),
  );
  const after = yamlIn(sequence, note);
  if ('data' in after && isDeepStrictEqual(after.data, expected)) return;
  throw invalid('the frontmatter is written so that one key cannot be changed alone');
}

function setting(key: string, value: unknown): Step {
  return {
    change: (yaml, eol) => [setKey(yaml, key, value, eol)],
    expect: (data) => {
      data[key] = value;
    },
  };
}

function carrying(key: string, carried: CarriedKey): Step {
  return {
    change: (yaml, eol) => [carryKey(yaml, key, carried, eol)],
    expect: (data) => {
      data[key] = carried.value;
    },
  };
}

function unsetting(key: string): Step {
  return {
    change: (yaml) => [unsetKey(yaml, key)!],
    expect: (data) => {
      delete data[key];
    },
  };
}

function adding(kind: ListKind, item: string): Step {
  return {
    change: (yaml, eol) => addItem(yaml, kind, item, eol),
    expect: (data, yaml) => {
      const { key, items } = readList(yaml, kind);
      if (!areCalled(yaml, kind, item).includes(true)) data[key] = [...items, item];
    },
  };
}

function removing(kind: ListKind, name: string): Step {
  return {
    change: (yaml, eol) => removeItems(yaml, kind, name, eol),
    expect: (data, yaml) => {
      const { key, items } = readList(yaml, kind);
      const goes = areCalled(yaml, kind, name);
      if (goes.includes(true)) data[key] = items.filter((_, at) => !goes[at]);
    },
  };
}

function bareTag(tag: string): string {
  return tag.trim().replace(/^#/, '');
}

function invalid(problem: string): EditError {
  return new EditError('frontmatter_invalid', `${problem}; repair it with note_edit first`, {
    problem,
  });
}
