/**
 * Steps 11 and 12 of the HTTP door: the answer is redacted and sent while it comes in.
 *
 * Prevents memory exhaustion by slow readers: the upstream is read only as fast as the client reads.
 * Beyond the cap, and where the upstream breaks off, the connection is aborted: an answer that is not
 * whole never looks complete.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as immediate } from 'node:timers/promises';
import { passedThrough } from '../../core/garbage.ts';
import {
  encodingsToUndo,
  readDecoded,
  redactHeaders,
  reserveInTime,
} from '../steps/redact-response.ts';
import type { SentCall } from '../upstream/call-context.ts';
import { dropDescriptions } from '../upstream/drop-descriptions.ts';
import { headerOf, latin1, type UpstreamResponse } from '../upstream/exchange.ts';
import { answerHeaders } from './answer-headers.ts';
import { cleanStream } from './clean-stream.ts';

export interface Streamed {
  readonly status: number;
  readonly redacted: number;
  readonly truncated: boolean;
}

const NOTHING = new Uint8Array();
const EVENT_STREAM = /^text\/event-stream\s*(?:;|$)/i;

export async function streamAnswer(
  response: UpstreamResponse,
  { request, target, context, redaction }: SentCall,
  client: ServerResponse,
  idleTimeoutMs: number,
): Promise<Streamed> {
  const { deadline, capBytes, reservation } = context;
  const encodings = await encodingsToUndo(response);
  const redactor = redaction();
  const headers = redactHeaders(response, redactor, encodings.length > 0);
  dropDescriptions(headers.clean, {
    isBodyChanged: false,
    areHeadersChanged: headers.count > 0,
    // The headers are sent before the body is known.
    isBodyUnseen: !redactor.isEmpty,
  });
  const { status } = response;
  const answered = answerHeaders(headers.clean, target!, request.url);
  const hasBody = request.method !== 'HEAD' && status !== 204 && status !== 304;
  let sentBytes = 0;
  let rest: Uint8Array = NOTHING;
  let redacted = headers.count;

  const whole = encodings.length === 0 ? response.takeWhole() : undefined;
  if (whole) {
    const clean = redactor.bytes(whole);
    rest = clean.bytes;
    redacted += clean.count;
    if (hasBody) answered.push('content-length', String(rest.length));
    client.writeHead(status, answered);
  } else {
    deadline.restart(idleTimeoutMs);
    const isEventStream = EVENT_STREAM.test(headerOf(response, 'content-type') ?? '');
    const body = cleanStream(redaction, isEventStream);
    client.writeHead(status, answered).flushHeaders();
    const reserve = () => reserveInTime(reservation, deadline);
    await readDecoded(response, encodings, (chunk) => send(body.push(chunk)), reserve);
    if (sentBytes <= capBytes) rest = body.end();
    redacted += body.count;
  }
  const truncated = sentBytes + rest.length > capBytes;
  if (truncated) {
    await send(rest);
    // What was sent goes out before the connection is aborted.
    await immediate();
  } else {
    // One string is written at less cost than headers and bytes apart.
    if (hasBody && whole) client.end(latin1(rest), 'latin1');
    else client.end(hasBody ? rest : NOTHING);
  }
  return { status, redacted, truncated };

  /** False if the client wants no more, or may have no more. */
  function send(bytes: Uint8Array): boolean | Promise<boolean> {
    deadline.extend();
    if (bytes.length === 0) return true;
    const room = capBytes - sentBytes;
    sentBytes += bytes.length;
    passedThrough(bytes.length);
    const isWritable = client.write(bytes.length > room ? bytes.subarray(0, room) : bytes);
    if (sentBytes > capBytes || client.destroyed) return false;
    return isWritable || drained(client);
  }
}

/** Whether the client reads on; it may be gone instead. */
async function drained(client: ServerResponse): Promise<boolean> {
  if (client.destroyed) return false;
  const ended = new AbortController();
  const { signal } = ended;
  await Promise.race([once(client, 'drain', { signal }), once(client, 'close', { signal })]);
  ended.abort();
  return !client.destroyed;
}
