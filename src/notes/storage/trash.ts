/**
 * Deleted notes, kept for thirty days as `.notes/trash/<id>/<path>`. The id is the moment of the
 * deletion and a random part, so notes deleted in the same second, or at the same path, lie side
 * by side, and a person who opens the folder finds each file under its own name.
 */
import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { openFolder, using } from './directory.ts';
import { RETENTION_MS } from './journal.ts';
import { StorageError } from './storage-error.ts';
import { parseVaultPath, type VaultPath } from './vault-path.ts';
import { listFiles, walk } from './walk.ts';

const FOLDER = '.notes/trash';
const TRASH_ID = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})Z-[0-9a-f]{8}$/;

export interface TrashEntry {
  readonly trashId: string;
  /** Where the note was. */
  readonly path: VaultPath;
  readonly deletedAt: Date;
  readonly bytes: number;
}

export class Trash {
  readonly #root: string;
  readonly #now: () => number;

  constructor(root: string, now: () => number) {
    this.#root = root;
    this.#now = now;
  }

  /** A new id and the place under which the note is kept. */
  place(path: VaultPath): { trashId: string; stored: string } {
    const moment = new Date(this.#now()).toISOString().replaceAll(/[-:.]/g, '');
    const trashId = `${moment}-${randomBytes(4).toString('hex')}`;
    return { trashId, stored: `${FOLDER}/${trashId}/${path}` };
  }

  /** Refused with `trash_expired` when nothing lies there under that id any more. */
  async locate(trashId: string): Promise<TrashEntry & { readonly stored: string }> {
    const deletedAt = momentOf(trashId);
    const files = deletedAt ? await listFiles(this.#root, `${FOLDER}/${trashId}`) : [];
    const [file] = files;
    if (file === undefined || deletedAt === undefined || this.#isExpired(deletedAt)) {
      throw new StorageError(
        'trash_expired',
        'nothing lies in the trash under that id; note_history with deleted lists what does',
        { trash_id: trashId },
      );
    }
    const path = parseVaultPath(file.path.slice(`${FOLDER}/${trashId}/`.length));
    return { trashId, path, deletedAt, bytes: file.bytes, stored: file.path };
  }

  /** Newest first. */
  async list(): Promise<TrashEntry[]> {
    const entries: TrashEntry[] = [];
    for (const trashId of await this.#ids()) {
      const deletedAt = momentOf(trashId);
      if (deletedAt === undefined || this.#isExpired(deletedAt)) continue;
      for (const file of await listFiles(this.#root, `${FOLDER}/${trashId}`)) {
        const path = file.path.slice(`${FOLDER}/${trashId}/`.length) as VaultPath;
        entries.push({ trashId, path, deletedAt, bytes: file.bytes });
      }
    }
    return entries;
  }

  /** How many deletions are kept; a restored one leaves its folder, with nothing in it. */
  async count(): Promise<number> {
    let kept = 0;
    for (const trashId of await this.#ids()) {
      const deletedAt = momentOf(trashId);
      if (deletedAt === undefined || this.#isExpired(deletedAt)) continue;
      if (await this.#holdsFile(trashId)) kept++;
    }
    return kept;
  }

  /** Removes what has lain here for thirty days; what we did not put here stays. */
  async purge(failed: (error: unknown) => void = () => {}): Promise<number> {
    let purged = 0;
    for (const trashId of await this.#ids()) {
      const deletedAt = momentOf(trashId);
      if (deletedAt === undefined || !this.#isExpired(deletedAt)) continue;
      const folder = openFolder(this.#root, FOLDER);
      if (folder === undefined) break;
      await using(folder, (directory) => rm(directory.at(trashId), { recursive: true })).then(
        () => purged++,
        failed,
      );
    }
    return purged;
  }

  async #ids(): Promise<string[]> {
    const folder = openFolder(this.#root, FOLDER);
    if (folder === undefined) return [];
    const names = await using(folder, (directory) => readdir(directory.self()));
    return names.sort().reverse();
  }

  async #holdsFile(trashId: string): Promise<boolean> {
    for await (const entry of walk(this.#root, `${FOLDER}/${trashId}`)) {
      if ('mtimeMs' in entry) return true;
    }
    return false;
  }

  #isExpired(deletedAt: Date): boolean {
    return deletedAt.getTime() < this.#now() - RETENTION_MS;
  }
}

function momentOf(trashId: string): Date | undefined {
  const match = TRASH_ID.exec(trashId);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, ms] = match;
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
}
