/**
 * A change while its `work` function runs: reads see the disk and what the change has staged, and
 * nothing is written. `plan` returns the resulting operations.
 */
import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import { contentHash } from '../files/content-hash.ts';
import { openParent } from '../files/directory.ts';
import { checkEncoding } from '../files/encoding.ts';
import { hashMismatch, type SeenVersions } from '../files/seen-versions.ts';
import { noteNotFound, StorageError } from '../files/storage-error.ts';
import {
  MAX_FILE_BYTES,
  readStoredFile,
  type Stamp,
  type StoredFile,
} from '../files/stored-file.ts';
import {
  isBelow,
  isNote,
  parseVaultPath,
  spellingKey,
  type VaultPath,
} from '../files/vault-path.ts';
import { listFiles } from '../files/walk.ts';
import type { MovedFile } from './apply-change.ts';
import type { PutBack, Transaction } from './change-types.ts';
import { type Plan, planOf, type Staged, type StagedMove, type StagedRemoval } from './plan.ts';
import type { Trash } from './trash.ts';
import { hasTwin, occupied, vacantPath } from './vacant-path.ts';

const NO_STAMP: Stamp = { ino: 0n, size: 0n, mtimeNs: 0n };

export class StagedChange implements Transaction {
  readonly #root: string;
  readonly #trash: Trash;
  readonly #seen: SeenVersions;
  /** The keys of the locked notes; undefined when the whole vault is locked. */
  readonly #scope: ReadonlySet<string> | undefined;
  readonly #staged = new Map<string, Staged>();
  readonly #gone = new Set<string>();
  readonly #goneFolders: string[] = [];
  readonly #moves: StagedMove[] = [];
  readonly #removed: StagedRemoval[] = [];

  constructor(
    root: string,
    trash: Trash,
    seen: SeenVersions,
    scope: readonly VaultPath[] | 'vault',
  ) {
    this.#root = root;
    this.#trash = trash;
    this.#seen = seen;
    this.#scope = scope === 'vault' ? undefined : new Set(scope.map(spellingKey));
  }

