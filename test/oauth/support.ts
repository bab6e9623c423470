/** A real listening server with the OAuth endpoints, a protected `/mcp`, and a user or two. */
import { createHash, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { createServer } from '../../src/core/http/server.ts';
import { parseRate } from '../../src/core/limits/rate.ts';
import { createLog } from '../../src/core/log/log.ts';
import { Secret } from '../../src/core/secrets/secret.ts';
import { MemoryStore, type Store } from '../../src/core/store/store.ts';
import type { Users } from '../../src/core/users.ts';
import type { FetchClientMetadata } from '../../src/oauth/client-metadata.ts';
import { mountOAuth, type OAuthSettings } from '../../src/oauth/routes.ts';
import { cookiesOf } from '../support/mcp/client.ts';
import { freePort } from '../support/programs/free-port.ts';
import { startInProcess } from '../support/replicas/in-process.ts';
import { areReplicas, SEAL_KEY } from '../support/replicas/mode.ts';

export const CALLBACK = 'https://app.example/callback';
export const PASSWORD = 'correct horse battery staple';

export interface LogLine {
  readonly event: string;
  readonly level: string;
  readonly [field: string]: unknown;
}

export interface TestServerOptions {
  readonly users?: Users;
  readonly capacity?: number;
  readonly loginRateLimit?: string;
  readonly fetchClientMetadata?: FetchClientMetadata;
  readonly isTrustedProxy?: (address: string) => boolean;
}

export type TestServer = Awaited<ReturnType<typeof startServer>>;

export async function startServer(options: TestServerOptions = {}) {
  const clock = { ms: Date.parse('2026-11-01T12:00:00Z') };
  const now = () => clock.ms;
  const text: string[] = [];
  const log = createLog({ level: 'debug', write: (line) => text.push(line) });
  const people = new TestUsers();
  people.add('ada');
  const settings: { -readonly [name in keyof OAuthSettings]: OAuthSettings[name] } = {
    tokenTtlMs: 12 * 3_600_000,
    codeTtlMs: 60_000,
    loginRateLimit: parseRate(options.loginRateLimit ?? '10/m')!,
  };
  const limits = { now, ...(options.capacity && { capacity: options.capacity }) };
  const shared = areReplicas ? await startInProcess(limits) : undefined;
  const port = shared?.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const isTrustedProxy = options.isTrustedProxy ?? (shared && (() => true));
  const start = async (store: Store, at: number) => {
    const app = createServer({ log, ...(isTrustedProxy && { isTrustedProxy }) });
    const oauth = mountOAuth(app, {
      publicUrl: url,
      product: 'Gatehouse gateway',
      store,
      ...(shared && { sealKey: new Secret('seal key', SEAL_KEY) }),
      users: options.users ?? people,
      log,
      settings: () => settings,
      fetchClientMetadata:
        options.fetchClientMetadata ?? (() => Promise.reject(new Error('no network in this test'))),
      now,
    });
    app.get('/healthz', async () => ({ status: 'ok' }));
    app.all('/mcp', {
      onRequest: async (request, reply) => {
        const caller = await oauth.authenticate(request, reply);
        if (caller) return reply.send(caller);
        return reply;
      },
      handler: () => undefined,
    });
    await app.listen({ port: at, host: '127.0.0.1' });
    return { app, port: (app.server.address() as AddressInfo).port };
  };
  const stores = shared?.stores ?? [new MemoryStore(limits)];
  const replicas = await Promise.all(stores.map((store) => start(store, shared ? 0 : port)));
  await shared?.balance(replicas.map((replica) => replica.port));
  const [own] = stores;
  return {
    url,
    app: replicas[0]!.app,
    /** How many records and buckets the store holds. */
    size: async () => (own instanceof MemoryStore ? own.size() : shared!.size()),
    people,
    settings,
    clock,
    text,
    lines: (event?: string) =>
      text
        .map((line) => JSON.parse(line) as LogLine)
        .filter((line) => event === undefined || line.event === event),
    close: async () => {
      await Promise.all(replicas.map(({ app }) => app.close()));
      await shared?.close();
    },
  };
}

/** Users whose passwords cost nothing to check. */
class TestUsers implements Users {
  readonly #people = new Map<string, { password: string; incarnation: string }>();
  #added = 0;

  add(name: string, password = PASSWORD): void {
    this.#added += 1;
    this.#people.set(name, { password, incarnation: `${name}-${this.#added}` });
  }

  remove(name: string): void {
    this.#people.delete(name);
  }

  async signIn(name: string, password: string): Promise<string | undefined> {
    const person = this.#people.get(name);
    return person?.password === password ? person.incarnation : undefined;
  }

  incarnation(name: string): string | undefined {
    return this.#people.get(name)?.incarnation;
  }

  passwordMark(name: string): string | undefined {
    return this.#people.get(name)?.password;
  }
}

export const VERIFIER = randomBytes(32).toString('base64url');
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

export async function register(
  server: { url: string },
  metadata: object = { client_name: 'Test app', redirect_uris: [CALLBACK] },
): Promise<string> {
  const response = await postJson(`${server.url}/register`, metadata);
  if (response.status !== 201) throw new Error(`registration answered ${response.status}`);
  return ((await response.json()) as { client_id: string }).client_id;
}

export function postJson(url: string, body: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export function postForm(
  url: string,
  fields: Record<string, string | undefined> | URLSearchParams,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body =
    fields instanceof URLSearchParams
      ? fields
      : new URLSearchParams(
          Object.entries(fields).filter(
            (field): field is [string, string] => field[1] !== undefined,
          ),
        );
  return fetch(url, { method: 'POST', body, headers, redirect: 'manual' });
}

/** The parameters of an authorization request that is in order; `undefined` leaves one out. */
export function authorizeUrl(
  server: { url: string },
  clientId: string,
  changes: Record<string, string | undefined> = {},
): URL {
  const url = new URL('/authorize', server.url);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    state: 'st&te',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    resource: `${server.url}/mcp`,
    ...changes,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

/** The hidden fields of a form as a browser would post them. */
export function hiddenFields(page: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [, name, value] of page.matchAll(
    /<input type="hidden" name="([^"]*)" value="([^"]*)">/g,
  )) {
    fields[name!] = value!.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  }
  return fields;
}

/** Opens the form and posts it. */
export async function logIn(
  server: { url: string },
  authorize: URL,
  fields: Record<string, string | undefined> = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const page = await fetch(authorize, { redirect: 'manual' });
  if (page.status !== 200) throw new Error(`the form answered ${page.status}`);
  const cookie = cookiesOf(page);
  const hidden = hiddenFields(await page.text());
  const posted = { ...hidden, username: 'ada', password: PASSWORD, ...fields };
  return postForm(`${server.url}/authorize`, posted, { cookie, ...headers });
}

export function redirectOf(response: Response): URL {
  if (response.status !== 302) throw new Error(`expected a redirect, got ${response.status}`);
  return new URL(response.headers.get('location') ?? '');
}

export async function obtainCode(
  server: { url: string },
  clientId: string,
  fields: Record<string, string | undefined> = {},
): Promise<string> {
  const response = await logIn(server, authorizeUrl(server, clientId), fields);
  return redirectOf(response).searchParams.get('code') ?? '';
}

export function exchange(
  server: { url: string },
  clientId: string,
  code: string,
  changes: Record<string, string | undefined> = {},
): Promise<Response> {
  return postForm(`${server.url}/token`, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    resource: `${server.url}/mcp`,
    ...changes,
  });
}

export function refresh(
  server: { url: string },
  clientId: string,
  refreshToken: string,
  changes: Record<string, string | undefined> = {},
): Promise<Response> {
  return postForm(`${server.url}/token`, {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: refreshToken,
    ...changes,
  });
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly token_type: string;
  readonly scope: string;
}

export async function tokensOf(response: Response): Promise<Tokens> {
  if (response.status !== 200) throw new Error(`expected tokens, got ${await response.text()}`);
  return (await response.json()) as Tokens;
}

export async function errorOf(response: Response): Promise<string> {
  const { error, error_description } = (await response.json()) as Record<string, unknown>;
  if (typeof error_description !== 'string') throw new Error('an error without a description');
  return `${response.status} ${error}`;
}

/** Registers a client and signs in with it. */
export async function signedIn(
  server: { url: string },
  user = 'ada',
): Promise<{ clientId: string; tokens: Tokens }> {
  const clientId = await register(server);
  const code = await obtainCode(server, clientId, { username: user });
  return { clientId, tokens: await tokensOf(await exchange(server, clientId, code)) };
}

export function callMcp(server: { url: string }, accessToken: string): Promise<Response> {
  return fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}` },
  });
}
