/** The thread of one large note: it does one job and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { EditError } from '../text/edit-error.ts';
import { editNoteBytes } from '../text/edit-note.ts';
import { parseNote } from '../text/parse-note.ts';
import type { HeavyAnswer, HeavyJob } from './heavy-notes.ts';

parentPort?.postMessage(answerTo(workerData as HeavyJob));

function answerTo(job: HeavyJob): HeavyAnswer {
  const bytes = Buffer.from(job.bytes.buffer, job.bytes.byteOffset, job.bytes.byteLength);
  if (job.kind === 'parse') {
    const { bytes: _, latin1: __, ...note } = parseNote(bytes);
    return { note };
  }
  const edited = editNoteBytes(bytes, job.edit);
  if (!(edited instanceof EditError)) return { bytes: edited };
  const { code, message, data } = edited;
  return { refused: { code, message, data } };
}
