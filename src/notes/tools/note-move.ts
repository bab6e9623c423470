/**
 * `note_move`: moves a note, an attachment or a folder and updates the links to it and its own
 * relative links in the same change.
 */

import { posix } from 'node:path';
import { basename } from 'node:path/posix';
import { Type } from '../../mcp/schema.ts';
import type { Transaction } from '../changes/change-types.ts';
import { openFolder } from '../files/directory.ts';
import { inSpelledFolder, spelledPath } from '../files/spelled-path.ts';
import { StorageError } from '../files/storage-error.ts';
import type { StoredFile } from '../files/stored-file.ts';
import { isNote, parseFolder, parseVaultPath, type VaultPath } from '../files/vault-path.ts';
import { reasonToSkip } from '../index/content/indexed-note.ts';
import type { FileName } from '../index/content/link-names.ts';
import { readNames } from '../large-notes/heavy-notes.ts';
import { takeFile } from '../tool-kit/find-note.ts';
import { clip } from '../tool-kit/fit.ts';
import { LinkTargets, namesAt } from '../tool-kit/link-targets.ts';
import { newPathOf } from '../tool-kit/note-path.ts';
import { invalidArguments } from '../tool-kit/notes-error.ts';
import { defineNotesTool, WRITES } from '../tool-kit/notes-tool.ts';
import type { MovedFolder } from '../tool-writes/mend-linking-file.ts';
import {
  LinkMending,
  notesConcerned,
  unreadNotes,
  whenIndexed,
} from '../tool-writes/mend-links.ts';
import { CONTENT_HASH, DRY_RUN, written } from '../tool-writes/write.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const MAX_BASES = 1000;

interface Move {
  readonly from: VaultPath;
  readonly to: VaultPath;
}

export const noteMove = defineNotesTool({
  name: 'note_move',
  title: 'Move or rename',
  description:
    'Moves or renames a note, an attachment or a folder ("folder/"). Links to it and its own relative links are updated. For a file, "to" ending in "/" keeps its name.',
  arguments: {
    path: Type.String({ maxLength: 1025 }),
    to: Type.String({ maxLength: 1025 }),
    update_links: Type.Optional(Type.Boolean({ default: true })),
    content_hash: CONTENT_HASH,
    dry_run: DRY_RUN,
  },
  annotations: WRITES,
  run: async (
    { path, to, update_links = true, content_hash, dry_run = false },
    { open, parts },
  ) => {
    if (update_links) await whenIndexed(open);
    const request = { tool: 'note_move', scope: 'vault' as const, dryRun: dry_run };
    const change = await open.vault.changes.run(request, async (transaction) => {
      const found = await findToMove(open, transaction, path, parts.now());
      const target = inSpelledFolder(open.vault.root, targetOf(open, found, to));
      const moves = await move(transaction, found, target, content_hash);
      const folder = found.kind === 'folder' ? { from: found.path, to: target } : undefined;
      const mending = await mendMoved(open, transaction, update_links ? moves : [], folder);
      return { found, moves, mending, target: found.kind === 'file' ? moves[0]!.to : target };
    });
    const { found, moves, mending, target } = change.value;
    const taken = found.kind === 'file' ? (found.warnings ?? []) : [];
    const warnings = [...taken, ...mending.warnings, ...(update_links ? unreadNotes(open) : [])];
    const isMoved = update_links && found.kind === 'file' && found.path !== target;
    if (isMoved) warnings.push(...(await htmlLinksTo(open, found.path)));
    const result = written(open, target, change, warnings);
    return {
      ...result,
      ...(found.kind === 'file' && {
        content_hash: result.content_hash ?? found.file.contentHash,
      }),
      moved_from: found.path,
      moved_files: moves.filter(({ from, to: now }) => from !== now).length,
      link_edits: mending.edits,
    };
  },
});

async function move(
  transaction: Transaction,
  found: ToMove,
  target: VaultPath,
  contentHash: string | undefined,
): Promise<Move[]> {
  if (found.kind === 'folder') {
    if (contentHash === undefined) return transaction.moveFolder(found.path, target);
    throw invalidArguments('`content_hash` does not apply to a folder; omit it');
  }
  await transaction.read(found.path, contentHash);
  return [{ from: found.path, to: await transaction.move(found.path, target) }];
}

