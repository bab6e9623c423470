/**
 * Starts the three servers and the example API, each where the quickstart has it. What a server
 * writes goes to a file in the data folder, line by line as it would to a terminal.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createExampleApi } from './example-api.ts';
import { type Data, prepareData } from './prepare-data.ts';

/** Ctrl-C, a plain kill, and a terminal that is closed, which the servers would outlive. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export const PROGRAMS = ['gateway', 'notes', 'decoys'] as const;
export type Program = (typeof PROGRAMS)[number];

export interface Place {
  readonly firstPort: number;
  readonly folder: string;
}

export interface Servers {
  readonly data: Data;
  readonly urls: Readonly<Record<Program | 'api', string>>;
  /** Rejects when one of them ends by itself. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FIRST_PORT = 2019;
const LOOK_MS = 50;
/** Longer than three starts take on any machine; a server that ends by itself is noticed at once. */
const PATIENCE_MS = 300_000;

/** Where the quickstart lies: `QUICKSTART_PORT` is the first of four ports. */
export function placeOf(env: NodeJS.ProcessEnv): Place {
  const firstPort = Number(env.QUICKSTART_PORT || FIRST_PORT);
  if (!Number.isInteger(firstPort) || firstPort < 1 || firstPort > 65_532) {
    throw new Error('QUICKSTART_PORT is not a port; give the first of four, such as 4019');
  }
  // The configuration names the ports, so that other ports are another folder.
  const folder = firstPort === FIRST_PORT ? 'data' : join('data', String(firstPort));
  return { firstPort, folder: env.QUICKSTART_DATA || join(ROOT, folder) };
}

export function urlsOf({ firstPort }: Place): Servers['urls'] {
  const url = (offset: number) => `http://127.0.0.1:${firstPort + offset}`;
  return { gateway: url(0), notes: url(1), decoys: url(2), api: url(3) };
}

export function logFile({ folder }: Place, program: Program): string {
  return join(folder, 'logs', `${program}.jsonl`);
}

/** Throws one sentence that says what is wrong and what to do. */
export async function startServers(place: Place): Promise<Servers> {
  const urls = urlsOf(place);
  for (const url of Object.values(urls)) await expectFree(Number(new URL(url).port));
  const data = prepareData(place.folder, place.firstPort);
  const api = createExampleApi(data.apiKey).listen(Number(new URL(urls.api).port), '127.0.0.1');
  await once(api, 'listening');
  const children = PROGRAMS.map((program) => launch(program, place, data));
  const stop = async () => {
    for (const { child } of children) child.kill('SIGTERM');
    await Promise.all(children.map(({ ended }) => ended));
    api.closeAllConnections();
    api.close();
  };
  const failed = Promise.race(
    children.map(async ({ program, ended }) => {
      const code = await ended;
      const why = lastProblem(place, program);
      throw new Error(`${program} ended with code ${code}: ${why}`);
    }),
  );
  failed.catch(() => {});
  const giveUp = new AbortController();
  try {
    const answers = PROGRAMS.map((program) => answering(urls[program], giveUp.signal));
    await Promise.race([failed, Promise.all(answers)]);
  } catch (error) {
    giveUp.abort();
    await stop();
    throw error;
  }
  return { data, urls, failed, stop };
}

interface Child {
  readonly program: Program;
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
}

function launch(program: Program, place: Place, data: Data): Child {
  const output = openSync(logFile(place, program), 'a', 0o600);
  const child = spawn(process.execPath, [join(ROOT, 'bin', `${program}.ts`)], {
    env: { PATH: process.env.PATH, ...environment(program, place, data) },
    stdio: ['ignore', output, 'ignore'],
  });
  // However this process ends, such as by a pipe that nobody reads any more.
  process.once('exit', () => child.kill('SIGTERM'));
  return { program, child, ended: once(child, 'close').then(([code]) => code as number | null) };
}

function environment(program: Program, place: Place, { folder, config }: Data) {
  const { gateway, notes, decoys } = urlsOf(place);
  const listen = (url: string) => url.replace('http://', '');
  switch (program) {
    case 'gateway':
      return {
        GATEWAY_CONFIG: config,
        GATEWAY_LISTEN: listen(gateway),
        GATEWAY_PUBLIC_URL: gateway,
      };
    case 'notes':
      return {
        NOTES_LISTEN: listen(notes),
        NOTES_PUBLIC_URL: notes,
        NOTES_DATA: join(folder, 'notes'),
        NOTES_USERNAME: 'demo',
        NOTES_PASSWORD: `file:${join(folder, 'password')}`,
        NOTES_GIT: 'true',
        NOTES_DECOYS_KEY: `file:${join(folder, 'decoys.key')}`,
      };
    case 'decoys':
      return { DECOYS_LISTEN: listen(decoys), DECOYS_KEY: `file:${join(folder, 'decoys.key')}` };
  }
}

async function expectFree(port: number): Promise<void> {
  const probe: Server = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
  } catch {
    throw new Error(
      `port ${port} is taken by another program, perhaps another npm start; stop it, or choose four others with QUICKSTART_PORT=4019`,
    );
  }
  probe.close();
  await once(probe, 'close');
}

/** Resolves when the server answers HTTP, whatever it answers. */
async function answering(url: string, givenUp: AbortSignal): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      return;
    } catch {
      if (givenUp.aborted) return;
      if (Date.now() > deadline) throw new Error(`${url} does not answer`);
      await delay(LOOK_MS);
    }
  }
}

/** What a server said last before it gave up. */
function lastProblem(place: Place, program: Program): string {
  const file = logFile(place, program);
  if (statSync(file).size === 0) return `it wrote nothing to ${file}`;
  const last = readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)!;
  const { message = '', problems = [] } = JSON.parse(last) as Record<string, string & string[]>;
  return [message, ...problems].join('; ');
}
