/** Every tool of the notes server, in the order a model should meet them. */
import type { Caller } from '../core/caller.ts';
import type { Tool } from '../mcp/tool.ts';
import { noteCreate } from './tools/note-create.ts';
import { noteEdit } from './tools/note-edit.ts';
import { noteFrontmatter } from './tools/note-frontmatter.ts';
import { noteHistory } from './tools/note-history.ts';
import { noteLinks } from './tools/note-links.ts';
import { noteList } from './tools/note-list.ts';
import { noteMove } from './tools/note-move.ts';
import { noteRead } from './tools/note-read.ts';
import { noteRelated } from './tools/note-related.ts';
import { noteSearch } from './tools/note-search.ts';
import { noteSectionEdit } from './tools/note-section-edit.ts';
import { noteWrite } from './tools/note-write.ts';
import type { NotesParts } from './tools/notes-tool.ts';
import { tagList } from './tools/tag-list.ts';
import { taskList } from './tools/task-list.ts';
import { taskToggle } from './tools/task-toggle.ts';
import { vaultGrep } from './tools/vault-grep.ts';
import { vaultList } from './tools/vault-list.ts';
import { vaultReview } from './tools/vault-review.ts';
import { vaultStats } from './tools/vault-stats.ts';

export function notesTools(parts: NotesParts): Tool<Caller>[] {
  return [
    vaultList(parts),
    vaultStats(parts),
    noteSearch(parts),
    noteRead(parts),
    noteList(parts),
    vaultGrep(parts),
    noteLinks(parts),
    noteRelated(parts),
    tagList(parts),
    taskList(parts),
    vaultReview(parts),
    noteHistory(parts),
    noteCreate(parts),
    noteWrite(parts),
    noteEdit(parts),
    noteSectionEdit(parts),
    noteFrontmatter(parts),
    taskToggle(parts),
    noteMove(parts),
  ];
}
