/** A client of either server, as plain as can be: it signs in, calls tools and listens. */
import { createHash, randomBytes } from 'node:crypto';

/** Plays the person at the sign-in page: fills in the form and gives where it leads. */
export async function submitLogin(page: string, name: string, password: string): Promise<string> {
  const form = new URLSearchParams(new URL(page).searchParams);
  const shown = await fetch(page);
  const html = await shown.text();
  const hidden = /<input[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g;
  for (const [, field, value] of html.matchAll(hidden)) form.set(field!, unescapeHtml(value!));
  form.set('username', name);
  form.set('password', password);
  const url = new URL('/authorize', page);
  const headers = { cookie: cookiesOf(shown) };
  const answer = await fetch(url, { method: 'POST', body: form, headers, redirect: 'manual' });
  const location = answer.headers.get('location');
  if (!location) throw new Error(`signing in failed: ${answer.status} ${await answer.text()}`);
  return location;
}

/** The cookies that an answer sets, as a browser sends them back. */
export function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.replace(/;.*$/, ''))
    .join('; ');
}

/** Registers a client, signs in through the form and exchanges the code, as a client would. */
export async function signIn(
  base: string,
  name: string,
  password: string,
  clientName = 'test',
): Promise<{ accessToken: string; refreshToken: string; clientId: string }> {
  const redirect = 'http://127.0.0.1:9/callback';
  const registration = await fetch(`${base}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: clientName, redirect_uris: [redirect] }),
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

/** Sends one plain JSON-RPC request and gives its result. */
export async function rpc(
  base: string,
  token: string,
  method: string,
  params: object = {},
  // biome-ignore lint/suspicious/noExplicitAny: every test knows the shape it asserts.
): Promise<{ result: any; raw: string }> {
  const response = await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const raw = await response.text();
  const { result, error } = response.status === 200 ? JSON.parse(raw) : { error: raw };
  if (error) throw new Error(`${method} failed: ${response.status} ${JSON.stringify(error)}`);
  return { result, raw };
}

/** Calls a tool and gives the object it answered with. */
export async function callTool(
  base: string,
  token: string,
  name: string,
  args: unknown = {},
): Promise<ToolOutcome> {
  const { result, raw } = await rpc(base, token, 'tools/call', { name, arguments: args });
  return { isError: result.isError === true, value: JSON.parse(result.content[0].text), raw };
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
