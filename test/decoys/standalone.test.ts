/** The server on its own: slow clients, broken ones, and connections that are kept. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { rpc, startDecoys } from './support.ts';

for (const [what, bytes] of [
  ['headers', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ['the body of a decoy', 'POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{'],
] as const) {
  test(`a client that never finishes ${what} is sent away`, async () => {
    const decoys = await startDecoys({ headersTimeoutMs: 200, requestTimeoutMs: 300 });
    const socket = connect(decoys.port, '127.0.0.1');
    socket.write(bytes);
    let answer = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
    });
    await once(socket, 'close');
    assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/);
    await decoys.close();
  });
}

test('a client that breaks off in the middle of a body harms nobody', async () => {
  const decoys = await startDecoys();
  const socket = connect(decoys.port, '127.0.0.1');
  socket.write('POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
  await once(socket, 'connect');
  socket.destroy();
  await once(socket, 'close');
  const reply = await decoys.ask('/mcp', { method: 'POST', body: rpc('ping') });
  assert.equal(reply.status, 200);
  await decoys.close();
});

test('one connection serves decoys and 404s in turn', async () => {
  const decoys = await startDecoys();
  const socket = connect(decoys.port, '127.0.0.1');
  const paths = ['/v1/models', '/nothing', '/.aws/credentials', '/nothing', '/api/ps'];
  socket.end(
    paths
      .map((path, at) => {
        const last = at === paths.length - 1 ? 'Connection: close\r\n' : '';
        return `GET ${path} HTTP/1.1\r\nHost: x\r\n${last}\r\n`;
      })
      .join(''),
  );
  let answer = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    answer += chunk;
  });
  await once(socket, 'close');
  const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
  assert.deepEqual(statuses, ['200', '404', '200', '404', '200']);
  await decoys.close();
});

test('a body to an unknown path is not waited for', async () => {
  const decoys = await startDecoys();
  const socket = connect(decoys.port, '127.0.0.1');
  socket.write('POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  assert.match(chunk.toString('latin1'), /^HTTP\/1\.1 404 /);
  socket.destroy();
  await decoys.close();
});
