/** Every tool of the notes server, in the order in which they are listed to a model. */
import type { Caller } from '../core/http/caller.ts';
import type { Tool } from '../mcp/tool.ts';
import type { DefinedTool, NotesParts } from './tool-kit/notes-tool.ts';
import { attachmentPut } from './tools/attachment-put.ts';
import { changeUndo } from './tools/change-undo.ts';
import { noteCapture } from './tools/note-capture.ts';
import { noteCreate } from './tools/note-create.ts';
import { noteDelete } from './tools/note-delete.ts';
import { noteEdit } from './tools/note-edit.ts';
import { noteFrontmatter } from './tools/note-frontmatter.ts';
import { noteHistory } from './tools/note-history.ts';
import { noteLinks } from './tools/note-links.ts';
import { noteList } from './tools/note-list.ts';
import { noteMerge } from './tools/note-merge.ts';
import { noteMove } from './tools/note-move.ts';
import { noteRead } from './tools/note-read.ts';
import { noteRelated } from './tools/note-related.ts';
import { noteRestore } from './tools/note-restore.ts';
import { noteSearch } from './tools/note-search.ts';
import { noteSectionEdit } from './tools/note-section-edit.ts';
import { noteSplit } from './tools/note-split.ts';
import { noteWrite } from './tools/note-write.ts';
import { tagList } from './tools/tag-list.ts';
import { taskList } from './tools/task-list.ts';
import { taskToggle } from './tools/task-toggle.ts';
import { vaultCreate } from './tools/vault-create.ts';
import { vaultGrep } from './tools/vault-grep.ts';
import { vaultList } from './tools/vault-list.ts';
import { vaultReplace } from './tools/vault-replace.ts';
import { vaultReview } from './tools/vault-review.ts';
import { vaultStats } from './tools/vault-stats.ts';

const TOOLS: readonly DefinedTool[] = [
  vaultList,
  vaultStats,
  noteSearch,
  noteRead,
  noteList,
  vaultGrep,
  noteLinks,
  noteRelated,
  tagList,
  taskList,
  vaultReview,
  noteHistory,
  noteCapture,
  noteCreate,
  noteWrite,
  noteEdit,
  noteSectionEdit,
  noteFrontmatter,
  taskToggle,
  noteDelete,
  noteRestore,
  changeUndo,
  attachmentPut,
  vaultCreate,
  noteMove,
  noteMerge,
  noteSplit,
  vaultReplace,
];

export const TOOL_NAMES: readonly string[] = TOOLS.map(({ toolName }) => toolName);

/** The tools that are offered: none that writes where nothing may be written. */
export function notesTools(parts: NotesParts): Tool<Caller>[] {
  const offered = offeredTools(parts);
  return TOOLS.filter(({ toolName }) => offered.has(toolName)).map((tool) =>
    tool({ ...parts, offered }),
  );
}

function offeredTools({ vaults, hiddenTools }: NotesParts): ReadonlySet<string> {
  const { readOnly = false, folders } = vaults.policy;
  const offered = TOOLS.filter(
    ({ toolName, isReadOnly }) =>
      !hiddenTools?.has(toolName) &&
      (isReadOnly || !readOnly) &&
      // A new vault has notes outside of the folders that may be written.
      (folders === undefined || toolName !== 'vault_create'),
  );
  return new Set(offered.map(({ toolName }) => toolName));
}

/** The text for a model, with a last line that names the tools it mentions that are not offered. */
export function namingMissingTools(text: string, parts: NotesParts): string {
  const offered = offeredTools(parts);
  const missing = TOOL_NAMES.filter(
    (name) => !offered.has(name) && new RegExp(`\\b${name}\\b`).test(text),
  );
  if (missing.length === 0) return text;
  return `${text}\nThese tools are switched off here: ${missing.join(', ')}. Leave out what needs them.`;
}
