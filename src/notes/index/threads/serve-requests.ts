import { parentPort } from 'node:worker_threads';
import {
  failureOf,
  type IndexPlace,
  type WorkerMessage,
  type WorkerRequest,
} from './worker-protocol.ts';

export type Handler = (place: IndexPlace, operation: string, argument: unknown) => unknown;

/** Answers every request of the main thread with a result or a failure. */
export function serveRequests(handle: Handler): void {
  parentPort?.on('message', async (request: WorkerRequest) => {
    const { id, place, operation, argument } = request;
    if (request.announce) send({ began: id });
    try {
      const result = await handle(place, operation, argument);
      send({ id, result });
    } catch (error) {
      send({ id, failure: failureOf(error) });
    }
  });
}

export function send(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}
