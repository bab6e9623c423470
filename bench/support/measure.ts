/** Child processes, their CPU time and memory, and load on them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { cpuUs, memoryKib } from '../../test/support/programs/process.ts';

export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly url: string;
  /** CPU time of all its threads so far, in microseconds. */
  cpuUs(): number;
  residentBytes(): number;
  stop(): Promise<void>;
}

/**
 * Starts a program and waits for its startup line, which names the port. Its log goes to a file, as
 * an operator's does: a pipe would wake this process for every line, in the midst of its load.
 */
export async function startChild(args: string[], env: Record<string, string> = {}): Promise<Child> {
  const log = openLog();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', log, 'inherit'],
  });
  const port = await portOf(child, log);
  closeSync(log);
  const pid = child.pid!;
  return {
    process: child,
    pid,
    url: `http://127.0.0.1:${port}`,
    cpuUs: () => cpuUs(pid),
    residentBytes: () => memoryKib(pid, 'VmRSS') * 1024,
    stop: async () => {
      child.kill('SIGTERM');
      if (isRunning(child)) await once(child, 'exit');
    },
  };
}

/** A file without a name: it is gone with the last who has it open. */
function openLog(): number {
  const directory = mkdtempSync(join(tmpdir(), 'bench-log-'));
  const log = openSync(join(directory, 'log'), 'a+');
  rmSync(directory, { recursive: true });
  return log;
}

async function portOf(child: ChildProcess, log: number): Promise<number> {
  const buffer = Buffer.alloc(64 * 1024);
  while (isRunning(child)) {
    const lines = buffer
      .toString('utf8', 0, readSync(log, buffer, 0, buffer.length, 0))
      .split('\n');
    for (const line of lines.slice(0, -1)) {
      const { event, port } = JSON.parse(line);
      if (event === 'startup') return port;
    }
    await setTimeout(1);
  }
  throw new Error(`${child.spawnargs[1]} ended with ${child.exitCode ?? child.signalCode}`);
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

export interface Call {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** The status that is expected, 200 if absent. */
  readonly status?: number;
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The call of a tool, in the modern protocol. */
export function toolCall(name: string, args: object, accessToken: string): Call {
  const call = mcpCall('tools/call', { name, arguments: args }, accessToken);
  return { ...call, headers: { ...call.headers, 'mcp-name': name } };
}

export function mcpCall(method: string, params: object, accessToken: string): Call {
  return {
    path: '/mcp',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${accessToken}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
  };
}

/** One client that calls tools, at most four at a time. */
export class ToolClient {
  readonly #pool: Pool;
  readonly #accessToken: string;

  constructor(url: string, accessToken: string) {
    this.#pool = new Pool(url, { connections: 4 });
    this.#accessToken = accessToken;
  }

  /** What the tool answers as an object; a refusal throws. */
  async call(name: string, args: object): Promise<unknown> {
    const { path, headers, body } = toolCall(name, args, this.#accessToken);
    const answer = await this.#pool.request({ path, method: 'POST', headers, body: body! });
    const { result, error } = (await answer.body.json()) as {
      result?: { isError?: boolean; structuredContent?: unknown };
      error?: unknown;
    };
    if (result === undefined || result.isError) {
      throw new Error(`${name} was refused: ${JSON.stringify(result ?? error)}`);
    }
    return result.structuredContent;
  }
}

/** The one load generator of all benchmarks: the same call again and again. */
export class Load {
  readonly #pool: Pool;
  readonly #options: Dispatcher.RequestOptions;
  readonly #status: number;

  constructor(url: string, call: Call, connections = 16) {
    this.#pool = new Pool(url, { connections, headersTimeout: 60_000 });
    this.#status = call.status ?? 200;
    this.#options = {
      path: call.path,
      method: call.body === undefined ? 'GET' : 'POST',
      headers: call.headers,
      ...(call.body === undefined ? {} : { body: call.body }),
    };
  }

  async one(): Promise<string> {
    const { statusCode, body } = await this.#pool.request(this.#options);
    const text = await body.text();
    if (statusCode !== this.#status) throw new Error(`HTTP ${statusCode}: ${text.slice(0, 200)}`);
    return text;
  }

  /** As fast as `lanes` callers can go. Returns calls per second. */
  async saturate(calls: number, lanes = 16): Promise<number> {
    let left = calls;
    const startedAt = performance.now();
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        while (left-- > 0) await this.one();
      }),
    );
    return (calls * 1_000) / (performance.now() - startedAt);
  }

  /**
   * Calls at an even rate, whatever the answers take. Returns their latencies in milliseconds,
   * sorted; each counts from when its call was due, so that a slow client hides nothing.
   */
  async atRate(callsPerSecond: number, calls: number): Promise<Float64Array> {
    const latencies = new Float64Array(calls);
    const startedAt = performance.now();
    const running: Promise<void>[] = [];
    while (running.length < calls) {
      const due = ((performance.now() - startedAt) * callsPerSecond) / 1_000;
      while (running.length < Math.min(calls, due)) {
        const index = running.length;
        const dueAt = startedAt + (index * 1_000) / callsPerSecond;
        running.push(
          this.one().then(() => {
            latencies[index] = performance.now() - dueAt;
          }),
        );
      }
      await setTimeout(1);
    }
    await Promise.all(running);
    return latencies.sort();
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}

/** So many calls until V8 has compiled all that a call needs. */
export const WARM_UP_CALLS = 15_000;
const TURNS = 24;
const CALLS_A_TURN = 2_000;

/**
 * CPU time per call of several servers, in microseconds, turn by turn. All are warm, and turns
 * are short, so that a change of the machine's speed falls on neighbours alike.
 */
export async function cpuInTurns<K extends string>(
  servers: Record<K, readonly [Child, Call]>,
): Promise<Record<K, number[]>> {
  const names = Object.keys(servers) as K[];
  const turns = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    K,
    number[]
  >;
  const loads = names.map((name) => new Load(servers[name][0].url, servers[name][1]));
  for (const load of loads) await load.saturate(WARM_UP_CALLS);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [index, load] of loads.entries()) {
      const name = names[index]!;
      const [child] = servers[name];
      await load.saturate(CALLS_A_TURN / 10);
      const before = child.cpuUs();
      await load.saturate(CALLS_A_TURN);
      turns[name].push((child.cpuUs() - before) / CALLS_A_TURN);
    }
  }
  for (const load of loads) await load.close();
  return turns;
}

/** How many times the other's figure the one's is: the median of neighbouring turns. */
export function ratioOf(one: readonly number[], other: readonly number[]): number {
  return median(one.map((value, turn) => value / other[turn]!));
}

export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

export function best(values: readonly number[]): number {
  return Math.min(...values);
}

export function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}
