/**
 * Turns a staged change into its operations, in the order in which they must be applied (overwrites
 * in place, then moves in their order, then new files), and its result.
 */
import { contentHash } from '../files/content-hash.ts';
import { isExecutable, type StoredFile } from '../files/stored-file.ts';
import type { VaultPath } from '../files/vault-path.ts';
import type { Material, MovedFile } from './apply-change.ts';
import type { ChangedFile } from './change-types.ts';
import { missingFolders } from './steps.ts';

export interface Staged {
  /** The file on disk at the start of the change; absent when the change creates it. */
  readonly origin?: StoredFile;
  /** Whether the origin was in the trash, so that the file is new to the vault. */
  readonly restored?: boolean;
  path: VaultPath;
  bytes: Buffer;
}

export interface StagedMove {
  readonly from: string;
  readonly to: string;
  /** Whether it had a twin in another case or Unicode form. */
  readonly twin: boolean;
  /** Of a file: its staged state, for the content at the time of the move. */
  readonly staged?: Staged;
  /** Of a folder: its inode, and the files that move with it. */
  readonly folder?: string;
  readonly inside?: readonly (MovedFile & { readonly staged: Staged })[];
}

export interface StagedRemoval {
  readonly staged: Staged;
  readonly trashId: string;
}

export interface Plan {
  readonly materials: readonly Material[];
  /** The folders that the change creates, outermost first. */
  readonly folders: readonly string[];
  readonly files: readonly ChangedFile[];
  /** The paths that had a file before the change and have none after it. */
  readonly gone: readonly VaultPath[];
}

export function planOf(
  root: string,
  staged: readonly Staged[],
  removals: readonly StagedRemoval[],
  moves: readonly StagedMove[],
): Plan {
  const all = [...staged, ...removals.map((removal) => removal.staged)];
  const overwrites = all.filter(({ origin, bytes }) => origin && !origin.bytes.equals(bytes));
  const creations = staged.filter(({ origin }) => origin === undefined);
  const targets = [...moves.map(({ to }) => to), ...creations.map(({ path }) => path)];
  const files = [...removals.map(removedFile), ...staged.filter(isChanged).map(changedFile)];
  return {
    materials: [...overwrites.map(overwrite), ...moves.map(move), ...creations.map(creation)],
    folders: [...new Set(targets.flatMap((path) => missingFolders(root, path)))],
    files,
    gone: pathsGone(files),
  };
}

function overwrite({ origin, bytes }: Staged): Material {
  const { path, bytes: before, contentHash: beforeHash, mode, stamp } = origin!;
  const afterHash = contentHash(bytes);
  const operation = { kind: 'write' as const, path, before, beforeHash, afterHash };
  return { operation, bytes, mode, read: stamp };
}

function move({ from, to, twin, staged, folder, inside = [] }: StagedMove): Material {
  const moved = { kind: 'move' as const, from, to, ...(twin && { twin }) };
  if (folder !== undefined) {
    const files = inside.map((file): [string, string] => [
      file.to.slice(to.length + 1),
      contentHash(file.staged.bytes),
    ]);
    return { operation: { ...moved, folder, files }, inside };
  }
  return {
    operation: { ...moved, hash: contentHash(staged!.bytes) },
    ...(staged!.origin && { read: staged!.origin.stamp }),
  };
}

function creation({ path, bytes }: Staged): Material {
  return { operation: { kind: 'write', path, afterHash: contentHash(bytes) }, bytes };
}

function isChanged({ origin, restored, path, bytes }: Staged): boolean {
  if (origin === undefined || restored) return true;
  return origin.path !== path || !origin.bytes.equals(bytes);
}

function changedFile({ origin, restored, path, bytes }: Staged): ChangedFile {
  const known = restored ? undefined : origin;
  return {
    path,
    ...(known && known.path !== path && { from: known.path }),
    ...(known && { before: known.bytes }),
    after: bytes,
    contentHash: contentHash(bytes),
    ...(origin && isExecutable(origin) && { executable: true }),
  };
}

function removedFile({ staged, trashId }: StagedRemoval): ChangedFile {
  return { path: staged.origin!.path, before: staged.origin!.bytes, trashId };
}

function pathsGone(files: readonly ChangedFile[]): VaultPath[] {
  const left = files.filter(({ from, after }) => from ?? !after);
  const present = new Set(files.filter(({ after }) => after).map(({ path }) => path));
  return left.map(({ from, path }) => from ?? path).filter((path) => !present.has(path));
}
