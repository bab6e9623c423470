/** Shows the progress of reading a large log at a terminal. */
import type { CommandOutput } from '../command-line/output.ts';
import type { LogProgress } from './log-files.ts';

const EVERY_MS = 250;
/** Shorter waits show no progress. */
const AFTER_MS = 500;
const MEBIBYTE = 1024 * 1024;

export async function showReading(
  { status }: Pick<CommandOutput, 'status'>,
  read: (progress: LogProgress) => Promise<void>,
): Promise<void> {
  const progress: LogProgress = { readBytes: 0, totalBytes: undefined };
  if (!status) return read(progress);
  const startMs = performance.now();
  let isShown = false;
  const timer = setInterval(() => {
    if (performance.now() - startMs < AFTER_MS) return;
    isShown = true;
    status(readingText(progress));
  }, EVERY_MS);
  try {
    await read(progress);
  } finally {
    clearInterval(timer);
    if (isShown) status('');
  }
}

export function readingText({ readBytes, totalBytes }: LogProgress): string {
  const read = `${Math.floor(readBytes / MEBIBYTE)} MiB`;
  if (totalBytes === undefined) return `${read} read`;
  const percent = totalBytes === 0 ? 100 : Math.floor((readBytes / totalBytes) * 100);
  return `${Math.min(100, percent)} % of ${Math.ceil(totalBytes / MEBIBYTE)} MiB read`;
}
