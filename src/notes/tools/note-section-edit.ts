/** `note_section_edit`: edits one section of a note, or its beginning or end. */
import { type Static, Type } from '../../mcp/schema.ts';
import { SECTION_MODES, type SectionEdit } from '../edit/edit-section.ts';
import { isNote } from '../files/vault-path.ts';
import type { HeadingAddress } from '../markdown/find-heading.ts';
import { takeNote } from '../tool-kit/find-note.ts';
import { NotesError } from '../tool-kit/notes-error.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { moveToOtherNote } from '../tool-writes/move-to-other-note.ts';
import { renameHeading } from '../tool-writes/rename-heading.ts';
import { CONTENT_HASH, DRY_RUN, editNote, NOTE_PATH } from '../tool-writes/write.ts';

const HEADING_PATH = Type.Array(Type.String(), { minItems: 1, maxItems: 6 });
const PLACE = Type.Object(
  {
    path: Type.Optional(Type.String({ description: 'Another note.' })),
    heading: Type.Optional(Type.String()),
    heading_path: Type.Optional(HEADING_PATH),
    line: Type.Optional(Type.Integer({ minimum: 1 })),
    position: Type.Optional(Type.Enum(['before', 'after'])),
  },
  { additionalProperties: false },
);

type Place = Static<typeof PLACE>;

export const noteSectionEdit = defineNotesTool({
  name: 'note_section_edit',
  title: 'Edit a section',
  description:
    'Edits one section, from its heading to the next of the same or a higher level. Address it by heading (whole text, unique), heading_path (from the top) or line.',
  arguments: {
    path: NOTE_PATH,
    mode: Type.Enum(SECTION_MODES),
    heading: Type.Optional(Type.String()),
    heading_path: Type.Optional(HEADING_PATH),
    line: Type.Optional(Type.Integer({ minimum: 1 })),
    content: Type.Optional(Type.String()),
    create: Type.Optional(Type.Boolean({ description: 'Make a missing heading.' })),
    to: Type.Optional(
      Type.Union([Type.String(), PLACE], {
        description:
          'rename_heading: the new text. move_section: a heading to go below, "other.md", or a place.',
      }),
    ),
    content_hash: CONTENT_HASH,
    dry_run: DRY_RUN,
  },
  annotations: WRITES,
  run: async ({ to, ...args }, call) => {
    const { open, parts } = call;
    const target = args.mode === 'move_section' && typeof to === 'string' ? placeOf(to) : to;
    const edit = { ...args, ...(target !== undefined && { to: target }) };
    checkArguments(edit);
    if (typeof target === 'object' && target.path !== undefined) {
      const { path, ...place } = target;
      const from = await takeNote(open, args.path, parts.now());
      const other = await takeNote(open, path, parts.now());
      const section = addressOf(args);
      if (other.path !== from.path) {
        return moveToOtherNote(open, { from, section, to: other, place }, args);
      }
    }
    if (args.mode === 'rename_heading') {
      return renameHeading(open, await takeNote(open, args.path, parts.now()), edit, args);
    }
    return editNote(call, 'note_section_edit', args, { section: edit });
  },
});

/** A string that ends in `.md` names a note; a heading that does is given as an object. */
function placeOf(to: string): Place {
  return isNote(to) ? { path: to } : { heading: to };
}

function addressOf({ heading, heading_path, line }: HeadingAddress): HeadingAddress {
  return {
    ...(heading !== undefined && { heading }),
    ...(heading_path !== undefined && { heading_path }),
    ...(line !== undefined && { line }),
  };
}

/** Refuses arguments that the mode would ignore. */
function checkArguments(edit: SectionEdit): void {
  const { mode, heading, heading_path, line, content, create, to } = edit;
  const addressed = heading ?? heading_path ?? line;
  if (/_to_note$/.test(mode) && addressed !== undefined) {
    const problem = `a heading does not apply to ${mode}; use ${mode.replace('_note', '_section')}`;
    throw new NotesError('invalid_arguments', problem);
  }
  const moves = mode === 'move_section' || mode === 'rename_heading';
  if (create && (moves || mode === 'delete_section' || /_to_note$/.test(mode))) {
    throw new NotesError('invalid_arguments', `\`create\` does not apply to ${mode}; omit it`);
  }
  if (!moves && to !== undefined) {
    throw new NotesError('invalid_arguments', `\`to\` does not apply to ${mode}; omit it`);
  }
  if (mode === 'rename_heading' && to !== undefined) {
    if (typeof to !== 'string') {
      const problem =
        '`to` must be a string for rename_heading; use move_section to move a section';
      throw new NotesError('invalid_arguments', problem);
    }
    if (content !== undefined) {
      const problem = '`content` does not apply when `to` is the new heading; omit it';
      throw new NotesError('invalid_arguments', problem);
    }
  }
  if ((mode === 'move_section' || mode === 'delete_section') && content !== undefined) {
    throw new NotesError('invalid_arguments', `\`content\` does not apply to ${mode}; omit it`);
  }
}
