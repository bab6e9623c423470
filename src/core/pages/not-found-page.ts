/** The 404 page for browsers, the same for every path. Other clients get JSON. */
import type { ShowNotFound } from '../http/server.ts';
import { html } from './html.ts';
import { type Page, sendPage } from './page.ts';
import { prefersHtml } from './prefers-html.ts';

export function showNotFoundPage(product: string): ShowNotFound {
  const page: Page = {
    title: `Not found – ${product}`,
    product,
    layout: 'card',
    body: html`<h1>There is no page here</h1>
<p>The address may be mistyped, or the link that led here may be old.</p>
<p><a href="/">The start page</a> says what this server is and how to connect to it.</p>`,
  };
  return (request, reply) => {
    reply.header('vary', 'Accept');
    if (!prefersHtml(request.headers.accept)) return false;
    sendPage(reply, 404, page);
    return true;
  };
}
