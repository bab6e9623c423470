/** `note_section_edit`: edits one section of a note, or its beginning or end. */
import { type Static, Type } from '../../mcp/schema.ts';
import { SECTION_MODES, type SectionEdit } from '../edit/edit-section.ts';
import { isNote } from '../files/vault-path.ts';
import { takeNote } from '../tool-kit/find-note.ts';
import { invalidArguments } from '../tool-kit/notes-error.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { moveToOtherNote } from '../tool-writes/move-to-other-note.ts';
import { renameHeading } from '../tool-writes/rename-heading.ts';
import {
  CONTENT_HASH,
  DRY_RUN,
  editNote,
  HEADING_ADDRESS,
  NOTE_PATH,
} from '../tool-writes/write.ts';

const PLACE = Type.Object(
  {
    path: Type.Optional(Type.String({ description: 'Another note.' })),
    ...HEADING_ADDRESS,
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
    ...HEADING_ADDRESS,
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
      if (other.path !== from.path) {
        return moveToOtherNote(open, { from, section: args, to: other, place }, args);
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

/** Refuses arguments that the mode would ignore. */
function checkArguments(edit: SectionEdit): void {
  const { mode, heading, heading_path, line, content, create, to } = edit;
  const addressed = heading ?? heading_path ?? line;
  if (/_to_note$/.test(mode) && addressed !== undefined) {
    throw invalidArguments(
      `a heading does not apply to ${mode}; use ${mode.replace('_note', '_section')}`,
    );
  }
  const moves = mode === 'move_section' || mode === 'rename_heading';
  if (create && (moves || mode === 'delete_section' || /_to_note$/.test(mode))) {
    throw invalidArguments(`\`create\` does not apply to ${mode}; omit it`);
  }
  if (!moves && to !== undefined) {
    throw invalidArguments(`\`to\` does not apply to ${mode}; omit it`);
  }
  if (mode === 'rename_heading' && to !== undefined) {
    if (typeof to !== 'string') {
      throw invalidArguments(
        '`to` must be a string for rename_heading; use move_section to move a section',
      );
    }
    if (content !== undefined) {
      throw invalidArguments('`content` does not apply when `to` is the new heading; omit it');
    }
  }
  if ((mode === 'move_section' || mode === 'delete_section') && content !== undefined) {
    throw invalidArguments(`\`content\` does not apply to ${mode}; omit it`);
  }
}
