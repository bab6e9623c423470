/** `note_read`: reads one note, whole or in parts, or several, now or at a revision. */
import { Type } from '../../mcp/schema.ts';
import { contentHash } from '../files/content-hash.ts';
import { readHabits } from '../habits/vault-habits.ts';
import { viewedFile } from '../large-notes/heavy-notes.ts';
import { findNote, findPathOf } from '../tool-kit/find-note.ts';
import { clip, countFitting, fitData } from '../tool-kit/fit.ts';
import { asNotesError, invalidArguments } from '../tool-kit/notes-error.ts';
import { type ArgumentsOf, defineNotesTool, READS } from '../tool-kit/notes-tool.ts';
import { obsidianLink } from '../tool-kit/places.ts';
import { LINES } from '../tool-kit/read-lines.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const DEFAULT_MAX_CHARS = 18_000;
const OVERHEAD_CHARS = 1500;
const NAME = Type.String({ minLength: 1, maxLength: 1024 });

const ARGUMENTS = {
  path: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description: 'Path, name, title, alias, daily:yesterday or daily:2026-11-15.',
    }),
  ),
  paths: Type.Optional(Type.Array(NAME, { minItems: 1, maxItems: 10 })),
  view: Type.Optional(Type.Enum(['content', 'outline', 'full'])),
  heading: Type.Optional(Type.String({ maxLength: 1000, description: 'Only this section.' })),
  heading_path: Type.Optional(
    Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1, maxItems: 6 }),
  ),
  lines: Type.Optional(Type.String({ pattern: LINES, description: '10-40 or 10-; "next" as is.' })),
  revision: Type.Optional(
    Type.String({ maxLength: 64, description: 'Commit id from note_history.' }),
  ),
  max_chars: Type.Optional(
    Type.Integer({ minimum: 1000, maximum: 200_000, default: DEFAULT_MAX_CHARS }),
  ),
} as const;
type Arguments = ArgumentsOf<typeof ARGUMENTS>;

export const noteRead = defineNotesTool({
  name: 'note_read',
  title: 'Read notes',
  description:
    'Reads a note (path) or up to ten (paths) exactly as stored, frontmatter included. outline: headings with lines; full: also tags, links, tasks. A long note ends with "next": pass it as lines to continue. Pass content_hash to writes.',
  arguments: ARGUMENTS,
  annotations: READS,
  run: async ({ path, paths, max_chars = DEFAULT_MAX_CHARS, ...args }, { open, parts }) => {
    if ((path === undefined) === (paths === undefined)) {
      throw invalidArguments('give either path or paths');
    }
    const now = parts.now();
    if (path !== undefined) {
      return { vault: open.name, ...(await readOne(open, path, args, max_chars, now)) };
    }
    const share = Math.floor(max_chars / paths!.length);
    const notes: object[] = [];
    for (const asked of paths!) {
      const read = readOne(open, asked, args, share, now);
      notes.push(await read.catch((error) => failed(asked, error, share)));
    }
    // Very long names may exceed the budget, so the last notes may not fit.
    const count = countFitting(notes, max_chars + OVERHEAD_CHARS);
    const unread = notes.length - count;
    return { vault: open.name, notes: notes.slice(0, count), ...(unread > 0 && { unread }) };
  },
});

async function readOne(
  open: OpenVault,
  asked: string,
  args: Omit<Arguments, 'path' | 'paths' | 'max_chars'>,
  maxChars: number,
  now: Date,
): Promise<object> {
  const { revision, ...view } = args;
  if (revision !== undefined) {
    const { history } = open.vault;
    const path = await findPathOf(open, asked, now);
    const bytes = await history.noteAt(path, revision);
    const file = { path, bytes, contentHash: contentHash(bytes) };
    return viewedFile({ file, args: view, maxChars, beside: { revision } });
  }
  const file = await findNote(open, asked, now);
  const beside = {
    modified: new Date(file.mtimeMs).toISOString(),
    ...obsidianLink(open, file.path, await readHabits(open.vault)),
  };
  return viewedFile({ file, args: view, maxChars, beside });
}

/** A note that cannot be read does not fail the others. */
function failed(asked: string, error: unknown, maxChars: number): object {
  const refusal = asNotesError(error);
  if (refusal === undefined) throw error;
  const { code, message, data } = refusal;
  const shown = { code, message: clip(message), data: fitData(data, maxChars / 2) };
  return { path: clip(asked), error: shown };
}
