/** Whether the data directory can be used, said in one line that names what is wrong and the cure. */
import { accessSync, constants, statSync } from 'node:fs';

/** Undefined when the directory can be read, written and searched by this process. */
export function dataDirectoryProblem(directory: string): string | undefined {
  const found = statSync(directory, { throwIfNoEntry: false });
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  if (found === undefined) {
    return `${directory} does not exist; make it with: install -d -m 700 -o ${uid} -g ${gid} ${directory}`;
  }
  if (!found.isDirectory()) return `${directory} is not a directory; set NOTES_DATA to one`;
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EROFS') {
      return `${directory} is on a read-only filesystem; mount it writable`;
    }
    const owner = `${found.uid}:${found.gid}`;
    return `${directory} is owned by ${owner} and not writable for uid ${uid}; run: chown -R ${uid}:${gid} ${directory}`;
  }
}
