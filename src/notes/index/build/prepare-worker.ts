/** The worker of `PrepareThread`. */
import { parentPort, workerData } from 'node:worker_threads';
import { prepareFile, withWords } from '../content/prepared-file.ts';
import { VaultFiles } from '../content/vault-files.ts';
import type { FileToPrepare, PreparedGroup } from './prepare-thread.ts';

const files = new VaultFiles(workerData as string);

parentPort?.on('message', (paths: readonly FileToPrepare[]) => {
  const group: PreparedGroup = paths.map(([path, isWithWords]) => {
    const file = files.read(path);
    if (!file) return [path, null];
    const prepared = prepareFile(file);
    return [path, isWithWords ? withWords(prepared) : prepared];
  });
  parentPort?.postMessage(group);
});
