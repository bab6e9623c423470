/**
 * Receives the body of a request through the HTTP door: whole, at most 1 MiB, before step 9.
 *
 * Prevents memory exhaustion (CWE-770): large bodies share a budget, of which one user has at most
 * half. A body that is too long is read on for a while, so that a client which sends before it reads
 * learns why it was refused.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { GrowingBuffer } from '../../core/growing-buffer.ts';
import { FairShare } from '../../core/limits/fair-share.ts';
import { Refusal } from '../request/refusal.ts';
import type { RequestBody } from '../request/request.ts';
import { MAX_BODY_BYTES } from '../steps/check-body-size.ts';

const BUDGET_BYTES = 32 * 1024 * 1024;
/** Not counted: connections are limited, too. */
const SMALL_BYTES = 16 * 1024;
const MAX_DISCARDED_BYTES = 1024 * 1024;
const RETRY_AFTER_MS = 5_000;

export class RequestBodies {
  readonly #share = new FairShare(BUDGET_BYTES);

  /**
   * Undefined for a request without a body. Of a body that is too long, one byte too many comes back:
   * step 8 refuses it.
   */
  async receive(
    request: IncomingMessage,
    user: string,
    response: ServerResponse,
  ): Promise<RequestBody | undefined | Refusal> {
    const { headers } = request;
    const announced = Number(headers['content-length'] ?? 0);
    if (announced === 0 && headers['transfer-encoding'] === undefined) return undefined;
    const bytes = Math.min(announced || Number.POSITIVE_INFINITY, MAX_BODY_BYTES + 1);
    if (bytes > SMALL_BYTES) {
      if (!this.#share.take(user, bytes)) {
        const message = 'the bodies of other requests leave no room for this one; try again later';
        return new Refusal('rate_limited', message, { retryAfterMs: RETRY_AFTER_MS });
      }
      response.once('close', () => this.#share.giveBack(user, bytes));
    }
    const body = await read(request);
    if (body === undefined) return new Refusal('cancelled', 'the client ended the request');
    return isUtf8(body) ? body.toString('utf8') : body;
  }
}

/** Undefined if the client is gone before the end. */
function read(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const body = new GrowingBuffer(MAX_BODY_BYTES + 1);
    let discardedBytes = 0;
    const finish = () => resolve(body.bytes());
    request.on('data', (piece: Buffer) => {
      const room = MAX_BODY_BYTES + 1 - body.length;
      body.append(piece.subarray(0, room));
      discardedBytes += Math.max(0, piece.length - room);
      if (discardedBytes > MAX_DISCARDED_BYTES) finish();
    });
    request.once('end', finish);
    request.once('close', () => resolve(undefined));
  });
}
