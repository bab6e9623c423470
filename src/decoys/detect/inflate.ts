/**
 * The beginning of a compressed body. The attack: a few kilobytes that inflate to gigabytes. No more
 * is inflated than is searched, and what came before an error counts.
 */
import { createBrotliDecompress, createInflateRaw, createUnzip } from 'node:zlib';

const PIECE_BYTES = 16 * 1024;
const GZIP = [0x1f, 0x8b];

/** The coding of a body: by its header, or by its first bytes. */
export function codingOf(header: string | undefined, body: Uint8Array): string | undefined {
  const coding = header?.trim().toLowerCase();
  if (coding === 'br' || coding === 'deflate' || coding?.endsWith('gzip')) return coding;
  return body[0] === GZIP[0] && body[1] === GZIP[1] ? 'gzip' : undefined;
}

function decoderOf(coding: string, [first = 0, second = 0]: Uint8Array) {
  const options = { chunkSize: PIECE_BYTES };
  if (coding === 'br') return createBrotliDecompress(options);
  // Some clients send "deflate" without the envelope of zlib (RFC 9110, section 8.4.1.2).
  const isZlib = (first & 15) === 8 && ((first << 8) | second) % 31 === 0;
  return coding === 'deflate' && !isZlib ? createInflateRaw(options) : createUnzip(options);
}

export function inflate(body: Uint8Array, coding: string, limit: number): Promise<Buffer> {
  return new Promise((resolve) => {
    const decoder = decoderOf(coding, body);
    const pieces: Buffer[] = [];
    let length = 0;
    const finish = () => {
      resolve(Buffer.concat(pieces).subarray(0, limit));
      decoder.destroy();
    };
    decoder.on('data', (piece: Buffer) => {
      pieces.push(piece);
      length += piece.length;
      if (length >= limit) finish();
    });
    decoder.on('end', finish).on('error', finish);
    decoder.end(body);
  });
}
