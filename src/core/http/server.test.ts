/** The server against slow clients and around its own end, with timeouts that a test can wait for. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createNodeServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  everything,
  exchange,
  lines,
  log,
  opened,
  started,
} from '../../../test/support/http/core-server.ts';
import { limitConnections } from './connection-limit.ts';
import { createServer, drain } from './server.ts';

const HEADERS = { headersTimeoutMs: 100 };
const BODY = { headersTimeoutMs: 200, requestTimeoutMs: 200 };
const slow: [what: string, timeouts: typeof HEADERS, sent: string][] = [
  ['sends nothing at all', HEADERS, ''],
  ['stops within its headers', HEADERS, 'POST /echo HTTP/1.1\r\nHost: x\r\nX-Slow: '],
  [
    'stops within its body',
    BODY,
    'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  ],
  [
    'stops between chunks',
    BODY,
    'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
  ],
];
for (const [what, timeouts, sent] of slow) {
  test(`a client that ${what} is told 408 or closed`, { timeout: 10_000 }, async () => {
    const { app, port } = await started(undefined, timeouts);
    const answer = await exchange(port, sent);
    assert.match(answer, /^(HTTP\/1\.1 408 |$)/);
    await app.close();
  });
}

test('an error of the server is logged and told to nobody', async () => {
  const { app } = await started((routes) => {
    routes.get('/fails', async () => {
      throw new Error('the inner cause');
    });
  });
  const response = await app.inject('/fails');
  assert.equal(response.statusCode, 500);
  assert.doesNotMatch(response.body, /inner cause/);
  assert.match(lines.at(-1) ?? '', /"event":"internal_error","message":"the inner cause"/);
  await app.close();
});

const refused: [what: string, request: object, status: number, error: string][] = [
  ['an unknown path', { url: '/nowhere' }, 404, 'not_found'],
  ['a path with a broken escape', { url: '/%zz' }, 400, 'bad_request'],
  ['a body that is not JSON', post('{', 'application/json'), 400, 'bad_request'],
  ['another content type', post('x', 'image/png'), 415, 'unsupported_media_type'],
  ['9 MiB', post(`"${'x'.repeat(9 << 20)}"`, 'application/json'), 413, 'request_too_large'],
];
for (const [what, request, status, error] of refused) {
  test(`${what} is ${status} ${error}`, async () => {
    const { app } = await started();
    const response = await app.inject(request);
    assert.equal(response.statusCode, status);
    assert.deepEqual(Object.keys(response.json()), ['error', 'message']);
    assert.equal(response.json().error, error);
    await app.close();
  });
}

const UNASKED = ['application/json', 'text/plain', 'image/png'];
for (const type of UNASKED) {
  test(`a body of ${type} for a path that does not exist is never read`, {
    timeout: 10_000,
  }, async () => {
    const { app, port } = await started();
    const head = `POST /x HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 8000000\r\n\r\n`;
    const socket = await opened(port);
    const answered = once(socket, 'data');
    socket.write(`${head}[{`);
    assert.match(String((await answered)[0]), /^HTTP\/1\.1 404 /);
    socket.destroy();
    await app.close();
  });
}

const TOO_LARGE = 9 << 20;
const FRAMES: [how: string, header: string, frame: (body: string) => string][] = [
  ['announced', `Content-Length: ${TOO_LARGE}`, (body) => body],
  [
    'not announced',
    'Transfer-Encoding: chunked',
    (body) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ],
];
for (const [how, header, frame] of FRAMES) {
  test(`a client that is told its body is too large can send it to the end, its size ${how}`, {
    timeout: 10_000,
  }, async () => {
    const { app, port } = await started((routes) => {
      routes.get('/healthy', async () => 'still here');
    });
    const socket = await opened(port);
    const answers = everything(socket);
    socket.write(
      `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${header}\r\n\r\n`,
    );
    socket.write(frame('x'.repeat(TOO_LARGE)));
    socket.write('GET /healthy HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    assert.match(await answers, /^HTTP\/1\.1 413 .*"request_too_large".*still here$/s);
    await app.close();
  });
}

test('one source leaves places for others, and a trusted proxy is not limited', async () => {
  const server = createNodeServer((_request, response) => void response.end('ok'));
  let trusted = false;
  limitConnections(server, () => trusted, 2);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const kept = [await opened(port), await opened(port)];
  const third = await opened(port);
  await once(third, 'close');
  kept[0]!.destroy();
  while ((await openOf(server)) > 1) await setImmediate();
  kept.push(await opened(port));
  assert.match(await sent(kept.at(-1)!), /ok$/);
  trusted = true;
  const beyond = await opened(port);
  assert.match(await sent(beyond), /ok$/);
  for (const socket of kept) socket.destroy();
  server.close();
});

const openOf = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));

/** What comes back for a request after which the connection closes. */
function sent(socket: Socket): Promise<string> {
  const answer = everything(socket);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  return answer;
}

