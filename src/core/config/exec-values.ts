/**
 * Values that a program prints: `exec:<program> <arguments…>`, for secret stores with a command line.
 *
 * Prevents shell injection (CWE-78): there is no shell, and the program is an absolute path. It gets
 * only the variables PATH, HOME, LANG and those of `exec_env`. Time and output are limited.
 */
import { isUtf8 } from 'node:buffer';
import type { ExecFileException } from 'node:child_process';
import { Redactor } from '../redactor/redactor.ts';
import { Secret } from '../secrets/secret.ts';
import type { Resolved, ValuePrograms } from './value.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;
const MAX_CONCURRENT = 8;
const MAX_STDERR = 2_000;
const ENVIRONMENT = ['PATH', 'HOME', 'LANG'];

export class ExecValues implements ValuePrograms {
  /** By command: what it printed, or what went wrong. */
  readonly #results = new Map<string, Resolved>();
  readonly #wanted = new Set<string>();
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #timeoutMs: number;
  #names: readonly string[] = [];
  #complaints: { readonly program: string; readonly text: string }[] = [];

  constructor(env: Readonly<Record<string, string | undefined>>, timeoutMs = TIMEOUT_MS) {
    this.#env = env;
    this.#timeoutMs = timeoutMs;
  }

  allowEnvironment(names: readonly string[]): void {
    this.#names = names;
  }

  /** `skipped` until the program has run. */
  resolve(command: string): Resolved {
    const words = wordsOf(command);
    if (typeof words === 'string') return { kind: 'problem', message: words };
    this.#wanted.add(command);
    return this.#results.get(command) ?? { kind: 'skipped' };
  }

  /** Runs the wanted programs that have no result yet; false if there were none. */
  async run(): Promise<boolean> {
    const queue = [...this.#wanted].filter((command) => !this.#results.has(command));
    const commands = queue.length;
    const worker = async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        this.#results.set(next, await this.#execute(next));
      }
    };
    await Promise.all(Array.from({ length: Math.min(commands, MAX_CONCURRENT) }, worker));
    return commands > 0;
  }

  /** Before a reload: `everything` or only what failed will run again. */
  begin(everything: boolean): void {
    for (const [command, { kind }] of this.#results) {
      const isKept = kind === 'plain' && !everything && this.#wanted.has(command);
      if (!isKept) this.#results.delete(command);
    }
    this.#wanted.clear();
  }

  /** What the programs wrote to standard error; values that any of them printed are redacted. */
  takeComplaints(): { readonly program: string; readonly text: string }[] {
    const printed = [...this.#results.values()].flatMap((result) =>
      result.kind === 'plain' ? new Secret('exec', result.text) : [],
    );
    const redactor = Redactor.of(printed);
    const complaints = this.#complaints.map(({ program, text }) => {
      return { program, text: redactor.text(text).text.slice(0, MAX_STDERR) };
    });
    this.#complaints = [];
    return complaints;
  }

  async #execute(command: string): Promise<Resolved> {
    // Loaded on demand: few configurations run programs.
    const { execFile } = await import('node:child_process');
    const [program = '', ...args] = wordsOf(command);
    const names = [...ENVIRONMENT, ...this.#names].filter((name) => this.#env[name] !== undefined);
    const env = Object.fromEntries(names.map((name) => [name, this.#env[name]]));
    const limits = {
      timeout: this.#timeoutMs,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_BYTES,
    } as const;
    return new Promise((resolve) => {
      const child = execFile(
        program,
        args,
        { env, cwd: '/', encoding: 'buffer', ...limits },
        (error, stdout, stderr) => {
          const text = stderr.toString('utf8').trim();
          if (text !== '') this.#complaints.push({ program, text });
          resolve(error ? { kind: 'problem', message: reason(error) } : printedValue(stdout));
        },
      );
      // A program that prompts gets the end of its input.
      child.stdin?.on('error', () => {});
      child.stdin?.end();
    });
  }
}

/** The words between spaces, with double quotes as groups; a problem as a text. */
function wordsOf(command: string): string[] | string {
  if ((command.match(/"/g)?.length ?? 0) % 2 !== 0) return 'exec: has a double quote too many';
  const words = [...command.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map(([word]) =>
    word.replaceAll('"', ''),
  );
  if (words[0]?.startsWith('/')) return words;
  return 'exec: must be followed by the absolute path of a program; write literal:exec:… for a value that begins so';
}

function reason(error: ExecFileException): string {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'the program wrote over 64 KiB';
  if (error.killed || error.signal === 'SIGKILL') return 'the program took longer than 10 s';
  if (error.code === 'ENOENT') return 'there is no such program';
  if (error.code === 'EACCES') return 'the program is not executable';
  if (typeof error.code === 'number') return `the program failed with the status ${error.code}`;
  return `the program failed (${error.signal ?? error.code ?? 'unknown'})`;
}

function printedValue(stdout: Buffer): Resolved {
  if (!isUtf8(stdout)) return { kind: 'problem', message: 'the program printed no UTF-8 text' };
  const text = stdout.toString('utf8').replace(/\r?\n$/, '');
  return text === ''
    ? { kind: 'problem', message: 'the program printed nothing' }
    : { kind: 'plain', text };
}
