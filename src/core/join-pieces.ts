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
import { GrowingBuffer } from './growing-buffer.ts';

const PASSED_ON_BYTES = 16 * 1024;
const SHOWN_BYTES = 64 * 1024;

export class JoinedPieces extends Transform {
  /** What came first; shown to whoever listens for bodies. */
  readonly beginning = new GrowingBuffer(SHOWN_BYTES);
  #waiting = new GrowingBuffer(PASSED_ON_BYTES);

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.beginning.length < SHOWN_BYTES) this.beginning.append(piece);
    if (this.#waiting.append(piece) >= PASSED_ON_BYTES) this.#passOn();
    done();
  }

  override _flush(done: TransformCallback): void {
    if (this.#waiting.length > 0) this.#passOn();
    done();
  }

  #passOn(): void {
    this.push(this.#waiting.bytes());
    this.#waiting = new GrowingBuffer(PASSED_ON_BYTES);
  }
}

/**
 * Whatever parser the scope has reads the joined pieces, and `onBodyRead` is told what came. A body
 * that none reads passes by.
 */
export function joinPieces(scope: FastifyInstance): void {
  scope.addHook('preParsing', (request, reply, payload, done) => {
    const body = payload as IncomingMessage;
    const joined = new JoinedPieces();
    joined.once('end', () => scope.onBodyRead(joined.beginning.bytes(), request.raw));
    // Where no parser listens, a client that breaks off must not end the program.
    joined.on('error', () => {});
    body.on('error', (error) => joined.destroy(error));
    reply.raw.once('finish', () => joined.resume());
    done(null, body.pipe(joined));
  });
}