test('a drain waits for every answer that was asked for in a row', {
  timeout: 10_000,
}, async () => {
  const finish: (() => void)[] = [];
  const { app, port } = await started((routes) => {
    routes.get('/slow', () => new Promise((resolve) => finish.push(() => resolve('done'))));
  });
  const socket = await opened(port);
  const answers = everything(socket);
  socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
  while (finish.length < 3) await setImmediate();
  const drained = drain(app, 60_000);
  for (const end of finish.toReversed()) {
    end();
    await setImmediate();
  }
  await drained;
  assert.equal((await answers).match(/done/g)?.length, 3);
});

test('a drain waits for a running answer and closes its kept-alive connection behind it', {
  timeout: 10_000,
}, async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: answer, resolve: answerWith } = Promise.withResolvers<string>();
  const { app, port } = await started((routes) => {
    routes.get('/held', async () => {
      arrive();
      return answer;
    });
  });
  const socket = await opened(port);
  const received = everything(socket);
  socket.write('GET /held HTTP/1.1\r\nHost: x\r\n\r\n');
  await arrived;
  const drained = drain(app, 60_000);
  while (app.server.listening) await setImmediate();
  answerWith('whole');
  assert.match(await received, /whole$/);
  await drained;
});

/** What was sent when the server is told to stop, and no call has come of it. */
const unasked: [what: string, sent: string, isSeen: (socket: Socket) => boolean][] = [
  ['nothing was sent', '', () => true],
  ['half a head was sent', 'GET / HT', ({ bytesRead }) => bytesRead > 0],
  [
    'half a head followed an answer',
    'GET /healthy HTTP/1.1\r\nHost: x\r\n\r\nGET / HT',
    ({ bytesWritten }) => bytesWritten > 0,
  ],
  [
    'half a body was sent',
    'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    ({ bytesRead }) => bytesRead > 0,
  ],
];
for (const [what, text, isSeen] of unasked) {
  test(`a drain does not wait for a connection on which ${what}`, { timeout: 10_000 }, async () => {
    const { app, port } = await started((routes) => {
      routes.get('/healthy', async () => 'ok');
    });
    const accepted = once(app.server, 'connection');
    const socket = await opened(port);
    const [ours] = (await accepted) as [Socket];
    const received = everything(socket);
    socket.write(text);
    while (!isSeen(ours)) await setImmediate();
    await drain(app, 60_000);
    await received;
  });
}

test('a drain cuts what outlasts the grace', async () => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const { app, port } = await started((routes) => {
    routes.get('/hangs', () => {
      arrive();
    });
  });
  const socket = await opened(port);
  const received = everything(socket);
  socket.write('GET /hangs HTTP/1.1\r\nHost: x\r\n\r\n');
  await arrived;
  await drain(app, 10);
  assert.equal(await received, '');
});

function post(payload: string, type: string): object {
  return { method: 'POST', url: '/echo', payload, headers: { 'content-type': type } };
}

test('no compiler of schemas is loaded, and a route that asks for one is refused', async () => {
  const app = createServer({ log });
  app.get('/', { schema: { querystring: { type: 'object' } } }, async () => 'answer');
  await assert.rejects(async () => app.ready(), /check the request in the route/);
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  assert.ok(loaded.some((path) => path.includes('/node_modules/fastify/')));
  assert.deepEqual(
    loaded.filter((path) => path.includes('/node_modules/ajv/')),
    [],
  );
});
