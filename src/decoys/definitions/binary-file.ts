/** Binary files that real programs open: what `archive` of a decoy names, made of the texts of its files. */
import { gzipSync } from 'node:zlib';
import { type ArchivedFile, tarOf, zipOf } from './archive.ts';
import { dsStore } from './ds-store.ts';
import { heapDump } from './heap-dump.ts';
import { sqliteFile } from './sqlite-file.ts';

export const BINARY_FORMS = ['zip', 'tar', 'tar.gz', 'gz', 'sqlite', 'hprof', 'ds_store'] as const;
export type BinaryForm = (typeof BINARY_FORMS)[number];

/** `gz` and `ds_store` hold the first file alone. */
export function binaryFile(form: BinaryForm, files: readonly ArchivedFile[], ms: number): Buffer {
  switch (form) {
    case 'zip':
      return zipOf(files, ms);
    case 'tar':
      return tarOf(files, ms);
    case 'tar.gz':
      return gzipSync(tarOf(files, ms));
    case 'gz':
      return gzipSync(Buffer.from(files[0]?.text ?? ''));
    case 'sqlite':
      return sqliteFile(files);
    case 'hprof':
      return heapDump(files, ms);
    case 'ds_store':
      return dsStore(files);
  }
}
