/** Every tool of the notes server, in the order a model should meet them. */
import type { Caller } from '../core/caller.ts';
import type { Tool } from '../mcp/tool.ts';
import { noteEdit } from './tools/note-edit.ts';
import { noteFrontmatter } from './tools/note-frontmatter.ts';
import { noteSectionEdit } from './tools/note-section-edit.ts';
import { noteWrite } from './tools/note-write.ts';
import type { NotesParts } from './tools/notes-tool.ts';
import { taskToggle } from './tools/task-toggle.ts';

export function notesTools(parts: NotesParts): Tool<Caller>[] {
  return [
    noteWrite(parts),
    noteEdit(parts),
    noteSectionEdit(parts),
    noteFrontmatter(parts),
    taskToggle(parts),
  ];
}
