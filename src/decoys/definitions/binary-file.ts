/** Binary files that real programs open: what `archive` of a decoy names, made of the texts of its files. */
import { gzipSync } from 'node:zlib';
import { type ArchivedFile, tarOf, zipOf } from './archive.ts';
import { dsStore } from './ds-store.ts';
import { heapDump } from './heap-dump.ts';
import { sqliteFile } from './sqlite-file.ts';

/** `gz` and `ds_store` hold the first file alone. */
const WRITERS = {
  zip: zipOf,
  tar: tarOf,
  'tar.gz': (files, ms) => gzipSync(tarOf(files, ms)),
  gz: ([first]) => gzipSync(Buffer.from(first?.text ?? '')),
  sqlite: sqliteFile,
  hprof: heapDump,
  ds_store: dsStore,
} as const satisfies Record<string, (files: readonly ArchivedFile[], ms: number) => Buffer>;

export type BinaryForm = keyof typeof WRITERS;
export const BINARY_FORMS = Object.keys(WRITERS) as BinaryForm[];

export function binaryFile(form: BinaryForm, files: readonly ArchivedFile[], ms: number): Buffer {
  return WRITERS[form](files, ms);
}
