/** `attachment_put`: stores a picture or PDF whose content matches its extension. */
import { Type } from '../../mcp/schema.ts';
import { contentHash } from '../files/content-hash.ts';
import { parseVaultPath, type VaultPath } from '../files/vault-path.ts';
import { readHabits } from '../habits/vault-habits.ts';
import { newLink } from '../links/new-link.ts';
import {
  ALLOWED_EXTENSIONS,
  extensionsOf,
  type FileType,
  fileType,
} from '../tool-kit/file-type.ts';
import { findNote } from '../tool-kit/find-note.ts';
import { invalidArguments, NotesError } from '../tool-kit/notes-error.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import { asSpeltIn, attachmentPlace } from '../tool-kit/places.ts';
import { CONTENT_HASH, DRY_RUN, written } from '../tool-writes/write.ts';

/** As base64 it fits into one request. */
const MAX_BYTES = 5 * 1024 * 1024;

export const attachmentPut = defineNotesTool({
  name: 'attachment_put',
  title: 'Store an attachment',
  description:
    'Stores a picture or PDF in the folder for attachments, unless the path names one. "link" shows it in a note. An existing file is replaced only with its content_hash.',
  arguments: {
    path: Type.String({ description: 'Such as plan.png.' }),
    data: Type.String({ description: 'Base64.' }),
    note: Type.Optional(Type.String({ description: 'The note it is for.' })),
    content_hash: CONTENT_HASH,
    dry_run: DRY_RUN,
  },
  annotations: WRITES,
  run: async ({ path: asked, data, note: noteName, content_hash, dry_run }, { open, parts }) => {
    const named = parseVaultPath(asked);
    const bytes = decode(data);
    const type = typeOf(named, bytes);
    const habits = await readHabits(open.vault);
    const note = noteName && (await findNote(open, noteName, parts.now())).path;
    const path = named.includes('/')
      ? asSpeltIn(open, named)
      : attachmentPlace(open, named, habits, note);
    const request = { tool: 'attachment_put', scope: [path], dryRun: dry_run === true };
    const change = await open.vault.changes.run(request, async (transaction) => {
      if (content_hash === undefined) {
        const there = await transaction.find(path);
        return there?.bytes.equals(bytes) ? there.path : transaction.create(path, bytes);
      }
      const file = await transaction.read(path, content_hash);
      await transaction.write(file.path, bytes);
      return file.path;
    });
    const result = { ...written(open, change.value, change), content_hash: contentHash(bytes) };
    const others = await open.index.namesakes(result.path).catch(() => ['']);
    const link = newLink(habits.links, {
      ...(note && { from: note }),
      to: result.path,
      isUnique: others.every((other) => other === result.path),
      isEmbed: true,
    });
    return { ...result, type, bytes: bytes.length, link };
  },
});

/** Strict base64: `Buffer.from` would silently skip invalid characters. */
function decode(data: string): Buffer {
  if ((data.length / 4) * 3 - 2 > MAX_BYTES) {
    const message = `an attachment has at most ${MAX_BYTES} bytes; make it smaller`;
    throw new NotesError('too_large', message, { max_bytes: MAX_BYTES });
  }
  const bytes = Buffer.from(data, 'base64');
  if (data !== '' && bytes.toString('base64') === data) return bytes;
  throw invalidArguments('data is not valid base64; send it with padding and without line breaks');
}

function typeOf(path: VaultPath, bytes: Buffer): FileType {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const type = fileType(bytes);
  if (type !== undefined && extensionsOf(type).includes(extension)) return type;
  const message =
    type === undefined || !ALLOWED_EXTENSIONS.includes(extension)
      ? `only pictures and PDFs are stored (${ALLOWED_EXTENSIONS.join(', ')}); notes go through note_create`
      : `the file is ${type} but its name ends in .${extension}; end it in .${extensionsOf(type)[0]}`;
  throw new NotesError('type_refused', message, { path, type: type ?? null });
}
