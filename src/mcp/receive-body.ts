/**
 * Takes in the body of a POST: JSON, if one believes its type, and no more of it than the limit and
 * its place allow. Room is reserved for the length that is announced, or for the longest there may be.
 *
 * What is refused is not waited for. Node reads the rest into nothing, for as long as a request
 * may take, so that the client can read why.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { GrowingBuffer } from '../core/growing-buffer.ts';
import { BODY_LIMIT_BYTES } from '../core/http/server.ts';
import type { BodyPlace } from './body-budget.ts';
import { INVALID_REQUEST, RpcError } from './jsonrpc.ts';

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

export function receiveBody(
  request: IncomingMessage,
  place: BodyPlace,
  take: (body: Buffer) => void,
  refuse: (error: RpcError) => void,
): void {
  const { headers } = request;
  if (!isJson(headers)) {
    refuse(refusal(415, 'the content type must be application/json'));
    return;
  }
  const refuseLength = () => refuse(refusal(413, `the body is over ${BODY_LIMIT_BYTES} bytes`));
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > BODY_LIMIT_BYTES) {
    refuseLength();
    return;
  }
  const most = announced || BODY_LIMIT_BYTES;
  const noRoom = place.take(announced, most);
  if (noRoom) {
    refuse(noRoom);
    return;
  }
  const body = new GrowingBuffer(most);
  const add = (piece: Buffer) => {
    const length = body.append(piece);
    const noRoom = place.take(length, most);
    if (length <= BODY_LIMIT_BYTES && !noRoom) return;
    request.off('data', add).off('end', end).resume();
    if (noRoom) refuse(noRoom);
    else refuseLength();
  };
  const end = () => {
    place.settle(body.length);
    take(body.bytes());
  };
  request.on('data', add).on('end', end);
}

/** No body at all needs no type. */
function isJson(headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type'];
  if (type !== undefined) return JSON_TYPE.test(type);
  return headers['transfer-encoding'] === undefined && !Number(headers['content-length']);
}

function refusal(status: number, message: string): RpcError {
  return new RpcError(INVALID_REQUEST, message, { status });
}
