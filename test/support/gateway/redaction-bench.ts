/**
 * One user with secrets, one upstream that answers with any bytes, and what the model is shown
 * of them: the setting of every test of redaction.
 */
import type { RequestArguments } from '../../../src/gateway/request/request.ts';
import { type RawUpstream, type Script, startRawUpstream } from '../http/raw-upstream.ts';
import { callTool } from './gateway.ts';
import { type SignedIn, startSignedIn } from './signed-in.ts';

export interface Shown {
  /** The refusal code, when the gateway refused. */
  readonly error: string | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body, decoded where it was given as base64. */
  readonly bytes: Buffer;
  readonly encoding: string | undefined;
  readonly truncated: boolean;
  /** The whole answer of the gateway, as text. */
  readonly raw: string;
}

export interface RedactionBench {
  readonly upstream: RawUpstream;
  readonly signedIn: SignedIn;
  /** What the model is shown when the upstream answers with this script. */
  ask(script: Script, args?: Partial<RequestArguments>): Promise<Shown>;
  close(): Promise<void>;
}

export interface BenchOptions {
  readonly secrets: Readonly<Record<string, string>>;
  /** Fields of the target, beside id, description and base URL. */
  readonly target?: object;
  /** Fields of targets that are matched before it, by path. */
  readonly before?: readonly object[];
  readonly env?: Record<string, string>;
}

export const USER = 'alice';

export async function startRedactionBench(options: BenchOptions): Promise<RedactionBench> {
  const upstream = await startRawUpstream();
  const targets = [...(options.before ?? []), options.target ?? {}].map((fields, index) => ({
    ...{ id: `target-${index}`, description: 'd', base_url: upstream.url },
    ...fields,
  }));
  const signedIn = await startSignedIn(
    {
      server: { allow_networks: ['127.0.0.0/8'] },
      users: [{ name: USER, secrets: options.secrets, targets }],
    },
    options.env,
  );
  return {
    upstream,
    signedIn,
    ask: (script, args) => {
      upstream.script = script;
      return request(signedIn, USER, { url: `${upstream.url}/`, ...args });
    },
    close: async () => {
      await signedIn.gateway.stop();
      await upstream.close();
    },
  };
}

/** Calls `http_request`; calls may overlap. */
export async function request(
  signedIn: SignedIn,
  user: string,
  args: RequestArguments,
): Promise<Shown> {
  const { gateway } = signedIn;
  const { value, raw } = await callTool(gateway.url, signedIn.token(user), 'http_request', args);
  const body = typeof value.body === 'string' ? value.body : '';
  return {
    error: value.error as string | undefined,
    status: value.status as number,
    headers: (value.headers ?? {}) as Record<string, string>,
    body,
    bytes: Buffer.from(body, value.body_encoding === 'base64' ? 'base64' : 'utf8'),
    encoding: value.body_encoding as string | undefined,
    truncated: value.truncated === true,
    raw,
  };
}

/** Answers with a status line, these header lines and this body, whose length is declared. */
export function answer(
  body: string | Uint8Array,
  headers: readonly string[] = [],
  statusLine = 'HTTP/1.1 200 OK',
): Script {
  const bytes = Buffer.from(body as string);
  const head = [statusLine, ...headers, `Content-Length: ${bytes.length}`];
  return (socket) => {
    socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes]));
  };
}

/** Answers in chunks of the HTTP framing, each of which reaches the gateway's reader by itself. */
export function chunked(
  pieces: Iterable<string | Uint8Array>,
  headers: readonly string[] = [],
  trailers: readonly string[] = [],
): Script {
  const head = ['HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', ...headers];
  const parts = [Buffer.from(`${head.join('\r\n')}\r\n\r\n`)];
  for (const piece of pieces) {
    const bytes = Buffer.from(piece as string);
    parts.push(Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n'));
  }
  parts.push(Buffer.from(['0', ...trailers, '', ''].join('\r\n')));
  return (socket) => {
    socket.write(Buffer.concat(parts));
  };
}

/** Answers with exactly these bytes and closes the connection. */
export function closing(...parts: (string | Uint8Array)[]): Script {
  return (socket) => {
    socket.end(Buffer.concat(parts.map((part) => Buffer.from(part as string))));
  };
}

/** Every piece of the text with this many characters. */
export function fragmentsOf(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, index) =>
    text.slice(index, index + length),
  );
}
