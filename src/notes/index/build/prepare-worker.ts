/** The worker of `PrepareThread`. */
import { parentPort, workerData } from 'node:worker_threads';
import { prepareFile, withWords } from '../content/prepared-file.ts';
import { VaultFiles } from '../content/vault-files.ts';
import type { PreparedGroup } from './prepare-thread.ts';

const files = new VaultFiles(workerData as string);

parentPort?.on('message', (paths: readonly string[]) => {
  const group: PreparedGroup = paths.map((path) => {
    const file = files.read(path);
    return [path, file ? withWords(prepareFile(file)) : null];
  });
  parentPort?.postMessage(group);
});
