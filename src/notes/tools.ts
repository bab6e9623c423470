/** Every tool of the notes server, in the order a model should meet them. */
import type { Caller } from '../core/caller.ts';
import type { Tool } from '../mcp/tool.ts';
import type { NotesParts } from './tools/notes-tool.ts';

export function notesTools(_parts: NotesParts): Tool<Caller>[] {
  return [];
}