async function mendMoved(
  open: OpenVault,
  transaction: Transaction,
  all: readonly Move[],
  folder: MovedFolder | undefined,
): Promise<LinkMending> {
  const moves = all.filter(({ from, to }) => from !== to);
  const targets = new LinkTargets(open.index);
  const places = new Map<string, VaultPath>(moves.map(({ from, to }) => [from, to]));
  const destination = (path: string) => {
    const place = places.get(path);
    return place === undefined ? undefined : { path: place };
  };
  const given: FileName[] = [];
  for (const { from, to } of moves) {
    const names = await namesOf(transaction, to);
    targets.leaves(from);
    targets.has(to, names);
    given.push(...names);
  }
  const concerned = await notesConcerned(open, [...places.keys()], given);
  const mending = new LinkMending(transaction, {
    ...(folder && { folder }),
    ...{ targets, destination },
  });
  const bases = folder && moves.length > 0 ? await allBases(open) : [];
  const notes = new Set([...places.keys(), ...concerned, ...bases]);
  await mending.mend(
    [...notes].map((from) => ({ from, path: places.get(from) ?? (from as VaultPath) })),
  );
  return mending;
}

/** A folder is no link, so the index does not know which of them name it. */
async function allBases({ index }: OpenVault): Promise<string[]> {
  const { items } = await index.list({ kind: 'attachment', glob: '**/*.base', limit: MAX_BASES });
  return items.map(({ path }) => path);
}

/** The names that a moved file has from now on. */
async function namesOf(transaction: Transaction, path: VaultPath): Promise<FileName[]> {
  const file = isNote(path) ? await transaction.find(path) : undefined;
  if (file === undefined || reasonToSkip(file.bytes.length, file.bytes) !== null) {
    return namesAt(path);
  }
  return namesAt(path, await readNames(file.bytes));
}

type ToMove =
  | {
      readonly kind: 'file';
      readonly path: VaultPath;
      readonly file: StoredFile;
      readonly warnings?: readonly string[];
    }
  | { readonly kind: 'folder'; readonly path: VaultPath };

/** A file, a folder, or a note named without `.md`; an ambiguous name is refused. */
async function findToMove(
  open: OpenVault,
  transaction: Transaction,
  asked: string,
  now: Date,
): Promise<ToMove> {
  const { root } = open.vault;
  if (asked.endsWith('/')) return { kind: 'folder', path: spelledPath(root, folderNamed(asked)) };
  const path = spelledPath(root, parseVaultPath(asked));
  const isAFolder = isFolder(open, path);
  const file = isAFolder ? undefined : await transaction.find(path);
  const note = isNote(path) ? undefined : await transaction.find(parseVaultPath(`${path}.md`));
  if (note !== undefined && (isAFolder || file !== undefined)) {
    throw new StorageError(
      'path_invalid',
      `"${path}" is both a note without .md and another file or folder; write "${path}.md" or "${path}/"`,
      { path },
    );
  }
  if (isAFolder) return { kind: 'folder', path };
  const found = file ?? note;
  if (found === undefined) {
    const { path: named, warnings } = await takeFile(open, asked, now);
    return { kind: 'file', path: named, file: await transaction.read(named), warnings };
  }
  return { kind: 'file', path: found.path, file: found };
}

/** For a file, a `to` that ends in `/` is a folder, and the name is kept. */
function targetOf(open: OpenVault, found: ToMove, to: string): VaultPath {
  if (found.kind === 'folder') return folderNamed(to);
  const name = posix.basename(found.path);
  if (to.endsWith('/')) {
    const folder = parseFolder(to);
    return parseVaultPath(folder === '' ? name : `${folder}/${name}`);
  }
  if (!isNote(to) && isFolder(open, parseVaultPath(to))) {
    const message = `"${to}" is a folder; write "${to}/" to move into it, or name the file`;
    throw new StorageError('path_invalid', message, { path: to });
  }
  return newPathOf(found.path, to);
}

function folderNamed(input: string): VaultPath {
  const folder = parseFolder(input);
  if (folder !== '') return folder;
  throw new StorageError('path_invalid', 'the vault root cannot be moved; name a folder', {
    path: input,
  });
}

function isFolder(open: OpenVault, path: VaultPath): boolean {
  try {
    using folder = openFolder(open.vault.root, path);
    return folder !== undefined;
  } catch (error) {
    if (error instanceof StorageError) return false;
    throw error;
  }
}

const MAX_REPORTED = 10;

/**
 * Warnings of HTML links (`href`, `src`), which are not updated. They may be to another file of the
 * same name; none if the index cannot answer.
 */
async function htmlLinksTo({ index }: OpenVault, path: string): Promise<string[]> {
  const name = basename(path);
  const spelt = [...new Set([name, encodeURI(name), encodeURIComponent(name)])];
  const names = spelt.map((one) => RegExp.escape(one)).join('|');
  const pattern = `\\b(?:href|src)\\s*=\\s*["']?[^"'<>]*(?<![^/"'=])(?:${names})(?=["'#?\\s>])`;
  const query = { pattern, regex: true, limit: MAX_REPORTED };
  const found = await index.grep(query).catch(() => undefined);
  return (found?.matches ?? []).map(
    (match) =>
      `line ${match.line} of "${clip(match.path)}" has an HTML link to "${clip(name)}", which was not updated`,
  );
}
