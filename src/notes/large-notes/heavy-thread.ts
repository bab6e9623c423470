/** Runs one job in a worker thread with a timeout, because other notes wait for it. */
import { Worker } from 'node:worker_threads';
import { siblingModule } from '../../core/sibling-module.ts';
import { NotesError } from '../tool-kit/notes-error.ts';
import type { HeavyWork } from './heavy-work.ts';

export interface HeavyJob {
  readonly name: keyof HeavyWork;
  readonly argument: unknown;
}

export type HeavyAnswer =
  | { readonly result: unknown }
  | { readonly refused: Pick<NotesError, 'code' | 'message' | 'data'> };

/** Many times what the largest ordinary note takes. */
const JOB_TIMEOUT_MS = 120_000;
const TOO_LONG = 'the note takes too long to process; split it into smaller notes in an editor';

export function inThread(job: HeavyJob, timeoutMs = JOB_TIMEOUT_MS): Promise<HeavyAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HeavyAnswer>();
  const worker = new Worker(siblingModule(import.meta.url, 'heavy-notes-worker'), {
    workerData: job,
  });
  const timer = setTimeout(() => {
    reject(new NotesError('too_large', TOO_LONG));
    void worker.terminate();
  }, timeoutMs);
  worker.once('message', resolve);
  worker.once('error', reject);
  worker.once('exit', () => {
    clearTimeout(timer);
    reject(new Error('the thread of a large note ended too early'));
  });
  return promise;
}
