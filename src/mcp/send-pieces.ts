/**
 * Writes a large answer piece by piece. Guarantees that no more than a piece waits for a client
 * that reads slowly, and that other calls are served between two pieces.
 */
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Resolves when all of them are written, or the client is gone. */
export async function sendPieces(
  response: ServerResponse,
  pieces: Iterable<string>,
): Promise<void> {
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await whenTaken(response);
    // Other calls run between two pieces, also where the socket takes each at once.
    await nextTurn();
  }
}

/** Resolves when the client has read what was written, or is gone. */
export async function whenTaken(response: ServerResponse): Promise<void> {
  if (response.destroyed || !response.writableNeedDrain) return;
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
