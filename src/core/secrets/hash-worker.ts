/** The thread that computes bcrypt hashes, in plain JavaScript: it has no native part. */
import { parentPort } from 'node:worker_threads';
import { hashSync } from 'bcryptjs';
import type { HashJob } from './hash-thread.ts';

parentPort?.on('message', ({ password, salts }: HashJob) => {
  let hash = '';
  for (const salt of salts) hash = hashSync(password, salt);
  parentPort?.postMessage(hash);
});
