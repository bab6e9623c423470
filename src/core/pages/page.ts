/**
 * The frame of every page, its content security policy and its headers.
 *
 * Prevents injected scripts, foreign resources and framing (CWE-79, CWE-1021): the policy allows only the
 * style sheet and the script of the page, by their hashes. The sign-in page of apps has no `form-action`,
 * which browsers would apply to the redirects of the app after the post, too.
 */
import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { Html, html } from './html.ts';
import { STYLE } from './style.ts';

export interface Page {
  /** As the tab of the browser shows it. */
  readonly title: string;
  readonly product: string;
  /** The class of the body; see the style sheet. */
  readonly layout: 'card' | 'sheet' | 'board';
  readonly body: Html;
  /** `own`: the form and all redirects after it stay on this server. */
  readonly hasForm?: true | 'own';
  /** In addition to the style sheet of every page. */
  readonly style?: string;
  readonly script?: string;
  /** The script may ask this server. */
  readonly isLive?: boolean;
}

const STYLE_SOURCE = source(STYLE);

/** `no-referrer` would make the `Origin` of a posted form `null`. */
function referrerPolicy({ hasForm }: Page): string {
  return hasForm === 'own' ? 'same-origin' : 'no-referrer';
}

export function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', `${policyOf(page)}; frame-ancestors 'none'`)
    .header('cache-control', 'no-store')
    .header('referrer-policy', referrerPolicy(page))
    .header('x-frame-options', 'DENY')
    .header('x-content-type-options', 'nosniff')
    .send(documentOf(page));
}

/** A page in a file contains its policy, which can restrict framing only as a header. */
export function pageFile(page: Page): string {
  const policy = html`<meta http-equiv="Content-Security-Policy" content="${policyOf(page)}">\n`;
  return documentOf(page, policy);
}

function policyOf({ hasForm, style, script, isLive }: Page): string {
  return [
    "default-src 'none'",
    `style-src ${STYLE_SOURCE}${style === undefined ? '' : ` ${source(style)}`}`,
    ...(script === undefined ? [] : [`script-src ${source(script)}`]),
    ...(isLive ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    ...(hasForm === true ? [] : [`form-action ${hasForm ? "'self'" : "'none'"}`]),
  ].join('; ');
}

function source(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}

/** Style and script are constants of ours; escaping would change their hashes. */
function documentOf(page: Page, policy?: Html): string {
  const { title, product, layout, body, style, script } = page;
  const document = html`<html lang="en">
<head>
<meta charset="utf-8">
${policy}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(STYLE)}</style>${
    style !== undefined &&
    html`
<style>${new Html(style)}</style>`
  }
</head>
<body class="${layout}">
<main>
<header>
<svg class="mark" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" focusable="false">
<path d="M5 28V15a11 11 0 0 1 22 0v13M11.5 28V6M20.5 28V6M5 18.5h22M3 28h26"/>
</svg>
<p class="product">${product}</p>
</header>
${body}
</main>
${script !== undefined && html`<script>${new Html(script)}</script>\n`}</body>
</html>
`;
  return `<!doctype html>\n${document.text}`;
}
