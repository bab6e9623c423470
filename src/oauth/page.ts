/**
 * The frame of every page, and the headers it is sent with.
 *
 * Stops scripts, foreign resources and framing: the content security policy allows nothing
 * but the one style sheet, by its hash. There is no `form-action`: browsers apply it to the
 * redirect that follows the post, and signing in would end in nothing.
 */
import type { FastifyReply } from 'fastify';
import { Html, html } from './html.ts';
import { PAGE_STYLE, PAGE_STYLE_HASH } from './page-style.ts';

/** Our own text, put in as it is: escaping would change what the hash was made of. */
const STYLE = new Html(PAGE_STYLE);
const POLICY =
  `default-src 'none'; style-src '${PAGE_STYLE_HASH}'; ` +
  "base-uri 'none'; frame-ancestors 'none'";

export interface Page {
  readonly title: string;
  readonly product: string;
  readonly body: Html;
}

export function sendPage(reply: FastifyReply, status: number, page: Page): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', POLICY)
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-frame-options', 'DENY')
    .header('x-content-type-options', 'nosniff')
    .header('cross-origin-opener-policy', 'same-origin')
    .send(`<!doctype html>\n${document(page).text}`);
}

function document({ title, product, body }: Page): Html {
  return html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – ${product}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header>
<svg class="mark" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" focusable="false">
<path d="M5 28V15a11 11 0 0 1 22 0v13M11.5 28V6M20.5 28V6M5 18.5h22M3 28h26"/>
</svg>
<p class="product">${product}</p>
</header>
${body}
</main>
</body>
</html>
`;
}
