/**
 * `note_capture`: adds a text to the inbox or to a daily note, created if missing, or as a separate
 * note in the inbox if it has a title. Existing text is never replaced.
 */
import { Type } from '../../mcp/schema.ts';
import type { SectionEdit } from '../edit/edit-section.ts';
import { checkEncoding } from '../files/encoding.ts';
import { inSpelledFolder } from '../files/spelled-path.ts';
import { parseVaultPath, type VaultPath } from '../files/vault-path.ts';
import { readHabits, type VaultHabits } from '../habits/vault-habits.ts';
import { editedNote } from '../large-notes/heavy-notes.ts';
import { noteName } from '../links/page-name.ts';
import { dayOf, isDay } from '../text/day.ts';
import { createFile } from '../tool-kit/free-path.ts';
import { nameOfTitle } from '../tool-kit/name-of-title.ts';
import { checkEditable } from '../tool-kit/note-path.ts';
import { invalidArguments } from '../tool-kit/notes-error.ts';
import { ADDS, type ArgumentsOf, defineNotesTool } from '../tool-kit/notes-tool.ts';
import { asSpeltIn, dailyNote, INBOX, INBOX_FOLDER, obsidianLink } from '../tool-kit/places.ts';
import { captureEntry } from '../tool-writes/capture-entry.ts';
import { fromTemplate, newNote } from '../tool-writes/new-note.ts';
import { CONTENT_HASH, DRY_RUN, reported, type Written } from '../tool-writes/write.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const ARGUMENTS = {
  text: Type.String({ minLength: 1 }),
  to: Type.Optional(Type.Enum(['inbox', 'daily'])),
  date: Type.Optional(Type.String({ description: 'Of the daily note: 2026-11-15.' })),
  heading: Type.Optional(Type.String({ description: 'Heading to add it below.' })),
  title: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
  tags: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
  source: Type.Optional(Type.String({ maxLength: 2000 })),
  content_hash: CONTENT_HASH,
  dry_run: DRY_RUN,
} as const;
type CaptureArguments = ArgumentsOf<typeof ARGUMENTS>;

export const noteCapture = defineNotesTool({
  name: 'note_capture',
  title: 'Capture a thought',
  description:
    'Adds text to the inbox (default) or to a daily note. With a title, an inbox capture becomes a separate note below inbox/.',
  arguments: ARGUMENTS,
  annotations: ADDS,
  run: async (args, { open, parts }) => {
    checkArguments(args);
    const { to = 'inbox', title } = args;
    if (to === 'inbox' && title !== undefined) return ownNote(open, { ...args, title });
    if (to === 'inbox') return addEntry(open, asSpeltIn(open, INBOX), startOf('Inbox'), args);
    const day = args.date ?? dayOf(parts.now());
    const habits = await readHabits(open.vault);
    const path = dailyNote(open, day, habits);
    const written = await addEntry(
      open,
      path,
      await newDay(open, path, day, habits, parts.now()),
      args,
    );
    return { ...written, ...obsidianLink(open, written.path, habits) };
  },
});

function checkArguments({ text, to, date, heading, title, content_hash }: CaptureArguments): void {
  const ownFile = to !== 'daily' && title !== undefined;
  const problem =
    text.trim() === ''
      ? 'text is empty; give the text to capture'
      : date !== undefined && to !== 'daily'
        ? '`date` applies only with to "daily"; omit it or set `to`'
        : date !== undefined && !isDay(date)
          ? 'the date is not a calendar day; write it as 2026-11-15'
          : ownFile && (heading ?? content_hash) !== undefined
            ? 'a capture with a title creates a new note; omit heading and content_hash'
            : undefined;
  if (problem !== undefined) throw invalidArguments(problem);
}

function startOf(title: string): Buffer {
  return Buffer.from(`# ${title}\n`);
}

/** A new daily note from the template of the user's editor. */
async function newDay(
  open: OpenVault,
  path: VaultPath,
  day: string,
  { daily, templates }: VaultHabits,
  now: Date,
): Promise<Buffer> {
  if (daily === undefined) return startOf(day);
  const template = daily.template && (await open.vault.find(parseVaultPath(daily.template)));
  if (!template) return Buffer.alloc(0);
  checkEncoding(template.path, template.bytes);
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()] as const;
  const moment = new Date(`${day}T00:00`);
  moment.setHours(...time);
  const title = noteName(path);
  return fromTemplate(template.bytes, { ...templates, title, moment }, '');
}

/** Appends the entry to the note or to the section. */
async function addEntry(
  open: OpenVault,
  path: VaultPath,
  start: Buffer,
  args: CaptureArguments,
): Promise<Written> {
  const content = captureEntry(args);
  const edit: SectionEdit =
    args.heading === undefined
      ? { mode: 'append_to_note', content }
      : { mode: 'append_to_section', heading: args.heading, create: true, content };
  const withEntry = async (bytes: Buffer) => editedNote(bytes, { section: edit });
  const request = { tool: 'note_capture', scope: [path], dryRun: args.dry_run === true };
  const change = await open.vault.changes.run(request, async (transaction) => {
    if (args.content_hash === undefined && (await transaction.find(path)) === undefined) {
      return transaction.create(path, await withEntry(start));
    }
    const file = await transaction.read(path, args.content_hash);
    checkEditable(file);
    await transaction.write(file.path, await withEntry(file.bytes));
    return file.path;
  });
  return reported(open, change.value, change);
}

async function ownNote(
  open: OpenVault,
  { text, title, tags = [], source, dry_run }: CaptureArguments & { readonly title: string },
): Promise<Written> {
  const change = await createFile(open, {
    tool: 'note_capture',
    path: inSpelledFolder(
      open.vault.root,
      parseVaultPath(`${INBOX_FOLDER}/${nameOfTitle(title, 'capture')}.md`),
    ),
    bytes: newNote({
      content: Buffer.from(/[\r\n]$/.test(text) ? text : `${text}\n`),
      title,
      tags,
      ...(source !== undefined && { properties: { source } }),
    }),
    ifExists: 'suffix',
    dryRun: dry_run === true,
  });
  return reported(open, change.value, change);
}
