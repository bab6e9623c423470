/** The thread that builds and writes the indexes of all vaults. */
import { type BuildProgress, VaultIndexer } from '../build/vault-indexer.ts';
import type { FileStamp } from '../content/prepared-file.ts';
import type { Sql } from '../store/sql.ts';
import { send, serveRequests } from '../threads/serve-requests.ts';
import type { IndexPlace } from '../threads/worker-protocol.ts';
import { type VectorStep, vectorSteps } from '../vectors/vector-writer.ts';

const indexers = new Map<string, VaultIndexer>();

/** All write operations by name. */
const writeOperations = {
  open: (indexer: VaultIndexer) => indexer.counts(),
  build: async (indexer: VaultIndexer, _: undefined, progress: (state: BuildProgress) => void) => ({
    ...(await indexer.build(progress)),
    ...indexer.counts(),
  }),
  rebuild: async (
    indexer: VaultIndexer,
    _: undefined,
    progress: (state: BuildProgress) => void,
  ) => ({ ...(await indexer.rebuild(progress)), ...indexer.counts() }),
  merge: (indexer: VaultIndexer) => indexer.merge(),
  upsert: (indexer: VaultIndexer, file: FileStamp & { readonly bytes: Uint8Array }) => ({
    ...indexer.upsert({ ...file, bytes: Buffer.from(file.bytes.buffer) }),
    ...indexer.counts(),
  }),
  remove: (indexer: VaultIndexer, path: string) => ({
    ...indexer.remove(path),
    ...indexer.counts(),
  }),
  refresh: async (indexer: VaultIndexer, paths: readonly string[]) => ({
    ...(await indexer.refresh(paths)),
    ...indexer.counts(),
  }),
  vectors: (indexer: VaultIndexer, { step, argument }: VectorStep) => {
    const run = vectorSteps[step] as (sql: Sql, argument: unknown) => unknown;
    return indexer.stepVectors((sql) => run(sql, argument));
  },
} as const;

export type WriteOperations = typeof writeOperations;
export type WriteArgument<Name extends keyof WriteOperations> = Parameters<
  WriteOperations[Name]
>[1];
export type WriteResultOf<Name extends keyof WriteOperations> = Awaited<
  ReturnType<WriteOperations[Name]>
>;

type AnyOperation = (
  indexer: VaultIndexer,
  argument: unknown,
  progress: (state: BuildProgress) => void,
) => unknown;

serveRequests((place, operation, argument) => {
  if (operation === 'close') return close(place);
  const run = writeOperations[operation as keyof WriteOperations] as AnyOperation;
  return run(indexerOf(place), argument, (state) => send({ progressOf: place.file, ...state }));
});

function indexerOf({ root, file }: IndexPlace): VaultIndexer {
  let indexer = indexers.get(file);
  if (!indexer) {
    indexer = new VaultIndexer(root, file, Date.now);
    indexers.set(file, indexer);
  }
  return indexer;
}

function close({ file }: IndexPlace): void {
  indexers.get(file)?.close();
  indexers.delete(file);
}
