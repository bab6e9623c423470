import type { OutboundRequest } from '../request/request.ts';

/** A request with its signature in it, and the signature by itself, to be redacted. */
export interface Signed {
  readonly request: OutboundRequest;
  readonly signature: string;
}
