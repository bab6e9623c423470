/** The page on which a person sees one request, whole, and decides. */
import type { ConsolePage } from '../../console/frame.ts';
import { facts, moment } from '../../console/kit.ts';
import { type Html, html } from '../../core/pages/html.ts';
import { indentJson } from './indent-json.ts';
import type { Entry, ShownRequest } from './records.ts';
import { visibleText } from './visible-text.ts';

export const MAX_REASON = 500;

interface ApprovalPageOptions {
  readonly entry: Entry;
  readonly request: ShownRequest;
  /** What the person knows the app or the key by. */
  readonly from: string;
  readonly expiresAtMs: number;
  readonly csrf: Html;
}

export function approvalPage(options: ApprovalPageOptions): ConsolePage {
  const { entry, request, from, expiresAtMs, csrf } = options;
  const { method, url, headers, signed } = request;
  const path = `/approvals/${entry.id}`;
  const listed = headers.map(
    ([name, value]) => html`<b>${visibleText(name)}</b>: ${visibleText(value)}\n`,
  );
  return {
    title: 'Approve this request?',
    body: html`<p class="lead">An assistant wants to send this. Nothing has been sent yet.</p>
${facts([
  ['From', visibleText(from)],
  ['Target', visibleText(entry.target)],
  ['Asked', moment(entry.askedAtMs)],
  ['Ends', moment(expiresAtMs)],
])}
${box('Request', html`<b>${visibleText(method)}</b> ${visibleText(url)}`)}
${box('Headers', html`${listed}`)}
${bodyOf(request)}
${signed !== undefined && html`<p class="soft">The gateway adds a signature (${signed}).</p>`}
<form method="post" action="${path}">${csrf}
<button class="primary" type="submit" name="decision" value="once">Approve once</button>
<p class="soft">Or allow this app to send ${method} to exactly this path, <b>with any query, headers and body</b>:</p>
<p><button class="small" type="submit" name="decision" value="15m">Allow for 15 minutes</button>
<button class="small" type="submit" name="decision" value="1h">Allow for 1 hour</button></p>
</form>
<form method="post" action="${path}">${csrf}
<label for="reason">Why not? The assistant reads this (optional)</label>
<input id="reason" name="reason" type="text" maxlength="${MAX_REASON}" autocomplete="off">
<button class="small danger" type="submit" name="decision" value="denied">Deny</button>
</form>`,
  };
}

function bodyOf({ body, headers }: ShownRequest): Html {
  if (!body) return html`<p class="soft">The request has no body.</p>`;
  if ('base64' in body) {
    const bytes = Buffer.from(body.base64, 'base64');
    const text = bytes.toString('latin1');
    return box(
      `Body: ${bytes.length} bytes that are not text, one character for each`,
      visibleText(text),
    );
  }
  const raw = box(
    `Body as it is sent: ${Buffer.byteLength(body.text)} bytes`,
    visibleText(body.text),
  );
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  const indented = /json/i.test(type) ? indentJson(body.text) : undefined;
  return indented === undefined
    ? raw
    : html`${box('Body, indented', visibleText(indented))}\n${raw}`;
}

function box(title: string, content: Html): Html {
  return html`<section><h2>${title}</h2>
<div class="snippet"><pre tabindex="0" role="group" aria-label="${title}"><code>${content}</code></pre></div></section>`;
}
