/**
 * How `notes reindex` hands its work to a running server: a socket in the data directory that
 * only the user of the server (and root) can connect to, from the moment it exists. No tool
 * reaches it: it lies beside the vaults, in none.
 *
 * One line of JSON asks, lines of JSON answer: the progress, and how it ended.
 */
import { once } from 'node:events';
import { closeSync, lstatSync, openSync, unlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { describeError, type Log } from '../core/log/log.ts';
import type { IndexState } from './index/note-index.ts';
import type { OpenVaults } from './vaults/open-vaults.ts';

export const REINDEX = '{"command":"reindex"}';

export type ReindexMessage =
  | { readonly vault: string; readonly state: IndexState; readonly isDone: boolean }
  | { readonly ended: 'done' }
  | { readonly ended: 'failed'; readonly message: string };

const SOCKET = '.notes.sock';
/** The kernel takes no longer path than this. */
const MAX_PATH_LENGTH = 100;
const OWNER_ALONE = 0o177;
/** An answer is for a person's eyes. */
const PROGRESS_MS = 100;
/** How long a stop waits for somebody to read how it ended. */
const LAST_WORD_MS = 500;
const MAX_REQUEST = 1_024;

/** Gives the way to the socket to `use`; a long way is made short through an open directory. */
export async function atSocket<T>(data: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(data, SOCKET);
  if (Buffer.byteLength(path) <= MAX_PATH_LENGTH) return use(path);
  const directory = openSync(data, 'r');
  try {
    return await use(`/proc/self/fd/${directory}/${SOCKET}`);
  } finally {
    closeSync(directory);
  }
}

export class ReindexSocket {
  readonly #server: Server;
  readonly #path: string;
  readonly #vaults: OpenVaults;
  readonly #log: Log;
  readonly #connections = new Set<Socket>();
  #turn: Promise<void> = Promise.resolve();
  #isClosing = false;

  private constructor(data: string, vaults: OpenVaults, log: Log) {
    this.#path = join(data, SOCKET);
    this.#vaults = vaults;
    this.#log = log;
    this.#server = createServer((connection) => this.#serve(connection));
  }

  /** The data directory is locked by then, so a socket that lies there is of a server that died. */
  static async open(data: string, vaults: OpenVaults, log: Log): Promise<ReindexSocket> {
    const socket = new ReindexSocket(data, vaults, log);
    socket.#removeStale();
    await atSocket(data, async (path) => {
      // The socket is made within this call; a file that another thread makes meanwhile is as private.
      const mask = process.umask(OWNER_ALONE);
      try {
        socket.#server.listen(path);
      } finally {
        process.umask(mask);
      }
      await once(socket.#server, 'listening');
    });
    return socket;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    const message = 'the server was stopped; the index build resumes at its next start';
    for (const connection of this.#connections) tell(connection, { ended: 'failed', message });
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const connection of this.#connections) connection.destroySoon();
    const cut = setTimeout(() => {
      for (const connection of this.#connections) connection.destroy();
    }, LAST_WORD_MS);
    await closed;
    clearTimeout(cut);
    this.#removeStale();
  }

  #serve(connection: Socket): void {
    this.#connections.add(connection);
    connection.on('close', () => this.#connections.delete(connection));
    // Whoever asked may go; the work goes on.
    connection.on('error', () => {});
    let text = '';
    connection.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end < 0 && text.length < MAX_REQUEST) return;
      connection.removeAllListeners('data').resume();
      if (text.slice(0, end) === REINDEX) this.#enqueue(connection);
      else connection.destroy();
    });
  }

  /** One after the other: whoever asks later may mean files that the first has read already. */
  #enqueue(connection: Socket): void {
    this.#turn = this.#turn.then(async () => {
      if (this.#isClosing) return;
      const ended = await this.#reindex(connection);
      if (!this.#isClosing) tell(connection, ended);
      connection.end();
    });
  }

  async #reindex(connection: Socket): Promise<ReindexMessage> {
    this.#log.info('reindex_started', { vaults: this.#vaults.names() });
    try {
      for (const vault of this.#vaults.names()) {
        const open = this.#vaults.get(vault);
        let toldMs = 0;
        await open.reindex((state) => {
          const nowMs = performance.now();
          // Somebody who does not read would have it all gathered for him.
          if (nowMs - toldMs < PROGRESS_MS || connection.writableNeedDrain) return;
          toldMs = nowMs;
          tell(connection, { vault, state, isDone: false });
        });
        if (this.#isClosing) break;
        tell(connection, { vault, state: open.index.state(), isDone: true });
      }
      return { ended: 'done' };
    } catch (error) {
      const message = describeError(error);
      if (!this.#isClosing) this.#log.error('index_problem', { message });
      return { ended: 'failed', message };
    }
  }

  /** Anything that is no socket is not ours, and stays. */
  #removeStale(): void {
    if (lstatSync(this.#path, { throwIfNoEntry: false })?.isSocket()) unlinkSync(this.#path);
  }
}

function tell(connection: Socket, message: ReindexMessage): void {
  if (connection.writable) connection.write(`${JSON.stringify(message)}\n`);
}
