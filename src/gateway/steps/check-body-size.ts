/** Step 8. A request body has at most 1 MiB, counted in bytes. */
import { Refusal } from '../request/refusal.ts';
import type { RequestBody } from '../request/request.ts';

export const MAX_BODY_BYTES = 1_048_576;

export function checkBodySize(body: RequestBody | undefined): void {
  if (body === undefined || Buffer.byteLength(body) <= MAX_BODY_BYTES) return;
  throw new Refusal('request_too_large', 'the request body is over 1 MiB; send less at once');
}
