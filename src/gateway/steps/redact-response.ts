/**
 * Step 11. Removes every value of the calling user from headers and body, in every form the
 * redactor knows, while the body streams in. Reading stops once more clean bytes are there
 * than the cap lets through: what the redactor has not decided yet is never among them, so no
 * part of a secret stands at the cut. Headers that describe bytes which the model is not shown are
 * dropped: see `drop-descriptions.ts`.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { asBuffer } from '../../core/as-buffer.ts';
import type { Redactor } from '../../core/redactor/redactor.ts';
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
import type { AnswerPlace } from '../upstream/response-budget.ts';

const NO_ROOM =
  'other large answers left no room for this one in time; send fewer at once, or try again';

export interface CleanResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Clean; longer than the cap only when there was more than the cap lets through. */
  readonly body: Buffer;
  /** How many values were removed. */
  readonly redacted: number;
  /** What stands where they stood. */
  readonly marker: string;
}

/** The body is not shown where it is not sent (HEAD) or is the model's own with a secret in it. */
export async function redactResponse(
  response: UpstreamResponse,
  currentRedactor: () => Redactor,
  { capBytes, place, deadline }: Pick<CallContext, 'capBytes' | 'place' | 'deadline'>,
  isBodyShown = true,
): Promise<CleanResponse> {
  const encodings = await encodingsToUndo(response);
  const body = new CleanBody(currentRedactor, capBytes);
  const keep = (chunk: Uint8Array) => body.push(chunk) <= capBytes;
  const enter = () => enterInTime(place, deadline);
  const keepWhereThereIsRoom = (chunk: Uint8Array) => {
    if (place.hold(chunk.length)) return keep(chunk);
    return enter().then(() => keep(chunk));
  };
  const isDecoded = await readDecoded(response, encodings, keepWhereThereIsRoom, enter);
  if (body.length <= capBytes) body.end();
  const redactor = currentRedactor();
  const headers = redactHeaders(response, redactor, isDecoded);
  dropDescriptions(headers.clean, {
    // Also where what was removed stands behind the cut: the original held it.
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

/** A body that cannot be read is withheld; an answer without one (HEAD, 204, 304) is not. */
async function encodingsToUndo(response: UpstreamResponse): Promise<string[]> {
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

/** The end of a body may still be decoded, and wait, when its connection is done. */
function enterInTime(place: AnswerPlace, deadline: Deadline): Promise<void> {
  return new Promise((resolve, reject) => {
    deadline.onOver(() => reject(deadline.refusal(NO_ROOM)));
    void place.enter().then(resolve);
  });
}

/**
 * Hands the decoded body to the sink until it wants no more, and tells whether there was any to
 * decode. Brotli's decoder fills a window of up to 16 MiB before anything of it is seen, and that of
 * Zstandard one of 8 MiB where another decoder takes what it gives: nothing is given to them before
 * there is room.
 */
async function readDecoded(
  response: UpstreamResponse,
  encodings: readonly string[],
  sink: Sink,
  enter: () => Promise<void>,
): Promise<boolean> {
  if (encodings.length === 0) {
    await response.read(sink);
    return false;
  }
  const decoder = new DecodingSink(encodings, sink);
  try {
    let isThere = false;
    let enterFirst = hasUnseenWindow(encodings) ? enter : undefined;
    await response.read(async (chunk) => {
      isThere = true;
      await enterFirst?.();
      enterFirst = undefined;
      return decoder.write(chunk);
    });
    await decoder.end();
    return isThere;
  } finally {
    decoder.destroy();
  }
}

/** The encodings are in the order in which they are undone. */
function hasUnseenWindow(encodings: readonly string[]): boolean {
  return encodings.includes('br') || encodings.slice(0, -1).includes('zstd');
}

/**
 * Headers by lower-case name; repeated ones joined; `Set-Cookie` dropped. Values are joined
 * before they are redacted, also where two names became one by redaction: what is joined
 * afterwards could be a secret again.
 */
function redactHeaders(
  { headers, rawHeaders: raw }: UpstreamResponse,
  redactor: Redactor,
  decoded: boolean,
): { clean: Record<string, string>; count: number } {
  const together = Buffer.concat(raw);
  if (redactor.bytes(together).count === 0 && isAscii(together)) {
    // One look at all of them together; the common case ends here.
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

/**
 * The headers as they came, where nothing is to be redacted and none is repeated; else undefined.
 * A plain object is quicker than one without a prototype, but cannot take every name.
 */
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

/** Once the body is decoded, two headers describe bytes that nobody gets to see. */
function isDropped(name: string, decoded: boolean): boolean {
  if (name.startsWith('set-cookie')) return true;
  return decoded && (name === 'content-encoding' || name === 'content-length');
}

const SEPARATOR = Buffer.from(', ');

function decodeHeader(bytes: Uint8Array): string {
  return isUtf8(bytes) ? asBuffer(bytes).toString('utf8') : latin1(bytes);
}
