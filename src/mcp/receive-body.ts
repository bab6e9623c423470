/**
 * Reads the body of a POST within the limit and the memory budget, and refuses what is not declared as
 * JSON. Reserves the announced length, or the maximum where none is announced.
 *
 * A refusal does not wait for the rest of the body. Node discards it, for as long as a request may
 * take, so that the client can read the answer.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { GrowingBuffer } from '../core/growing-buffer.ts';
import { BODY_LIMIT_BYTES } from '../core/http/server.ts';
import type { BodyReservation } from './body-budget.ts';
import { INVALID_REQUEST, RpcError } from './jsonrpc.ts';

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

export function receiveBody(
  request: IncomingMessage,
  reservation: BodyReservation,
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
  const refused = reservation.take(announced, most);
  if (refused) {
    refuse(refused);
    return;
  }
  const body = new GrowingBuffer(most);
  const add = (piece: Buffer) => {
    const length = body.append(piece);
    const refused = reservation.take(length, most);
    if (length <= BODY_LIMIT_BYTES && !refused) return;
    request.off('data', add).off('end', end).resume();
    if (refused) refuse(refused);
    else refuseLength();
  };
  const end = () => {
    reservation.settle(body.length);
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
