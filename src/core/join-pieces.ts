/**
 * Joins the small pieces of a body before a parser keeps them.
 *
 * Prevents memory exhaustion by tiny chunks (CWE-405): a stranger sends bodies byte by byte and never
 * ends them. Each piece that is kept costs 250 bytes until the request times out, so that a few
 * megabytes of chunks would fill the memory.
 */
import type { IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { GrowingBuffer } from './growing-buffer.ts';

const PASSED_ON_BYTES = 16 * 1024;
const SHOWN_BYTES = 64 * 1024;

export class JoinedPieces extends Transform {
  /** The beginning of the body, for `onBodyRead`. */
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

/** The parsers of the scope read joined pieces, and `onBodyRead` gets the beginning of each body. */
export function joinPieces(scope: FastifyInstance): void {
  scope.addHook('preParsing', (request, reply, payload, done) => {
    const body = payload as IncomingMessage;
    const joined = new JoinedPieces();
    joined.once('end', () => scope.onBodyRead(joined.beginning.bytes(), request.raw));
    // An aborted request must not crash the program where no parser listens.
    joined.on('error', () => {});
    body.on('error', (error) => joined.destroy(error));
    reply.raw.once('finish', () => joined.resume());
    done(null, body.pipe(joined));
  });
}
