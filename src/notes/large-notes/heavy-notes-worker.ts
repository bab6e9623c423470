/** Worker thread for one large note; runs one job and exits. */
import { parentPort, workerData } from 'node:worker_threads';
import { asNotesError } from '../tool-kit/notes-error.ts';
import type { HeavyAnswer, HeavyJob } from './heavy-thread.ts';
import { heavyWork, withBuffers } from './heavy-work.ts';

/** Replacements in a list in an argument hold bytes. */
const ARGUMENT_DEPTH = 4;

parentPort?.postMessage(answerTo(workerData as HeavyJob));

function answerTo({ name, argument }: HeavyJob): HeavyAnswer {
  try {
    const run = heavyWork[name] as (argument: unknown) => unknown;
    return { result: run(withBuffers(argument, ARGUMENT_DEPTH)) };
  } catch (error) {
    const refusal = asNotesError(error);
    if (refusal === undefined) throw error;
    const { code, message, data } = refusal;
    return { refused: { code, message, data } };
  }
}
