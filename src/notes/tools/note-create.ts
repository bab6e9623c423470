/** `note_create`: creates a note from text or a template and lists notes with similar names. */
import { basename } from 'node:path/posix';
import { Type } from '../../mcp/schema.ts';
import { checkEncoding } from '../files/encoding.ts';
import { inSpelledFolder } from '../files/spelled-path.ts';
import { dayOf } from '../text/day.ts';
import { findNote } from '../tool-kit/find-note.ts';
import { createFile } from '../tool-kit/free-path.ts';
import { notePath } from '../tool-kit/note-path.ts';
import { ADDS, defineNotesTool } from '../tool-kit/notes-tool.ts';
import { fromTemplate, hasOtherTitle, newNote } from '../tool-writes/new-note.ts';
import { DRY_RUN, reported } from '../tool-writes/write.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const MAX_SIMILAR = 5;
const MIN_SIMILARITY = 0.6;

export const noteCreate = defineNotesTool({
  name: 'note_create',
  title: 'Create a note',
  description:
    'Creates a note. Check "similar" in the result: the note may exist under another name.',
  arguments: {
    path: Type.String(),
    content: Type.Optional(Type.String()),
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    tags: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
    template: Type.Optional(
      Type.String({
        description: 'Note to begin with; its {{title}} and {{date}} are filled in.',
      }),
    ),
    if_exists: Type.Optional(Type.Enum(['fail', 'suffix'])),
    dry_run: DRY_RUN,
  },
  annotations: ADDS,
  run: async ({ content = '', title, tags = [], template, ...args }, { open, parts }) => {
    const path = inSpelledFolder(open.vault.root, notePath(args.path));
    const name = title ?? basename(path).replace(/\.md$/i, '');
    const text =
      template === undefined
        ? Buffer.from(content)
        : fromTemplate(
            await templateBytes(open, template, parts.now()),
            { title: name, date: dayOf(parts.now()) },
            content,
          );
    const bytes = newNote({ content: text, tags, ...(title !== undefined && { title }) });
    const similar = await similarTo(open, name, path);
    const change = await createFile(open, {
      tool: 'note_create',
      path,
      bytes,
      ifExists: args.if_exists ?? 'fail',
      dryRun: args.dry_run === true,
    });
    const untitled = title !== undefined && hasOtherTitle(bytes, title);
    const warnings = untitled ? ['the text already has a title, which was kept'] : [];
    const result = await reported(open, change.value, change, warnings);
    return { ...result, similar };
  },
});

async function templateBytes(open: OpenVault, template: string, now: Date): Promise<Buffer> {
  const { path, bytes } = await findNote(open, template, now);
  checkEncoding(path, bytes);
  return bytes;
}

/** None if the index cannot answer. */
async function similarTo(open: OpenVault, name: string, path: string): Promise<string[]> {
  const found = await open.index.similar(name, MAX_SIMILAR + 1, MIN_SIMILARITY).catch(() => []);
  return found.filter((other) => other !== path).slice(0, MAX_SIMILAR);
}
