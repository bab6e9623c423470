/**
 * Joins a body that comes in small pieces, before a parser keeps them.
 *
 * The attack: a stranger sends bodies byte by byte, each a chunk of six bytes on the wire, and
 * never ends them. Kept as it comes, each byte costs two hundred and fifty until the request times
 * out, and a few megabytes fill the memory of the server.
 */
import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import type { FastifyInstance } from 'fastify';

const PASSED_ON_BYTES = 16 * 1024;
const MAX_PIECES = 64;

/** Pieces of bytes that are kept as few. */
export class Pieces {
  #pieces: Buffer[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(piece: Buffer): void {
    this.#bytes += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length >= MAX_PIECES) this.#pieces = [Buffer.concat(this.#pieces)];
  }

  /** All of them, in one. */
  take(): Buffer {
    const all = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    [this.#pieces, this.#bytes] = [[], 0];
    return all;
  }
}

export class JoinedPieces extends Transform {
  readonly #waiting = new Pieces();

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#waiting.add(piece);
    if (this.#waiting.bytes >= PASSED_ON_BYTES) this.push(this.#waiting.take());
    done();
  }

  override _flush(done: TransformCallback): void {
    if (this.#waiting.bytes > 0) this.push(this.#waiting.take());
    done();
  }
}

/** Whatever parser the scope has reads the joined pieces. A body that none reads passes by. */
export function joinPieces(scope: FastifyInstance): void {
  scope.addHook('preParsing', (_request, reply, payload, done) => {
    const body = payload as IncomingMessage;
    const joined = new JoinedPieces();
    // Where no parser listens, a client that breaks off must not end the program.
    joined.on('error', () => {});
    body.on('error', (error) => joined.destroy(error));
    reply.raw.once('finish', () => joined.resume());
    done(null, body.pipe(joined));
  });
}
