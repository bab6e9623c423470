/**
 * Lists every file below a folder, without hidden names. A name that is not a valid path, or an
 * entry that is neither a file nor a folder (such as a link), is reported with the reason.
 */
import { lstat, readdir } from 'node:fs/promises';
import { type Directory, openFolder } from './directory.ts';
import { errorCode } from './storage-error.ts';
import { pathProblem, type VaultPath } from './vault-path.ts';

export interface ListedFile {
  readonly path: VaultPath;
  readonly bytes: number;
  readonly mtimeMs: number;
}

export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

export type Walked = ListedFile | SkippedFile;

export async function* walk(root: string, folder: string): AsyncGenerator<Walked> {
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for (const entry of await entries(root, next)) {
      if (typeof entry === 'string') folders.push(entry);
      else yield entry;
    }
  }
}

export async function listFiles(root: string, folder = ''): Promise<ListedFile[]> {
  const files: ListedFile[] = [];
  for await (const entry of walk(root, folder)) if ('mtimeMs' in entry) files.push(entry);
  return files;
}

/** Undefined for a folder that was removed or replaced by a link since it was listed. */
function openListed(root: string, folder: string): Directory | undefined {
  try {
    return openFolder(root, folder);
  } catch {
    return undefined;
  }
}

/** The entries of one directory: files and skipped entries, and folders as path strings. */
async function entries(root: string, folder: string): Promise<(Walked | string)[]> {
  using directory = openListed(root, folder);
  if (directory === undefined) return [];
  const found = await readdir(directory.self(), { withFileTypes: true });
  const visible = found.filter(({ name }) => !name.startsWith('.'));
  const walked = await Promise.all(
    visible.map(async (entry): Promise<Walked | string | undefined> => {
      const path = directory.path(entry.name);
      const problem = pathProblem(entry.name);
      if (problem !== undefined) return { path, reason: problem.message };
      if (entry.isDirectory()) return path;
      if (!entry.isFile()) return { path, reason: 'neither a file nor a folder' };
      try {
        const { size, mtimeMs } = await lstat(directory.at(entry.name));
        return { path: path as VaultPath, bytes: size, mtimeMs };
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return undefined;
        throw error;
      }
    }),
  );
  return walked.filter((entry) => entry !== undefined);
}
