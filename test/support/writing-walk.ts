/** Random calls of every tool that writes, each for the vault as the calls before it have left it. */
import fc from 'fast-check';
import { SECTION_MODES } from '../../src/notes/edit/edit-section.ts';
import { contentHash } from '../../src/notes/files/content-hash.ts';
import { isNote } from '../../src/notes/files/vault-path.ts';
import { parseNote } from '../../src/notes/markdown/parse-note.ts';
import { arbitraryPath } from './link-web.ts';

export interface WalkStep {
  readonly way: number;
  /** Which note, which other one, and which of its headings, tasks or lines. */
  readonly one: number;
  readonly other: number;
  readonly part: number;
  readonly path: string;
  readonly text: string;
}

export interface WalkCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the vault holds, and what the calls before have put into the trash. */
export interface WalkPlace {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly trash: readonly string[];
}

type Way = (step: WalkStep, place: WalkPlace, path: string, bytes: Buffer) => WalkCall;

const texts = fc.constantFrom(
  'x',
  '---',
  '- [ ] x',
  '## X\n\nü [[foo]]',
  'Z\n===\n\n[t](bar.md)',
  '   ## Y',
  '```\nunclosed',
  '| a |',
  'a\r\nb',
  '<!-- c',
);

const section: Way = ({ part, other, text }, { files }, path, bytes) => {
  const mode = SECTION_MODES[other % SECTION_MODES.length]!;
  const { headings } = parseNote(bytes);
  const line = headings[part % Math.max(1, headings.length)]?.line ?? 1;
  const to = mode === 'rename_heading' ? 'New name' : notesOf(files)[part % files.size];
  return {
    tool: 'note_section_edit',
    args: {
      path,
      mode,
      ...(!mode.endsWith('_note') && { line }),
      ...(mode === 'rename_heading' || mode === 'move_section'
        ? { to }
        : mode !== 'delete_section' && { content: text }),
    },
  };
};

const move: Way = ({ part, path: to }, _, path) => {
  const folder = path.slice(0, path.indexOf('/') + 1);
  const args = part % 3 > 0 || folder === '' ? { path, to } : { path: folder, to: 'new/place/' };
  return { tool: 'note_move', args };
};

const split: Way = ({ part }, _, path) => ({
  tool: 'note_split',
  args: { path, level: 1 + (part % 3), ...(part % 2 === 0 && { to: 'parts/' }) },
});

const remove: Way = ({ part, path: to }, { trash }, path) => {
  const id = trash[part % Math.max(1, trash.length)];
  if (id === undefined || part % 2 === 0) return { tool: 'note_delete', args: { path } };
  return { tool: 'note_restore', args: { trash_id: id, ...(part % 3 === 0 && { to }) } };
};

const task: Way = ({ part }, _, path, bytes) => {
  const { tasks } = parseNote(bytes);
  return {
    tool: 'task_toggle',
    args: { path, line: tasks[part % Math.max(1, tasks.length)]?.line ?? 1 },
  };
};

const WAYS: readonly Way[] = [
  section,
  section,
  section,
  move,
  move,
  split,
  remove,
  remove,
  task,
  ({ path, text, part }) => ({
    tool: 'note_create',
    args: { path, content: text, ...(part % 2 === 0 && { if_exists: 'suffix' }) },
  }),
  ({ text }, _, path, bytes) => ({
    tool: 'note_write',
    args: { path, content: text, content_hash: contentHash(bytes) },
  }),
  ({ part, text }, _, path, bytes) => ({
    tool: 'note_edit',
    args: {
      path,
      edits: [{ old_string: bytes.toString().slice(part, part + 3) || 'x', new_string: text }],
    },
  }),
  ({ part }, _, path) => ({
    tool: 'note_frontmatter',
    args: part % 2 === 0 ? { path, set: { up: '[[foo]]' } } : { path, add_aliases: ['Nick'] },
  }),
  ({ part, text }) => ({
    tool: 'note_capture',
    args: { text, ...(part % 2 === 0 && { to: 'daily', date: '2026-11-15', heading: 'h' }) },
  }),
  ({ other }, { files }, path) => ({
    tool: 'note_merge',
    args: { path, into: notesOf(files)[other % files.size] },
  }),
];

export const arbitraryStep: fc.Arbitrary<WalkStep> = fc.record({
  way: fc.nat(WAYS.length - 1),
  one: fc.nat(20),
  other: fc.nat(20),
  part: fc.nat(20),
  path: arbitraryPath,
  text: texts,
});

/** Undefined where there is no note left. */
export function callOf(step: WalkStep, place: WalkPlace): WalkCall | undefined {
  const notes = notesOf(place.files);
  const path = notes[step.one % Math.max(1, notes.length)];
  if (path === undefined) return undefined;
  return WAYS[step.way]!(step, place, path, place.files.get(path)!);
}

function notesOf(files: ReadonlyMap<string, Buffer>): string[] {
  return [...files.keys()].filter(isNote);
}
