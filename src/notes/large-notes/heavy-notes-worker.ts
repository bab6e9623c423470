/** Worker thread for one large note; runs one job and exits. */
import { parentPort, workerData } from 'node:worker_threads';
import { asNotesError } from '../tool-kit/notes-error.ts';
import type { HeavyAnswer, HeavyJob } from './heavy-thread.ts';
import { heavyWork } from './heavy-work.ts';

parentPort?.postMessage(answerTo(workerData as HeavyJob));

function answerTo({ name, argument }: HeavyJob): HeavyAnswer {
  try {
    return { result: (heavyWork[name] as (argument: unknown) => unknown)(argument) };
  } catch (error) {
    const refusal = asNotesError(error);
    if (refusal === undefined) throw error;
    const { code, message, data } = refusal;
    return { refused: { code, message, data } };
  }
}
