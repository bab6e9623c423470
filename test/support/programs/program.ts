/**
 * A program as an operator runs it: a separate process, started from its entry point with its
 * environment. Everything it writes is kept.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PATIENCE_MS } from './patience.ts';

export interface LogLine {
  readonly event: string;
  readonly level: string;
  readonly ts: string;
  readonly [field: string]: unknown;
}

export interface ProgramProcess {
  readonly pid: number;
  /** Everything written to standard output and standard error so far. */
  stdout(): string;
  stderr(): string;
  lines(): LogLine[];
  /** The first line, past or future, that fits. */
  line(fits: (line: LogLine) => boolean, what?: string): Promise<LogLine>;
  /** The lines, past and future, that fit, once there are so many. */
  linesThat(fits: (line: LogLine) => boolean, count: number, what?: string): Promise<LogLine[]>;
  signal(name: NodeJS.Signals): void;
  readonly exited: Promise<number | null>;
  stop(): Promise<number | null>;
}

export interface ProgramOptions {
  /** The whole environment, but for PATH and where Node keeps what it compiled. */
  readonly env: Readonly<Record<string, string>>;
  readonly entry: string;
  /** What to run it with, such as `setpriv` and its options. */
  readonly wrapper?: readonly string[];
  /** Called when it has written something. */
  readonly onOutput?: () => void;
  /** How to tell that it runs, where its startup line is not written. */
  readonly running?: () => Promise<unknown>;
}

const { PATH = '', NODE_COMPILE_CACHE } = process.env;
const KEPT = { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };

/** Resolves once the program has said that it runs. */
export async function startProgram(options: ProgramOptions): Promise<ProgramProcess> {
  const [command, ...args] = [...(options.wrapper ?? []), process.execPath, options.entry];
  const child = spawn(command!, args, {
    env: { ...KEPT, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  const waiting = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const look of [...waiting]) look();
    options.onOutput?.();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = once(child, 'close').then(([code]) => code as number | null);

  const parsed: LogLine[] = [];
  let parsedTo = 0;
  const lines = () => {
    const end = stdout.lastIndexOf('\n') + 1;
    parsed.push(...parseLines(stdout.slice(parsedTo, end)));
    parsedTo = end;
    return [...parsed];
  };
  const linesThat: ProgramProcess['linesThat'] = (fits, count, what = 'a log line') =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = lines().filter(fits);
        if (found.length < count) return;
        end();
        resolve(found);
      };
      const giveUp = (why: string) => {
        end();
        const output = `stdout: ${stdout.slice(-2_000)}; stderr: ${stderr}`;
        reject(new Error(`${what} did not come: ${why}; ${output}`));
      };
      const timer = setTimeout(() => giveUp('too much time has passed'), PATIENCE_MS);
      const end = () => {
        clearTimeout(timer);
        waiting.delete(look);
      };
      waiting.add(look);
      look();
      void exited.then((code) => giveUp(`the program ended with ${code}`));
    });
  const program: ProgramProcess = {
    pid: child.pid!,
    stdout: () => stdout,
    stderr: () => stderr,
    lines,
    line: async (fits, what) => (await linesThat(fits, 1, what))[0]!,
    linesThat,
    signal: (name) => {
      child.kill(name);
    },
    exited,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
  const started =
    options.running?.() ?? program.line((line) => line.event === 'startup', 'the startup line');
  const early = exited.then((code) => {
    throw new Error(`the program ended with ${code}: ${stdout}${stderr}`);
  });
  try {
    await Promise.race([started, early]);
  } catch (error) {
    // Left running, it would keep the process of the tests from ending.
    child.kill('SIGKILL');
    throw error;
  }
  early.catch(() => {});
  return program;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions extends Partial<Pick<ProgramOptions, 'env' | 'wrapper'>> {
  /** What it reads from standard input. */
  readonly input?: string;
}

/** Runs a command of a program to its end. */
export async function runProgram(
  entry: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ended> {
  const [command, ...rest] = [...(options.wrapper ?? []), process.execPath, entry, ...args];
  const child = spawn(command!, rest, {
    env: { ...KEPT, ...options.env },
    stdio: 'pipe',
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A program that refuses its arguments may end before it has read anything.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

export function parseLines(text: string): LogLine[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** Resolves once the program has written that many lines of these events. */
export async function linesOf(
  program: ProgramProcess,
  events: readonly string[],
  count: number,
): Promise<LogLine[]> {
  const fits = (line: LogLine) => events.includes(line.event);
  return program.linesThat(fits, count, `line ${count} of ${events.join(' or ')}`);
}