  async read(path: VaultPath, hash?: string): Promise<StoredFile> {
    const file = await this.find(path);
    if (file === undefined) throw noteNotFound(path);
    if (hash !== undefined && hash !== file.contentHash) {
      throw hashMismatch(file, this.#seen.get(hash), this.#seen.difference);
    }
    return file;
  }

  async find(path: VaultPath): Promise<StoredFile | undefined> {
    const staged = await this.#stage(path);
    if (staged === undefined) return undefined;
    const hash = contentHash(staged.bytes);
    const base = staged.origin ?? { mtimeMs: 0, mode: 0o644, stamp: NO_STAMP };
    return { ...base, path: staged.path, bytes: staged.bytes, contentHash: hash };
  }

  async write(path: VaultPath, bytes: Buffer, hash?: string): Promise<void> {
    const file = await this.read(path, hash);
    if (isNote(file.path)) checkEncoding(file.path, file.bytes);
    await this.putBack(file.path, bytes);
  }

  async putBack(path: VaultPath, bytes: Buffer): Promise<void> {
    const file = await this.read(path);
    checkSize(path, bytes);
    this.#staged.get(file.path)!.bytes = bytes;
  }

  async create(path: VaultPath, bytes: Buffer): Promise<VaultPath> {
    checkSize(path, bytes);
    const target = this.#vacant(path);
    this.#staged.set(target, { path: target, bytes });
    return target;
  }

  async move(from: VaultPath, to: VaultPath, putBack?: PutBack): Promise<VaultPath> {
    const file = await this.read(from);
    const staged = this.#staged.get(file.path)!;
    const target = this.#vacant(to, file.path, putBack);
    if (target === file.path) return target;
    if (staged.origin !== undefined) this.#stageMove(staged, file.path, target);
    this.#place(staged, target);
    return target;
  }

  async moveFolder(
    from: VaultPath,
    to: VaultPath,
    putBack?: PutBack,
  ): Promise<{ from: VaultPath; to: VaultPath }[]> {
    this.#checkScope(from);
    const { path: source, ino } = folderAt(this.#root, from);
    if (to === source || isBelow(to, source)) {
      throw new StorageError('path_invalid', 'a folder cannot move into itself; choose another', {
        path: to,
      });
    }
    const target = this.#vacant(to, source, putBack);
    const moved: { from: VaultPath; to: VaultPath }[] = [];
    const inside: (MovedFile & { readonly staged: Staged })[] = [];
    for (const path of await this.#filesBelow(source)) {
      const staged = await this.#stage(path);
      if (staged === undefined) continue;
      const destination = parseVaultPath(`${target}${path.slice(source.length)}`);
      this.#place(staged, destination);
      moved.push({ from: path, to: destination });
      const read = staged.origin?.stamp;
      inside.push({ from: path, to: destination, staged, ...(read && { read }) });
    }
    const twin = hasTwin(this.#root, source);
    this.#moves.push({ from: source, to: target, twin, folder: ino, inside });
    this.#goneFolders.push(source);
    return moved;
  }

  async remove(path: VaultPath, was?: VaultPath): Promise<string> {
    const file = await this.read(path);
    const staged = this.#staged.get(file.path)!;
    const besideTwin = hasTwin(this.#root, file.path);
    const { trashId, stored } = this.#trash.place(was ?? file.path, besideTwin);
    this.#staged.delete(file.path);
    this.#gone.add(file.path);
    if (staged.origin === undefined) return trashId;
    this.#stageMove(staged, file.path, stored);
    this.#removed.push({ staged, trashId });
    return trashId;
  }

  async restore(trashId: string, to?: VaultPath, putBack?: PutBack): Promise<VaultPath> {
    const entry = await this.#trash.locate(trashId);
    const target = this.#vacant(to ?? entry.path, undefined, putBack);
    const origin = await readStoredFile(this.#root, entry.stored);
    if (origin === undefined) throw noteNotFound(entry.path);
    const staged: Staged = { origin, restored: true, path: target, bytes: origin.bytes };
    this.#stageMove(staged, entry.stored, target);
    this.#staged.set(target, staged);
    return target;
  }

  trashIdOf(path: VaultPath, hash: string): Promise<string | undefined> {
    return this.#trash.idOf(path, hash);
  }

  plan(): Plan {
    return planOf(this.#root, [...this.#staged.values()], this.#removed, this.#moves);
  }

  /** The files on disk and those that the change has staged. */
  async #filesBelow(folder: VaultPath): Promise<Set<VaultPath>> {
    const listed = await listFiles(this.#root, folder);
    const staged = [...this.#staged.values()].filter(({ path }) => isBelow(path, folder));
    return new Set([...listed, ...staged].map(({ path }) => path));
  }

  async #stage(path: VaultPath): Promise<Staged | undefined> {
    const known = this.#staged.get(path);
    if (known !== undefined) return known;
    this.#checkScope(path);
    if (this.#isGone(path)) return undefined;
    const origin = await readStoredFile(this.#root, path);
    if (origin === undefined || this.#isGone(origin.path)) return undefined;
    const respelt = this.#staged.get(origin.path);
    if (respelt !== undefined) return respelt;
    const staged = { origin, path: origin.path, bytes: origin.bytes };
    this.#staged.set(origin.path, staged);
    return staged;
  }

  #stageMove(staged: Staged, from: string, to: string): void {
    this.#moves.push({ from, to, twin: hasTwin(this.#root, from), staged });
  }

  #place(staged: Staged, target: VaultPath): void {
    this.#staged.delete(staged.path);
    this.#gone.add(staged.path);
    this.#gone.delete(target);
    staged.path = target;
    this.#staged.set(target, staged);
  }

  /** The path as it will be spelt; throws `note_exists`. The same move vacates `leaving`. */
  #vacant(path: VaultPath, leaving?: string, putBack?: PutBack): VaultPath {
    this.#checkScope(path);
    const target = vacantPath(
      this.#root,
      path,
      (there) => there === leaving || this.#isGone(there),
      putBack,
    );
    const key = spellingKey(target);
    for (const staged of this.#staged.keys()) {
      const takes = putBack?.besideTwin ? staged === target : spellingKey(staged) === key;
      if (staged !== leaving && takes) throw occupied(staged);
    }
    return target;
  }

  #isGone(path: string): boolean {
    return this.#gone.has(path) || this.#goneFolders.some((folder) => isBelow(path, folder));
  }

  #checkScope(path: VaultPath): void {
    if (this.#scope !== undefined && !this.#scope.has(spellingKey(path))) {
      throw new Error('a change accessed a note outside its scope');
    }
  }
}

function folderAt(root: string, path: VaultPath): { path: VaultPath; ino: string } {
  using parent = openParent(root, path);
  const name = parent?.spelling(basename(path));
  if (parent === undefined || name === undefined) throw noteNotFound(path);
  const found = lstatSync(parent.at(name), { bigint: true });
  if (!found.isDirectory()) {
    throw new StorageError('path_invalid', `"${name}" is not a folder; name a folder`, { path });
  }
  return { path: parent.path(name) as VaultPath, ino: String(found.ino) };
}

function checkSize(path: VaultPath, bytes: Buffer): void {
  if (bytes.length <= MAX_FILE_BYTES) return;
  throw new StorageError(
    'too_large',
    `the content has ${bytes.length} bytes, more than the ${MAX_FILE_BYTES} a file may have`,
    { path, bytes: bytes.length, max_bytes: MAX_FILE_BYTES },
  );
}
