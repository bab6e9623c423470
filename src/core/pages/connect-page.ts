/**
 * `GET /`: the start page for browsers. It says what this server is, whether it works, and how to connect
 * a client, and reveals nothing of users, targets or the request. Clients that do not prefer HTML get the
 * 404 of an unknown path.
 */
import type { FastifyInstance } from 'fastify';
import { isLoopbackName } from '../net/loopback-name.ts';
import { connectWays, type Snippet, type Way } from './connect-ways.ts';
import { COPY_SCRIPT } from './copy-script.ts';
import { type Html, html } from './html.ts';
import { type Page, sendPage } from './page.ts';
import { prefersHtml } from './prefers-html.ts';

/** What `/healthz` answers. */
export interface Health {
  readonly status: string;
  readonly version: string;
}

interface ConnectPageOptions {
  /** Without a path and without a trailing slash. */
  readonly publicUrl: string;
  /** What the pages call this program. */
  readonly product: string;
  /** What clients are to call this server: letters, digits and hyphens. */
  readonly name: string;
  /** One or two sentences: what an assistant gains by being connected. */
  readonly about: string;
  /** Whether people may sign in at `/console`. */
  readonly hasConsole?: boolean;
  /** Called for each request. */
  readonly health: () => Health | Promise<Health>;
}

/** On every loopback server: the page must not reveal how this one was started. */
const QUICKSTART_NOTE = html`<p class="note">Started with <code>npm start</code>? Sign in as
<code>demo</code>. The password is in <code>data/password</code> in the checkout, or in the file
that the terminal of <code>npm start</code> names.</p>`;

export function mountConnectPage(app: FastifyInstance, options: ConnectPageOptions): void {
  const ways = connectWays(options.name, options.publicUrl);
  app.get('/', async (request, reply) => {
    reply.header('vary', 'Accept');
    if (!prefersHtml(request.headers.accept)) return reply.callNotFound();
    return sendPage(reply, 200, connectPage(options, ways, await options.health()));
  });
}

function connectPage(options: ConnectPageOptions, ways: readonly Way[], health: Health): Page {
  const { publicUrl, product, about } = options;
  return {
    title: `Connect – ${product}`,
    product,
    layout: 'sheet',
    script: COPY_SCRIPT,
    body: html`<h1>Connect your assistant</h1>
<p class="lead">${about}</p>
${healthLine(health)}
${snippet({ caption: 'Server address', text: `${publicUrl}/mcp` }, '')}
<h2>Choose your client</h2>
<div class="ways">
${ways.map((way, index) => wayToConnect(way, index === 0))}</div>
<p class="note">When you connect, your client opens the sign-in page of this server. The person who runs
the server has given you a name and a password for it.</p>
${options.hasConsole && html`<p class="note">The <a href="/console">console</a> shows you what your assistant did.</p>\n`}${isLoopbackName(new URL(publicUrl).hostname) && QUICKSTART_NOTE}
<p class="unseen" id="said" role="status"></p>`,
  };
}

function healthLine({ status, version }: Health): Html {
  return status === 'ok'
    ? html`<p class="health">Running <span>version ${version}</span></p>`
    : html`<p class="health bad">Not ready <span>${status}</span></p>`;
}

function wayToConnect({ client, kinds, steps }: Way, isOpen: boolean): Html {
  const shown = steps.map((step) =>
    typeof step === 'string' ? html`<p>${step}</p>\n` : snippet(step, ` for ${client}`),
  );
  return html`<details ${isOpen && html`open`}>
<summary><h3>${client}</h3><span>${kinds}</span></summary>
<div class="way">
${shown}</div>
</details>
`;
}

/** The button names what it copies, for those who do not see where it is. */
function snippet({ caption, text }: Snippet, purpose: string): Html {
  return html`<div class="snippet">
<div><p>${caption}</p>
<button class="copy" type="button" hidden><span>Copy</span><span class="unseen"> ${caption}${purpose}</span></button></div>
<pre><code>${text}</code></pre>
</div>
`;
}
