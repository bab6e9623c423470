/**
 * Step 11. Removes every secret of the calling user from headers and body, in every encoding that
 * the redactor knows (base64 redaction and the like), while the body streams in. Reading stops once
 * the clean bytes exceed the cap; bytes that the redactor has not decided on are never among them,
 * so a cut leaves no part of a secret.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { asBuffer } from '../../core/as-buffer.ts';
import type { Redaction } from '../../core/redactor/redactor.ts';
import type { CallContext } from '../upstream/call-context.ts';
import { CleanBody } from '../upstream/clean-body.ts';
import type { Deadline } from '../upstream/deadline.ts';
import { refuseUnredactable } from '../upstream/decodable.ts';
import { DecodingSink, encodingsOf } from '../upstream/decode.ts';
import { dropDescriptions } from '../upstream/drop-descriptions.ts';
import {
  headerOf,
  latin1,
  type Sink,
  type UpstreamHeaders,
  type UpstreamResponse,
} from '../upstream/exchange.ts';
import type { Reservation } from '../upstream/response-budget.ts';

const BUDGET_EXHAUSTED =
  'other large responses used up the response budget; send fewer requests at once, or try again';

export interface CleanResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Clean; longer than the cap only if it has to be cut. */
  readonly body: Buffer;
  /** How many values were removed. */
  readonly redacted: number;
  /** The text that replaced each of them. */
  readonly marker: string;
}

/** `isBodyShown` is false if the model does not see the body that the headers describe. */
export async function redactResponse(
  response: UpstreamResponse,
  currentRedactor: () => Redaction,
  { capBytes, reservation, deadline }: Pick<CallContext, 'capBytes' | 'reservation' | 'deadline'>,
  isBodyShown = true,
): Promise<CleanResponse> {
  const encodings = await encodingsToUndo(response);
  const body = new CleanBody(currentRedactor, capBytes);
  const keep = (chunk: Uint8Array) => body.push(chunk) <= capBytes;
  const reserve = () => reserveInTime(reservation, deadline);
  const keepWithinBudget = (chunk: Uint8Array) =>
    reservation.hold(chunk.length) ? keep(chunk) : reserve().then(() => keep(chunk));
  const isDecoded = await readDecoded(response, encodings, keepWithinBudget, reserve);
  if (body.length <= capBytes) body.end();
  const redactor = currentRedactor();
  const headers = redactHeaders(response, redactor, isDecoded);
  dropDescriptions(headers.clean, {
    // Also if the secret was behind the cut: the headers describe the original.
    isBodyChanged: body.redacted > 0,
    areHeadersChanged: headers.count > 0,
    isBodyUnseen:
      !redactor.isEmpty && (!isBodyShown || response.status === 304 || body.length > capBytes),
  });
  return {
    status: response.status,
    headers: headers.clean,
    body: body.bytes(),
    redacted: headers.count + body.redacted,
    marker: redactor.marker,
  };
}

/** Refuses a body that cannot be redacted; a response without a body (HEAD, 204, 304) passes. */
export async function encodingsToUndo(response: UpstreamResponse): Promise<string[]> {
  try {
    refuseUnredactable(response);
    return encodingsOf(
      headerOf(response, 'content-encoding'),
      headerOf(response, 'transfer-encoding'),
    );
  } catch (refusal) {
    let hasBody = false;
    await response.read(() => {
      hasBody = true;
      return false;
    });
    response.discard();
    if (hasBody) throw refusal;
    return [];
  }
}

/** The deadline applies here, too: decoding may wait after the connection has ended. */
export function reserveInTime(reservation: Reservation, deadline: Deadline): Promise<void> {
  return new Promise((resolve, reject) => {
    deadline.onOver(() => reject(deadline.refusal(BUDGET_EXHAUSTED)));
    void reservation.reserve().then(resolve);
  });
}

/**
 * Passes the decoded body to the sink until it wants no more; returns whether it was encoded. The
 * decoders of Brotli (16 MiB) and of Zstandard inside another encoding (8 MiB) fill a window before
 * they produce output, so they get no input before the budget is reserved.
 */
export async function readDecoded(
  response: UpstreamResponse,
  encodings: readonly string[],
  sink: Sink,
  reserve: () => Promise<void>,
): Promise<boolean> {
  if (encodings.length === 0) {
    await response.read(sink);
    return false;
  }
  const decoder = new DecodingSink(encodings, sink);
  const buffersWindow = encodings.includes('br') || encodings.slice(0, -1).includes('zstd');
  let hasBody = false;
  try {
    await response.read(async (chunk) => {
      if (!hasBody && buffersWindow) await reserve();
      hasBody = true;
      return decoder.write(chunk);
    });
    await decoder.end();
    return hasBody;
  } finally {
    decoder.destroy();
  }
}

/**
 * Headers by lower-case name; repeated ones joined; `Set-Cookie` dropped. Values are joined before
 * they are redacted, since joining clean parts could produce a secret.
 */
export function redactHeaders(
  { headers, rawHeaders: raw }: UpstreamResponse,
  redactor: Redaction,
  decoded: boolean,
): { clean: Record<string, string>; count: number } {
  const together = Buffer.concat(raw);
  if (redactor.bytes(together).count === 0 && isAscii(together)) {
    // The common case: one search over all headers.
    const plain = plainHeaders(headers, decoded);
    if (plain) return { clean: plain, count: 0 };
  }
  const joined = new Map<string, Uint8Array>();
  let count = 0;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = latin1(raw[i]!).toLowerCase();
    if (isDropped(name, decoded)) continue;
    const value = raw[i + 1]!;
    const cleanName = redactor.text(name);
    count += cleanName.count;
    const before = joined.get(cleanName.text);
    joined.set(cleanName.text, before ? Buffer.concat([before, SEPARATOR, value]) : value);
  }
  const clean: Record<string, string> = Object.create(null);
  for (const [name, value] of joined) {
    const cleanValue = redactor.bytes(value);
    count += cleanValue.count;
    clean[name] = decodeHeader(cleanValue.bytes);
  }
  return { clean, count };
}

/** The headers unchanged; undefined if one is repeated or named `__proto__`. */
function plainHeaders(
  headers: UpstreamHeaders,
  decoded: boolean,
): Record<string, string> | undefined {
  const plain: Record<string, string> = {};
  for (const name in headers) {
    if (isDropped(name, decoded)) continue;
    const value = headers[name];
    if (typeof value !== 'string' || name === '__proto__') return undefined;
    plain[name] = value;
  }
  return plain;
}

function isDropped(name: string, decoded: boolean): boolean {
  if (name.startsWith('set-cookie')) return true;
  return decoded && (name === 'content-encoding' || name === 'content-length');
}

const SEPARATOR = Buffer.from(', ');

function decodeHeader(bytes: Uint8Array): string {
  return isUtf8(bytes) ? asBuffer(bytes).toString('utf8') : latin1(bytes);
}
