/** Identifies a file by device and inode, which are not reused while the file is open. */
import { statSync } from 'node:fs';

export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Undefined where there is no file. */
export function identityOf(file: string): FileIdentity | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false });
}

export function isSameFile(one: FileIdentity | undefined, other: FileIdentity | undefined) {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}
