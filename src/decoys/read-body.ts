/** Reads the beginning of a body. What is longer is let pass by, unread. */
import type { IncomingMessage } from 'node:http';

export interface ReadBody {
  readonly text: string;
  /** How many bytes came in all, as far as they were waited for. */
  readonly bytes: number;
}

/** `undefined` where the client broke off. */
export function readBody(request: IncomingMessage, limit: number): Promise<ReadBody | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = () => {
      request.off('data', take).off('end', finish);
      resolve({ text: Buffer.concat(chunks).toString('utf8').slice(0, limit), bytes });
      request.resume();
    };
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > limit) finish();
    };
    request.on('data', take).once('end', finish);
    request.once('close', () => resolve(undefined)).once('error', () => resolve(undefined));
  });
}
