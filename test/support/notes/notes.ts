/** The notes server over a data directory in the temporary folder, spoken to over HTTP. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rpc, signIn } from '../mcp/client.ts';
import { PASSWORD, PASSWORD_HASH } from '../oauth/password.ts';
import type { Cleaner } from '../programs/cleaner.ts';
import { entryOf } from '../programs/entry.ts';
import { freePort } from '../programs/free-port.ts';
import {
  type Ended,
  type ProgramProcess,
  type RunOptions,
  runProgram,
  startProgram,
} from '../programs/program.ts';
import { until } from './notes-storage.ts';

export { cleaner } from '../programs/cleaner.ts';
export { PASSWORD };

export const NOTES_ENTRY = entryOf('notes');
export const USERNAME = 'ada';

// biome-ignore lint/suspicious/noExplicitAny: every test knows the shape it asserts.
type Json = Record<string, any>;

export interface ToolAnswer {
  readonly isError: boolean;
  /** The result of a success; `{code, message, data}` of a refusal. */
  readonly value: Json;
  /** The first text block: for a refusal `code: what happened; what to do next`. */
  readonly text: string;
}

export interface NotesProcess extends ProgramProcess {
  readonly url: string;
  readonly port: number;
  /** The data directory; a vault is a directory in it. */
  readonly data: string;
  /** The bearer token of the user, who signs in at the first call. */
  token(): Promise<string>;
  /** Sends one JSON-RPC request and gives its result. */
  rpc(method: string, params?: object): Promise<Json>;
  call(tool: string, args?: object): Promise<ToolAnswer>;
  /** Resolves once every vault's first build is over. */
  indexed(): Promise<void>;
}

export interface NotesOptions {
  /** The data directory; without it an empty one that goes with the test. */
  readonly data?: string;
  /** Paths below the data directory, such as `default/a.md`, and their contents. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** More variables, or others in the place of those set here. */
  readonly env?: Readonly<Record<string, string>>;
  readonly wrapper?: readonly string[];
  readonly entry?: string;
  /** Its log level hides the startup line. */
  readonly isQuiet?: boolean;
}

export function dataDirectory(context: Cleaner): string {
  const data = realpathSync(mkdtempSync(join(tmpdir(), 'notes-test-')));
  context.after(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
  return data;
}

export function place(data: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(data, path)), { recursive: true });
    writeFileSync(join(data, path), content);
  }
}

/** The environment of a server over `data`; a port is needed only where it listens. */
export function notesEnvironment(data: string, port = 0): Record<string, string> {
  return {
    NOTES_DATA: data,
    NOTES_LISTEN: `127.0.0.1:${port}`,
    NOTES_PUBLIC_URL: `http://127.0.0.1:${port}`,
    NOTES_USERNAME: USERNAME,
    NOTES_PASSWORD: PASSWORD_HASH,
  };
}

/** Stops with the test, if the test has not stopped it before. */
export async function startNotes(
  context: Cleaner,
  options: NotesOptions = {},
): Promise<NotesProcess> {
  const data = options.data ?? dataDirectory(context);
  place(data, options.files ?? {});
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = await startProgram({
    entry: options.entry ?? NOTES_ENTRY,
    env: { ...notesEnvironment(data, port), ...options.env },
    ...(options.wrapper && { wrapper: options.wrapper }),
    ...(options.isQuiet && { running: () => until(() => answers(`${url}/healthz`)) }),
  });
  context.after(() => program.stop());

  let signedIn: Promise<string> | undefined;
  const token = () => {
    signedIn ??= signIn(url, USERNAME, PASSWORD).then(({ accessToken }) => accessToken);
    return signedIn;
  };
  const send = async (method: string, params?: object): Promise<Json> =>
    (await rpc(url, await token(), method, params)).result;
  return {
    ...program,
    url,
    port,
    data,
    token,
    rpc: send,
    call: async (name, args = {}) => {
      const { isError, content, structuredContent } = await send('tools/call', {
        name,
        arguments: args,
      });
      const value = isError ? JSON.parse(content[1].text) : structuredContent;
      return { isError: isError === true, value, text: content[0].text };
    },
    indexed: async () => {
      const startup = program.lines().find(({ event }) => event === 'startup');
      for (const vault of startup!.vaults as string[]) {
        await program.line((line) => line.event === 'index_ready' && line.vault === vault);
      }
    },
  };
}

function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Runs a command of the notes server to its end. */
export function runNotes(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return runProgram(NOTES_ENTRY, args, options);
}
