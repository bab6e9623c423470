/**
 * The socket through which `notes reindex` asks a running server to rebuild the index. Prevents
 * access by other local users: the socket is created with mode 0600. It is in no vault, so no tool
 * can reach it. The request is one line of JSON; the responses are lines of JSON.
 */
import { once } from 'node:events';
import { closeSync, lstatSync, openSync, unlinkSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { describeError, type Log } from '../core/log/log.ts';
import type { SemanticState } from './embeddings/vault-embeddings.ts';
import type { IndexState } from './index/note-index.ts';
import type { OpenVaults } from './vaults/open-vaults.ts';

export const REINDEX = '{"command":"reindex"}';

export type ReindexMessage =
  | { readonly vault: string; readonly state: IndexState; readonly isDone: boolean }
  | { readonly vault: string; readonly semantic: SemanticState }
  | { readonly ended: 'done' }
  | { readonly ended: 'failed'; readonly message: string };

const SOCKET = '.notes.sock';
/** The limit of the kernel. */
const MAX_PATH_LENGTH = 100;
const OWNER_ONLY_UMASK = 0o177;
const PROGRESS_MS = 100;
/** How long a stop waits for clients to read the result. */
const CLOSE_TIMEOUT_MS = 500;
const MAX_REQUEST = 1_024;

/** Calls `use` with the path of the socket; a path that is too long is shortened through /proc. */
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

  /** The data directory must be locked, so an existing socket is stale. */
  static async open(data: string, vaults: OpenVaults, log: Log): Promise<ReindexSocket> {
    const socket = new ReindexSocket(data, vaults, log);
    socket.#removeStale();
    await atSocket(data, async (path) => {
      // `listen` creates the socket synchronously, under this umask.
      const mask = process.umask(OWNER_ONLY_UMASK);
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
    for (const connection of this.#connections) send(connection, { ended: 'failed', message });
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const connection of this.#connections) connection.destroySoon();
    const cut = setTimeout(() => {
      for (const connection of this.#connections) connection.destroy();
    }, CLOSE_TIMEOUT_MS);
    await closed;
    clearTimeout(cut);
    this.#removeStale();
  }

  #serve(connection: Socket): void {
    this.#connections.add(connection);
    connection.on('close', () => this.#connections.delete(connection));
    // The work continues if the client disconnects.
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

  /** One at a time: a later request may be about files that an earlier one has read already. */
  #enqueue(connection: Socket): void {
    this.#turn = this.#turn.then(async () => {
      if (this.#isClosing) return;
      const ended = await this.#reindex(connection);
      if (!this.#isClosing) send(connection, ended);
      connection.end();
    });
  }

  async #reindex(connection: Socket): Promise<ReindexMessage> {
    this.#log.info('reindex_started', { vaults: this.#vaults.names() });
    try {
      for (const vault of this.#vaults.names()) {
        const open = this.#vaults.get(vault);
        let sentMs = 0;
        await open.reindex((state) => {
          const nowMs = performance.now();
          // Progress is not buffered for a client that does not read.
          if (nowMs - sentMs < PROGRESS_MS || connection.writableNeedDrain) return;
          sentMs = nowMs;
          send(connection, { vault, state, isDone: false });
        });
        if (this.#isClosing) break;
        send(connection, { vault, state: open.index.state(), isDone: true });
        const { meaning } = open;
        if (meaning === undefined) continue;
        await meaning.settled((semantic) => {
          const isProgress = semantic.state === 'building' && !connection.writableNeedDrain;
          if (isProgress) send(connection, { vault, semantic });
        });
        send(connection, { vault, semantic: meaning.state() });
      }
      return { ended: 'done' };
    } catch (error) {
      const message = describeError(error);
      if (!this.#isClosing) this.#log.error('index_problem', { message });
      return { ended: 'failed', message };
    }
  }

  /** Anything but a socket is kept. */
  #removeStale(): void {
    if (lstatSync(this.#path, { throwIfNoEntry: false })?.isSocket()) unlinkSync(this.#path);
  }
}

function send(connection: Socket, message: ReindexMessage): void {
  if (connection.writable) connection.write(`${JSON.stringify(message)}\n`);
}
