/** Reads the beginning of a body and discards the rest. */
import type { IncomingMessage } from 'node:http';
import { GrowingBuffer } from '../../core/growing-buffer.ts';
import { headerValue } from './header-value.ts';

export interface ReadBody {
  readonly bytes: Buffer;
  /** How many bytes came in all, as far as they were waited for. */
  readonly length: number;
  /** Whether the client broke off; the bytes are what had come by then. */
  readonly isCutOff: boolean;
}

/** RFC 9112, section 6: one of the two headers says that there is one. */
export function hasBody({ rawHeaders }: IncomingMessage): boolean {
  const length = headerValue(rawHeaders, 'content-length');
  return length === undefined
    ? headerValue(rawHeaders, 'transfer-encoding') !== undefined
    : Number(length) > 0;
}

export function readBody(request: IncomingMessage, limit: number): Promise<ReadBody> {
  return new Promise((resolve) => {
    const beginning = new GrowingBuffer(limit);
    const read = (isCutOff: boolean) => {
      resolve({ bytes: beginning.bytes(), length: beginning.length, isCutOff });
    };
    const finish = () => {
      request.off('data', take).off('end', finish).off('close', breakOff);
      read(false);
      request.resume();
    };
    const breakOff = () => read(true);
    const take = (chunk: Buffer) => {
      if (beginning.append(chunk) > limit) finish();
    };
    request.on('data', take).once('end', finish);
    request.once('close', breakOff).on('error', breakOff);
  });
}
