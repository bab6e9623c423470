/**
 * `connect <user>/<secret>`: the authorization code flow with PKCE (RFC 7636) in the operator's own
 * browser, with a loopback redirect (RFC 8252). Writes the refresh token into its file.
 *
 * Prevents login CSRF and DNS rebinding, by which another page of the browser or another person on this
 * machine would complete the flow: the callback needs the state of this run and the host of the
 * redirect. Any other request is refused and changes nothing. Neither the code nor a token is printed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CommandOutput } from '../../core/command-line/output.ts';
import { showWaiting } from '../../core/command-line/show-waiting.ts';
import type { Environment } from '../../core/config/environment.ts';
import { quote, suggestion } from '../../core/config/problems.ts';
import { readFailure } from '../../core/config/value.ts';
import { ownEndpoints } from '../../core/http/own-endpoints.ts';
import { isLoopbackName } from '../../core/net/loopback-name.ts';
import { systemResolver } from '../../core/net/system-resolver.ts';
import { html } from '../../core/pages/html.ts';
import { pageFile } from '../../core/pages/page.ts';
import type { Config } from '../config/config.ts';
import type { OAuth2Source } from '../config/minted-secret.ts';
import { CredentialError, providerCode } from '../credentials/credential-error.ts';
import { guardedFetch } from '../credentials/guarded-fetch.ts';
import { requestToken } from '../credentials/oauth2.ts';
import { writeTokenFile } from '../credentials/refresh-token-file.ts';
import { loadConfig } from './load-config.ts';

const PATIENCE_MS = 10 * 60_000;
const DEFAULT_REDIRECT = 'http://127.0.0.1/callback';

type ConnectOutput = Pick<CommandOutput, 'out' | 'err' | 'status'>;

interface ConnectFlags {
  readonly 'no-browser': boolean;
  readonly redirect: string | undefined;
  readonly config: string | undefined;
}

export async function connect(
  name: string,
  flags: ConnectFlags,
  env: Environment,
  output: ConnectOutput,
): Promise<number> {
  const redirect = redirectOf(flags.redirect ?? DEFAULT_REDIRECT);
  if (!redirect) {
    output.err('--redirect must be an http URL of this machine, such as http://localhost:8085/');
    return 2;
  }
  const config = await loadConfig(flags.config, env, output);
  if (!config) return 1;
  const found = sourceOf(name, config);
  if ('problem' in found) {
    output.err(found.problem);
    return 2;
  }
  try {
    const token = await authorize(found, redirect, !flags['no-browser'], config, output);
    await writeTokenFile(found.file, token);
    output.out(`wrote ${found.file}; a running gateway uses it with its next token request`);
    return 0;
  } catch (error) {
    output.err(
      error instanceof CredentialError
        ? error.message
        : `${quote(found.file)} cannot be written: ${readFailure(error)}`,
    );
    return 1;
  }
}

interface Connectable {
  readonly source: OAuth2Source;
  readonly file: string;
  readonly authorizeUrl: string;
}

function sourceOf(name: string, { users }: Config): Connectable | { readonly problem: string } {
  const connectable = [...users.values()].flatMap((user) =>
    [...user.minted.values()].flatMap(({ name: secret, source }) =>
      source.kind === 'oauth2' && source.grant.type === 'refresh_token'
        ? [{ id: `${user.name}/${secret}`, source, grant: source.grant }]
        : [],
    ),
  );
  const names = connectable.map(({ id }) => id);
  const found = connectable.find(({ id }) => id === name);
  if (!found) {
    const known = names.length > 0 ? `; known: ${names.join(', ')}` : '';
    const hint = suggestion(name, names);
    return { problem: `${quote(name)} is no secret with the grant refresh_token${hint}${known}` };
  }
  const { file, authorizeUrl } = found.grant;
  if (!authorizeUrl)
    return { problem: `${name} has no authorize_url; add it to the configuration` };
  return { source: found.source, file, authorizeUrl };
}

function redirectOf(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.protocol === 'http:' && url.search === '' && url.hash === '';
  return url && isPlain && isLoopbackName(url.hostname) ? url : undefined;
}

/** The refresh token. */
async function authorize(
  { source, authorizeUrl }: Connectable,
  redirect: URL,
  opensBrowser: boolean,
  { server: { publicUrl, allowNetworks, requestTimeoutMs: timeoutMs } }: Config,
  output: ConnectOutput,
): Promise<string> {
  const oauth = await import('oauth4webapi');
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const server = await listen(redirect);
  try {
    const redirectUri = redirect.href;
    const url = new URL(authorizeUrl);
    const parameters = {
      ...Object.fromEntries(source.parameters),
      ...{ response_type: 'code', client_id: source.clientId!, redirect_uri: redirectUri, state },
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
    output.out('open this address in a browser on this machine, and sign in:');
    output.out(url.href);
    if (opensBrowser) openBrowser(url.href);
    const waiting = showWaiting(output, 'waiting for the sign-in in the browser', PATIENCE_MS);
    const code = await callback(server, redirect, state).finally(waiting.end);
    const own = ownEndpoints(publicUrl);
    const rules = { resolve: systemResolver, allowNetworks, own, timeoutMs };
    const { refreshToken } = await requestToken(
      source,
      'authorization_code',
      { code, redirect_uri: redirectUri, code_verifier: verifier },
      { fetch: (request) => guardedFetch(request, rules) },
    );
    if (refreshToken !== undefined) return refreshToken;
    output.err(
      'the provider gave no refresh token; many need the scope offline_access, Google needs access_type=offline&prompt=consent in authorize_url',
    );
    throw new CredentialError('no_refresh_token');
  } finally {
    server.close();
  }
}

/** Without a port in it, the redirect gets one that is free. */
async function listen(redirect: URL): Promise<Server> {
  const server = createServer();
  const host = redirect.hostname === '[::1]' ? '::1' : '127.0.0.1';
  server.listen(Number(redirect.port || 0), host);
  await once(server, 'listening');
  redirect.port = String((server.address() as AddressInfo).port);
  return server;
}

/** The code of the first callback that belongs to this run. */
function callback(server: Server, redirect: URL, state: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new CredentialError('timeout')), PATIENCE_MS);
    server.on('request', ({ url: target = '', method, headers }, response) => {
      // Null for a target that is no URL, such as `//`.
      const url = URL.parse(target, redirect.href);
      const isOurs =
        method === 'GET' && headers.host === redirect.host && url?.pathname === redirect.pathname;
      if (!isOurs || url?.searchParams.get('state') !== state) {
        sendPage(response, 404, 'Not found', 'This address is for one sign-in only.');
        return;
      }
      clearTimeout(timer);
      const code = url.searchParams.get('code');
      if (code) {
        sendPage(response, 200, 'Connected', 'The gateway may now act for you. Close this page.');
        resolve(code);
      } else {
        sendPage(response, 200, 'Not connected', 'The provider refused. The terminal says more.');
        reject(new CredentialError(providerCode(url.searchParams.get('error'))));
      }
    });
  });
}

function sendPage(response: ServerResponse, status: number, title: string, text: string): void {
  const body = html`<h1>${title}</h1><p>${text}</p>`;
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    connection: 'close',
  });
  response.end(pageFile({ title, product: 'Gatehouse gateway', layout: 'card', body }));
}

/** Where there is none, the printed address remains. */
function openBrowser(url: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
