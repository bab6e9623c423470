import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { recordingLog, temporaryDirectory } from '../../test/support/notes/notes-storage.ts';
import { atSocket, REINDEX, ReindexSocket } from './reindex-socket.ts';
import type { OpenVaults } from './vaults/open-vaults.ts';

const VAULTS = Array.from({ length: 20 }, (_, index) => `vault-${index}`);
/** Longer than what the system holds for somebody who does not read. */
const LONG = { state: 'building', reason: 'x'.repeat(1_000_000) };

/** Somebody who has asked, and does not read the answer. */
async function suspended(
  t: TestContext,
  open: object,
): Promise<{ socket: ReindexSocket; client: Socket }> {
  const data = await temporaryDirectory(t);
  const vaults = { names: () => VAULTS, get: () => open } as unknown as OpenVaults;
  const socket = await ReindexSocket.open(data, vaults, recordingLog().log);
  const client = await atSocket(data, async (path) => {
    const connected = createConnection(path);
    await once(connected, 'connect');
    return connected;
  });
  t.after(() => client.destroy());
  client.pause().write(`${REINDEX}\n`);
  return { socket, client };
}

test('a client that does not read keeps no server from stopping', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const never = new Promise<void>(() => {});
  const reindex = async (progress: (state: object) => void) => {
    progress(LONG);
    resolve();
    await never;
  };
  const { socket } = await suspended(t, { reindex });
  await promise;
  await socket.close();
});

test('progress that a client does not read is left out, how it ended is not', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = VAULTS.length;
  const reindex = async (progress: (state: object) => void) => {
    progress(LONG);
    if (--left === 0) resolve();
  };
  const { socket, client } = await suspended(t, {
    reindex,
    index: { state: () => ({ state: 'ready' }) },
  });
  t.after(() => socket.close());
  await promise;
  const lines = (await text(client)).trimEnd().split('\n');
  const messages = lines.map((line) => JSON.parse(line));
  assert.equal(messages.filter(({ isDone }) => isDone === false).length, 1);
  assert.equal(messages.filter(({ isDone }) => isDone).length, VAULTS.length);
  assert.deepEqual(messages.at(-1), { ended: 'done' });
});
