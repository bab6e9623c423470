/**
 * The least an MCP client does: finds the authorization server, registers, lets the user sign in,
 * and calls tools. It keeps to revision 2026-07-28, in which every call stands for itself.
 */
import { createHash, randomBytes } from 'node:crypto';

const REVISION = '2026-07-28';
/** Nothing listens there: the answer is read from the redirect itself. */
const RETURN_TO = 'http://127.0.0.1:9/callback';

export interface Outcome {
  readonly isError: boolean;
  /** What the tool answered. */
  readonly value: Record<string, unknown>;
}

export class McpClient {
  readonly #endpoint: string;
  readonly #token: string;

  private constructor(endpoint: string, token: string) {
    this.#endpoint = endpoint;
    this.#token = token;
  }

  /** Registers and signs in as a client does, and submits the form in place of a person. */
  static async signIn(base: string, name: string, password: string): Promise<McpClient> {
    const resource = await json(await fetch(`${base}/.well-known/oauth-protected-resource`));
    const [server] = resource.authorization_servers as string[];
    const metadata = await json(await fetch(`${server}/.well-known/oauth-authorization-server`));
    const registration = await fetch(String(metadata.registration_endpoint), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Gatehouse demo', redirect_uris: [RETURN_TO] }),
    });
    const { client_id } = await json(registration);
    const verifier = randomBytes(32).toString('base64url');
    const question = new URLSearchParams({
      response_type: 'code',
      client_id: String(client_id),
      redirect_uri: RETURN_TO,
      state: randomBytes(8).toString('hex'),
      resource: String(resource.resource),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const code = await fillInForm(`${metadata.authorization_endpoint}?${question}`, name, password);
    const answer = await fetch(String(metadata.token_endpoint), {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        client_id: String(client_id),
        redirect_uri: RETURN_TO,
        code_verifier: verifier,
      }),
    });
    return new McpClient(String(resource.resource), String((await json(answer)).access_token));
  }

  async call(name: string, args: object = {}): Promise<Outcome> {
    const response = await fetch(this.#endpoint, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': REVISION,
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name,
          arguments: args,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': REVISION,
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    const { result, error } = (await answerOf(response)) as {
      result?: { isError?: boolean; content: { text: string }[]; structuredContent?: object };
      error?: { message: string };
    };
    if (result === undefined) throw new Error(`${name} failed: ${error?.message}`);
    const value = result.structuredContent ?? { text: result.content[0]?.text };
    return { isError: result.isError === true, value: value as Record<string, unknown> };
  }
}

/** Submits the sign-in form with its cookie, as a browser does, and returns the code of the redirect. */
async function fillInForm(page: string, name: string, password: string): Promise<string> {
  const shown = await fetch(page);
  const html = await shown.text();
  const form = new URLSearchParams(new URL(page).searchParams);
  const hidden = /<input[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g;
  for (const [, field, value] of html.matchAll(hidden)) {
    form.set(field!, value!.replaceAll('&amp;', '&'));
  }
  form.set('username', name);
  form.set('password', password);
  const target = new URL(page);
  target.search = '';
  const cookies = shown.headers.getSetCookie().map((cookie) => cookie.replace(/;.*$/, ''));
  const headers = { cookie: cookies.join('; ') };
  const answer = await fetch(target, { method: 'POST', body: form, headers, redirect: 'manual' });
  const code = new URL(answer.headers.get('location') ?? RETURN_TO).searchParams.get('code');
  if (code === null) {
    const why = answer.status === 401 ? '; the name or the password is wrong' : '';
    throw new Error(`signing in as ${name} was refused with ${answer.status}${why}`);
  }
  return code;
}

/** A call that takes long is answered as an event stream: comments first, the answer as the last event. */
export async function answerOf(response: Response): Promise<Record<string, unknown>> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return json(response);
  const lines = (await response.text()).split('\n');
  const data = lines.findLast((line) => line.startsWith('data:')) ?? 'data:null';
  return JSON.parse(data.slice('data:'.length));
}

async function json(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>;
}
