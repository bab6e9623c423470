/** `note_create`: creates a note from text or a template and lists notes with similar names. */
import { Type } from '../../mcp/schema.ts';
import { checkEncoding } from '../files/encoding.ts';
import { inSpelledFolder } from '../files/spelled-path.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { readHabits } from '../habits/vault-habits.ts';
import { noteName } from '../links/page-name.ts';
import { findNote } from '../tool-kit/find-note.ts';
import { createFile } from '../tool-kit/free-path.ts';
import { notePath } from '../tool-kit/note-path.ts';
import { ADDS, defineNotesTool } from '../tool-kit/notes-tool.ts';
import { obsidianLink } from '../tool-kit/places.ts';
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
        description: 'Note to begin with; {{title}}, {{date}} and {{time}} are filled in.',
      }),
    ),
    if_exists: Type.Optional(Type.Enum(['fail', 'suffix'])),
    dry_run: DRY_RUN,
  },
  annotations: ADDS,
  run: async ({ content = '', title, tags = [], template, ...args }, { open, parts }) => {
    const path = inSpelledFolder(open.vault.root, notePath(args.path));
    const habits = await readHabits(open.vault);
    const name = title ?? noteName(path);
    const begun =
      template === undefined
        ? undefined
        : await findTemplate(open, template, habits.templates.folder, parts.now());
    const text =
      begun === undefined
        ? Buffer.from(content)
        : fromTemplate(
            begun.bytes,
            { ...habits.templates, title: name, moment: parts.now() },
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
    const from = begun && { template: begun.path };
    return { ...result, ...from, similar, ...obsidianLink(open, result.path, habits) };
  },
});

/** Looks in the template folder of the user's editor first, then for any note of that name. */
async function findTemplate(
  open: OpenVault,
  asked: string,
  folder: string | undefined,
  now: Date,
): Promise<StoredFile> {
  const named = folder === undefined ? undefined : notePath(`${folder}/${asked}`);
  const file = (named && (await open.vault.find(named))) ?? (await findNote(open, asked, now));
  checkEncoding(file.path, file.bytes);
  return file;
}

/** None if the index cannot answer. */
async function similarTo(open: OpenVault, name: string, path: string): Promise<string[]> {
  const found = await open.index.similar(name, MAX_SIMILAR + 1, MIN_SIMILARITY).catch(() => []);
  return found.filter((other) => other !== path).slice(0, MAX_SIMILAR);
}
