/**
 * The gateway as an operator runs it: a process of its own, started from the entry point with
 * a configuration file, spoken to over HTTP. Everything it writes is kept.
 */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const ENTRY = new URL('../../bin/gateway.ts', import.meta.url).pathname;

export interface LogLine {
  readonly event: string;
  readonly level: string;
  readonly ts: string;
  readonly [field: string]: unknown;
}

export interface GatewayProcess {
  readonly url: string;
  readonly port: number;
  readonly configPath: string;
  readonly pid: number;
  /** Everything written to standard output and standard error so far. */
  stdout(): string;
  stderr(): string;
  lines(): LogLine[];
  /** The first line, past or future, that fits. */
  line(fits: (line: LogLine) => boolean, what?: string): Promise<LogLine>;
  writeConfig(config: string): void;
  signal(name: NodeJS.Signals): void;
  readonly exited: Promise<number | null>;
  stop(): Promise<number | null>;
}

export interface GatewayOptions {
  /** The configuration; `PORT` in it is replaced by the gateway's port. */
  readonly config: string;
  readonly env?: Record<string, string>;
  /** What to run instead of the gateway's own entry point. */
  readonly entry?: string;
}

const DEADLINE_MS = 20_000;

export async function startGateway(options: GatewayOptions): Promise<GatewayProcess> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  const configPath = join(directory, 'config.yaml');
  const withPort = (config: string) => config.replaceAll('PORT', String(port));
  writeFileSync(configPath, withPort(options.config));

  const child = spawn(process.execPath, [options.entry ?? ENTRY], {
    env: {
      PATH: process.env.PATH ?? '',
      GATEWAY_CONFIG: configPath,
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      GATEWAY_PUBLIC_URL: `http://127.0.0.1:${port}`,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  const waiting = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const look of [...waiting]) look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = once(child, 'close').then(([code]) => code as number | null);

  const lines = () => parseLines(stdout);
  const gateway: GatewayProcess = {
    url: `http://127.0.0.1:${port}`,
    port,
    configPath,
    pid: child.pid!,
    stdout: () => stdout,
    stderr: () => stderr,
    lines,
    line: (fits, what = 'a log line') =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines().find(fits);
          if (!found) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(found);
        };
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(
            new Error(`${what} did not come; stdout: ${stdout.slice(-2_000)}; stderr: ${stderr}`),
          );
        }, DEADLINE_MS);
        waiting.add(look);
        look();
      }),
    writeConfig: (config) => writeFileSync(configPath, withPort(config)),
    signal: (name) => {
      child.kill(name);
    },
    exited,
    stop: async () => {
      child.kill('SIGTERM');
      const code = await exited;
      rmSync(directory, { recursive: true, force: true });
      return code;
    },
  };
  const started = gateway.line((line) => line.event === 'startup', 'the startup line');
  const early = exited.then((code) => {
    throw new Error(`the gateway ended with ${code}: ${stdout}${stderr}`);
  });
  await Promise.race([started, early]);
  early.catch(() => {});
  return gateway;
}

/** Runs a command of the gateway to its end. */
export async function runGateway(
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [ENTRY, ...args], {
    env: { PATH: process.env.PATH ?? '', ...options.env },
    stdio: 'pipe',
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
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

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Plays the person at the sign-in page: fills in the form and gives where it leads. */
export async function submitLogin(page: string, name: string, password: string): Promise<string> {
  const form = new URLSearchParams(new URL(page).searchParams);
  const html = await (await fetch(page)).text();
  const hidden = /<input[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g;
  for (const [, field, value] of html.matchAll(hidden)) form.set(field!, unescapeHtml(value!));
  form.set('username', name);
  form.set('password', password);
  const url = new URL('/authorize', page);
  const answer = await fetch(url, { method: 'POST', body: form, redirect: 'manual' });
  const location = answer.headers.get('location');
  if (!location) throw new Error(`signing in failed: ${answer.status} ${await answer.text()}`);
  return location;
}

/** Registers a client, signs in through the form and exchanges the code, as a client would. */
export async function signIn(
  base: string,
  name: string,
  password: string,
): Promise<{ accessToken: string; refreshToken: string; clientId: string }> {
  const redirect = 'http://127.0.0.1:9/callback';
  const registration = await fetch(`${base}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'test', redirect_uris: [redirect] }),
  });
  const { client_id: clientId } = (await registration.json()) as { client_id: string };
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirect,
    state: 'state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const location = await submitLogin(`${base}/authorize?${query}`, name, password);
  const code = new URL(location).searchParams.get('code')!;
  const tokens = await fetch(`${base}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      redirect_uri: redirect,
      code_verifier: verifier,
    }),
  });
  const body = (await tokens.json()) as { access_token: string; refresh_token: string };
  return { accessToken: body.access_token, refreshToken: body.refresh_token, clientId };
}

export interface ToolOutcome {
  readonly isError: boolean;
  readonly value: Record<string, unknown>;
  readonly raw: string;
}

/** Calls a tool over plain JSON-RPC and gives the object it answered with. */
export async function callTool(
  base: string,
  token: string,
  name: string,
  args: unknown = {},
): Promise<ToolOutcome> {
  const response = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    }),
  });
  const raw = await response.text();
  if (response.status !== 200) throw new Error(`the call failed: ${response.status} ${raw}`);
  const { result, error } = JSON.parse(raw);
  if (error) throw new Error(`the call failed: ${JSON.stringify(error)}`);
  return { isError: result.isError === true, value: JSON.parse(result.content[0].text), raw };
}

/** Resolves once the gateway has written that many lines of these events. */
export async function linesOf(
  gateway: GatewayProcess,
  events: readonly string[],
  count: number,
): Promise<LogLine[]> {
  const found = () => gateway.lines().filter((line) => events.includes(line.event));
  await gateway.line(() => found().length >= count, `line ${count} of ${events.join(' or ')}`);
  return found();
}

/** The messages on a session's stream, one after the other; undefined once it is closed. */
export async function openStream(
  base: string,
  token: string,
): Promise<{ next(): Promise<unknown>; close(): void }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't' } };
  const opened = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  const session = opened.headers.get('mcp-session-id')!;
  const aborter = new AbortController();
  const stream = await fetch(`${base}/mcp`, {
    headers: { ...headers, accept: 'text/event-stream', 'mcp-session-id': session },
    signal: aborter.signal,
  });
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    next: async () => {
      for (;;) {
        const match = /^data: (.*)$/m.exec(text);
        if (match) {
          text = text.slice(match.index + match[0].length);
          return JSON.parse(match[1]!);
        }
        const { done, value } = await reader.read();
        if (done) return undefined;
        text += value;
      }
    },
    close: () => aborter.abort(),
  };
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
