/** A client that is told why while it is still sending, also when it wants the connection closed. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { opened, started } from '../../../test/support/http/core-server.ts';
import { BODY_LIMIT_BYTES } from './server.ts';
import { keepOpenBehindUnreadBody } from './unread-body.ts';

const JSON_TYPE = 'Content-Type: application/json\r\n';
const KEEP_ALIVE = 'connection: keep-alive';
/** Node closes behind its own response when the client asks for it. */
const EITHER = [KEEP_ALIVE, 'connection: close'];
const refused: [what: string, head: string, status: number, connections: readonly string[]][] = [
  [
    'to an unknown path',
    `POST /nowhere HTTP/1.1\r\nContent-Length: ${BODY_LIMIT_BYTES}\r\n`,
    404,
    [KEEP_ALIVE],
  ],
  [
    'in chunks to an unknown path',
    'POST /nowhere HTTP/1.1\r\nTransfer-Encoding: chunked\r\n',
    404,
    [KEEP_ALIVE],
  ],
  [
    'that is too long',
    `POST /echo HTTP/1.1\r\n${JSON_TYPE}Content-Length: ${BODY_LIMIT_BYTES + 1}\r\n`,
    413,
    [KEEP_ALIVE],
  ],
  [
    'that is answered past the framework',
    `POST /early HTTP/1.1\r\nContent-Length: ${BODY_LIMIT_BYTES}\r\n`,
    429,
    EITHER,
  ],
  [
    'in chunks that is answered past the framework',
    'POST /early HTTP/1.1\r\nTransfer-Encoding: chunked\r\n',
    429,
    EITHER,
  ],
];
for (const [what, head, status, connections] of refused) {
  for (const connection of connections) {
    test(`a body ${what} is refused and then discarded (${connection})`, {
      timeout: 20_000,
    }, async () => {
      const { app, port } = await started(answerEarly);
      const socket = await opened(port);
      let failure: unknown;
      let answer = '';
      socket.on('error', (error) => {
        failure = error;
      });
      socket.setEncoding('utf8').on('data', (text: string) => {
        answer += text;
      });
      socket.write(`${head}Host: x\r\n${connection}\r\n\r\n`);
      await once(socket, 'data');
      // More than the buffers of both ends hold: writing ends only if somebody reads.
      const piece = Buffer.alloc(64 * 1024, ' ');
      const pieces = BODY_LIMIT_BYTES / piece.length - 1;
      for (let n = 0; n < pieces; n++) {
        const bytes = head.includes('chunked')
          ? Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')])
          : piece;
        if (!socket.write(bytes))
          await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
      }
      assert.deepEqual([failure, socket.destroyed], [undefined, false]);
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
      socket.destroy();
      await app.close();
    });
  }
}

test('without a body the connection closes when the client asks for it', async () => {
  const { app, port } = await started();
  const socket = await opened(port);
  socket.resume().write('GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await once(socket, 'close');
  await app.close();
});

function answerEarly(app: FastifyInstance): void {
  const onRequest = ({ raw }: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    keepOpenBehindUnreadBody(raw, reply.raw);
    reply.raw.writeHead(429, { 'content-length': 2 }).end('{}');
  };
  app.post('/early', { onRequest }, () => {});
}
