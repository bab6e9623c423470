/**
 * `reindex`: rebuilds the index of every vault from its files. A running server does it itself,
 * asked through its socket; without one, this process takes the lock and does it.
 */
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Output } from '../../core/command-line/output.ts';
import type { Environment } from '../../core/config/environment.ts';
import { describeError } from '../../core/log/log.ts';
import { dataDirectory } from '../config.ts';
import { errorCode } from '../files/storage-error.ts';
import { NoteIndex } from '../index/note-index.ts';
import { fullTextProblem } from '../index/store/full-text-problem.ts';
import { IndexWorkers } from '../index/workers/index-workers.ts';
import { atSocket, REINDEX, type ReindexMessage } from '../reindex-socket.ts';
import { dataDirectoryProblem, INDEX_FILE, vaultProblem } from '../vaults/data-directory.ts';
import {
  dataWarnings,
  readDataFolders,
  vaultItselfProblem,
  vaultNames,
} from '../vaults/data-folders.ts';
import { DataDirectoryInUse, DataLock, LOCK_FILE } from '../vaults/data-lock.ts';
import { Progress, type Screen } from './progress.ts';

const ATTEMPTS = 25;
const RETRY_MS = 200;

export async function reindex(env: Environment, output: Output, screen: Screen): Promise<number> {
  const data = dataDirectory(env);
  const progress = new Progress(screen);
  try {
    const problem = dataDirectoryProblem(data) ?? fullTextProblem();
    if (problem !== undefined) throw new Error(problem);
    const folders = await readDataFolders(data);
    if (folders.isVault !== undefined) throw new Error(vaultItselfProblem(data, folders.isVault));
    for (const warning of dataWarnings(data, folders)) output.err(`warning: ${warning}`);
    // A lock file means that a server has run here, and root may ask a running server.
    if (!existsSync(join(data, LOCK_FILE))) refuseForeign(data);
    await reindexOnce(data, progress);
    return 0;
  } catch (error) {
    progress.clear();
    output.err(describeError(error));
    return 1;
  }
}

/** A server that starts or stops holds the lock for a moment without an open socket. */
async function reindexOnce(data: string, progress: Progress): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const lock = lockUnlessServed(data);
    if (lock !== undefined) return rebuildAll(data, progress).finally(() => lock.release());
    const socket = await atSocket(data, (path) => connected(path, data));
    if (socket !== undefined) return askServer(socket, progress);
    if (attempt === ATTEMPTS) {
      throw new Error(
        `another process uses ${data}, but takes no work; it may be another reindex: try again later`,
      );
    }
    await delay(RETRY_MS);
  }
}

function lockUnlessServed(data: string): DataLock | undefined {
  try {
    return DataLock.take(data);
  } catch (error) {
    if (error instanceof DataDirectoryInUse) return undefined;
    throw error;
  }
}

async function askServer(socket: Socket, progress: Progress): Promise<void> {
  socket.write(`${REINDEX}\n`);
  // A connection that breaks ends the lines; what is missing then is reported below.
  socket.on('error', () => {});
  for await (const line of createInterface({ input: socket })) {
    const message = JSON.parse(line) as ReindexMessage;
    if ('semantic' in message) progress.showMeaning(message.vault, message.semantic);
    else if ('vault' in message) progress.show(message.vault, message.state, message.isDone);
    else if (message.ended === 'failed') throw new Error(message.message);
    else return;
  }
  throw new Error('the server ended before the index was complete; start it, or run reindex again');
}

/** Undefined if no server listens. */
async function connected(path: string, data: string): Promise<Socket | undefined> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    if (errorCode(error) !== 'EACCES') return undefined;
    const { uid } = statSync(path);
    throw new Error(`the server of ${data} runs as uid ${uid}; run reindex as that user`);
  }
}

async function rebuildAll(data: string, progress: Progress): Promise<void> {
  const names = await vaultNames(data);
  for (const name of names) checkVault(data, name);
  const workers = new IndexWorkers();
  try {
    for (const name of names) {
      const root = join(data, name);
      const index = await NoteIndex.open({
        root,
        file: join(root, INDEX_FILE),
        workers,
        onState: (state) => progress.show(name, state, false),
      });
      await index.rebuild();
      progress.show(name, index.state(), true);
      await index.close();
    }
  } finally {
    await workers.close();
  }
  if (names.length === 0) progress.say(`there is no vault in ${data}; nothing to index`);
}

function checkVault(data: string, name: string): void {
  const problem = vaultProblem(data, name);
  if (problem !== undefined) throw new Error(problem);
  refuseForeign(join(data, name));
}

/** Files that root creates would keep the server of another user from starting. */
function refuseForeign(directory: string): void {
  const { uid, gid } = statSync(directory);
  if (process.getuid?.() !== 0 || uid === 0) return;
  throw new Error(
    `${directory} is owned by ${uid}:${gid}; run reindex as that user, or the server could not write the index`,
  );
}
