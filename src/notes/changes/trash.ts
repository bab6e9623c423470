/**
 * Deleted notes, kept for 30 days as `.notes/trash/<id>/<path>`. The id is the time of the deletion
 * and a random part, so deletions of one path do not collide and every file keeps its name. An id
 * that ends in `t` marks a note that had a twin in another case or Unicode form.
 */
import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { openFolder } from '../files/directory.ts';
import { StorageError } from '../files/storage-error.ts';
import { readStoredFile } from '../files/stored-file.ts';
import { parseVaultPath, type VaultPath } from '../files/vault-path.ts';
import { listFiles } from '../files/walk.ts';
import type { PutBack } from './change-types.ts';
import { RETENTION_MS } from './journal.ts';

const FOLDER = '.notes/trash';
/** The trash id and the original path of a file in the trash. */
export const IN_TRASH: RegExp = /^\.notes\/trash\/([^/]+)\/(.+)$/s;
/** `list` yields to the event loop after this many entries. */
const YIELD_EVERY = 256;
const TRASH_ID = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})Z-[0-9a-f]{8}t?$/;

export interface TrashEntry {
  readonly trashId: string;
  /** The original path. */
  readonly path: VaultPath;
  readonly deletedAt: Date;
  readonly bytes: number;
}

/** Where the file is stored, and whether it had a twin. */
interface StoredEntry extends PutBack {
  readonly stored: string;
}

export class Trash {
  readonly #root: string;
  readonly #now: () => number;
  /** Cache of the last listing by id; an entry is checked with one lstat per file. */
  #listed = new Map<string, readonly TrashEntry[]>();

  constructor(root: string, now: () => number) {
    this.#root = root;
    this.#now = now;
  }

  /** A new id and the path under which the note is stored. */
  place(path: VaultPath, besideTwin: boolean): { trashId: string; stored: string } {
    const time = new Date(this.#now()).toISOString().replaceAll(/[-:.]/g, '');
    const trashId = `${time}-${randomBytes(4).toString('hex')}${besideTwin ? 't' : ''}`;
    return { trashId, stored: `${FOLDER}/${trashId}/${path}` };
  }

  /** Throws `trash_expired` for an unknown, expired or restored id. */
  async locate(trashId: string): Promise<TrashEntry & StoredEntry> {
    const deletedAt = deletionTime(trashId);
    const files = deletedAt ? await listFiles(this.#root, `${FOLDER}/${trashId}`) : [];
    const [file] = files;
    if (file === undefined || deletedAt === undefined || this.#isExpired(deletedAt)) {
      throw new StorageError(
        'trash_expired',
        'the trash has no note with that id; note_history with deleted lists those it has',
        { trash_id: trashId },
      );
    }
    const path = parseVaultPath(file.path.slice(`${FOLDER}/${trashId}/`.length));
    const besideTwin = trashId.endsWith('t');
    return { trashId, path, deletedAt, bytes: file.bytes, stored: file.path, besideTwin };
  }

  /** Newest first. */
  async list(): Promise<TrashEntry[]> {
    const listed = new Map<string, readonly TrashEntry[]>();
    for (const [position, trashId] of (await this.#ids()).entries()) {
      const deletedAt = deletionTime(trashId);
      if (deletedAt === undefined || this.#isExpired(deletedAt)) continue;
      const before = this.#listed.get(trashId);
      const isSame = before?.length && before.every((entry) => this.#isThere(entry));
      listed.set(trashId, isSame ? before : await this.#entries(trashId, deletedAt));
      if (position % YIELD_EVERY === YIELD_EVERY - 1) await setImmediate();
    }
    this.#listed = listed;
    return [...listed.values()].flat();
  }

  /** The newest entry with this original path and content. */
  async idOf(path: VaultPath, hash: string): Promise<string | undefined> {
    for (const entry of await this.list()) {
      // Created folders are in NFC, here as in the vault.
      if (entry.path.normalize() !== path.normalize()) continue;
      const file = await readStoredFile(this.#root, `${FOLDER}/${entry.trashId}/${entry.path}`);
      if (file?.contentHash === hash) return entry.trashId;
    }
    return undefined;
  }

  /** How many deletions are kept; a restored one leaves an empty folder. */
  async count(): Promise<number> {
    return new Set((await this.list()).map(({ trashId }) => trashId)).size;
  }

  /** Removes entries older than 30 days; foreign files stay. */
  async purge(failed: (error: unknown) => void = () => {}): Promise<number> {
    let purged = 0;
    for (const trashId of await this.#ids()) {
      const deletedAt = deletionTime(trashId);
      if (deletedAt === undefined || !this.#isExpired(deletedAt)) continue;
      using folder = openFolder(this.#root, FOLDER);
      if (folder === undefined) break;
      await rm(folder.at(trashId), { recursive: true }).then(() => purged++, failed);
    }
    return purged;
  }

  async #ids(): Promise<string[]> {
    using folder = openFolder(this.#root, FOLDER);
    return folder ? (await readdir(folder.self())).sort().reverse() : [];
  }

  async #entries(trashId: string, deletedAt: Date): Promise<TrashEntry[]> {
    const files = await listFiles(this.#root, `${FOLDER}/${trashId}`);
    return files.map(({ path, bytes }) => ({
      trashId,
      path: path.slice(`${FOLDER}/${trashId}/`.length) as VaultPath,
      deletedAt,
      bytes,
    }));
  }

  #isThere({ trashId, path, bytes }: TrashEntry): boolean {
    try {
      const found = lstatSync(join(this.#root, FOLDER, trashId, path));
      return found.isFile() && found.size === bytes;
    } catch {
      return false;
    }
  }

  #isExpired(deletedAt: Date): boolean {
    return deletedAt.getTime() < this.#now() - RETENTION_MS;
  }
}

function deletionTime(trashId: string): Date | undefined {
  const match = TRASH_ID.exec(trashId);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, ms] = match;
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
}
