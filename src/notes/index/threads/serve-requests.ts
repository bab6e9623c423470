import { parentPort } from 'node:worker_threads';
import {
  failureOf,
  type IndexPlace,
  type WorkerMessage,
  type WorkerRequest,
} from './worker-protocol.ts';

export type Handler = (place: IndexPlace, operation: string, argument: unknown) => unknown;

/** Answers every request of the main thread, with a result or with a failure. */
export function serveRequests(handle: Handler): void {
  parentPort?.on('message', async (request: WorkerRequest) => {
    const { id, place, operation, argument } = request;
    if (request.announce) tell({ began: id });
    try {
      const result = await handle(place, operation, argument);
      tell({ id, result });
    } catch (error) {
      tell({ id, failure: failureOf(error) });
    }
  });
}

export function tell(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}
