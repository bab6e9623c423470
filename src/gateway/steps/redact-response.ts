/**
 * Step 11. Removes every value of the calling user from headers and body, in every form the
 * redactor knows, while the body streams in. Reading stops once more clean bytes are there
 * than the cap lets through: what the redactor has not decided yet is never among them, so no
 * part of a secret stands at the cut.
 */
import { isUtf8 } from 'node:buffer';
import type { Redactor } from '../../core/redactor/redactor.ts';
import { DecodingSink, encodingsOf } from '../upstream/decode.ts';
import { headerOf, type UpstreamResponse } from '../upstream/exchange.ts';

export interface CleanResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Clean; longer than the cap only when there was more than the cap lets through. */
  readonly body: Buffer;
  /** Bytes of body read from the upstream, as they came. */
  readonly bytesRead: number;
  /** How many values were removed. */
  readonly redacted: number;
}

export async function redactResponse(
  response: UpstreamResponse,
  currentRedactor: () => Redactor,
  capBytes: number,
): Promise<CleanResponse> {
  const redactor = currentRedactor();
  const encodings = encodingsOf(headerOf(response, 'content-encoding'));
  const headers = redactHeaders(response.rawHeaders, redactor, encodings.length > 0);
  const body = await redactBody(response, redactor, encodings, capBytes);

  const later = currentRedactor();
  if (later === redactor) {
    return {
      ...body,
      status: response.status,
      headers: headers.clean,
      redacted: headers.count + body.redacted,
    };
  }
  // The configuration changed meanwhile; what it brought must not pass either.
  const again = redactHeaders(response.rawHeaders, later, encodings.length > 0);
  const stream = later.stream();
  const pieces = [stream.push(body.body)];
  if (body.body.length <= capBytes) pieces.push(stream.end());
  return {
    status: response.status,
    headers: again.clean,
    body: Buffer.concat(pieces),
    bytesRead: body.bytesRead,
    redacted: again.count + body.redacted + stream.count,
  };
}

async function redactBody(
  response: UpstreamResponse,
  redactor: Redactor,
  encodings: readonly string[],
  capBytes: number,
): Promise<{ body: Buffer; bytesRead: number; redacted: number }> {
  const stream = redactor.stream();
  const pieces: Uint8Array[] = [];
  let cleanBytes = 0;
  let bytesRead = 0;
  const keep = (clean: Uint8Array): boolean => {
    if (clean.length > 0) pieces.push(clean);
    cleanBytes += clean.length;
    return cleanBytes <= capBytes;
  };
  const take = (chunk: Uint8Array): boolean => keep(stream.push(chunk));

  if (encodings.length === 0) {
    await response.read((chunk) => {
      bytesRead += chunk.length;
      return take(chunk);
    });
  } else {
    const decoder = new DecodingSink(encodings, take);
    try {
      await response.read((chunk) => {
        bytesRead += chunk.length;
        return decoder.write(chunk);
      });
      await decoder.end();
    } finally {
      decoder.destroy();
    }
  }
  if (cleanBytes <= capBytes) keep(stream.end());
  return { body: Buffer.concat(pieces), bytesRead, redacted: stream.count };
}

/** Headers by lower-case name; repeated ones joined; `Set-Cookie` dropped. */
function redactHeaders(
  raw: readonly Uint8Array[],
  redactor: Redactor,
  decoded: boolean,
): { clean: Record<string, string>; count: number } {
  const joined = new Map<string, Buffer>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = Buffer.from(raw[i]!).toString('latin1').toLowerCase();
    if (name.startsWith('set-cookie')) continue;
    // Once decoded, these two describe bytes that nobody gets to see.
    if (decoded && (name === 'content-encoding' || name === 'content-length')) continue;
    const value = raw[i + 1] as Buffer;
    const before = joined.get(name);
    joined.set(name, before ? Buffer.concat([before, SEPARATOR, value]) : value);
  }
  const clean: Record<string, string> = Object.create(null);
  let count = 0;
  for (const [name, value] of joined) {
    const cleanName = redactor.text(name);
    const cleanValue = redactor.bytes(value);
    count += cleanName.count + cleanValue.count;
    const text = decodeHeader(cleanValue.bytes);
    const before = clean[cleanName.text];
    clean[cleanName.text] = before === undefined ? text : `${before}, ${text}`;
  }
  return { clean, count };
}

const SEPARATOR = Buffer.from(', ');

function decodeHeader(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString(isUtf8(buffer) ? 'utf8' : 'latin1');
}
