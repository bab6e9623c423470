/** The frame of every page of a signed-in person: name, navigation, sign out. */
import { type Html, html } from '../core/pages/html.ts';
import type { Page } from '../core/pages/page.ts';
import { CONSOLE_STYLE } from './style.ts';

export interface NavEntry {
  readonly path: string;
  readonly label: string;
}

export interface Frame {
  readonly product: string;
  readonly nav: readonly NavEntry[];
}

/** What a page says after a form was posted. */
export type Done = 'signed_out' | 'undone' | 'restored';
export const DONE: ReadonlyMap<string, string> = new Map<Done, string>([
  ['signed_out', 'The app is signed out.'],
  ['undone', 'The change is undone. Undoing is a change, too, and can be undone.'],
  ['restored', 'The note is back.'],
]);

export interface ConsolePage {
  readonly title: string;
  /** For the tab of the browser, where it is another. */
  readonly tabTitle?: string;
  readonly body: Html;
  /** What was just done, said to everyone. */
  readonly notice?: string | undefined;
  readonly script?: string;
  readonly isLive?: boolean;
}

export function framed(
  { product, nav }: Frame,
  page: ConsolePage,
  user: string,
  csrf: Html,
  path: string,
): Page {
  const links = nav.map(
    (entry) =>
      html`<li><a href="${entry.path}"${entry.path === path && html` aria-current="page"`}>${entry.label}</a></li>\n`,
  );
  return {
    product,
    title: `${page.tabTitle ?? page.title} – ${product}`,
    layout: 'board',
    hasForm: 'own',
    style: CONSOLE_STYLE,
    ...(page.script !== undefined && { script: page.script }),
    ...(page.isLive && { isLive: true }),
    body: html`<div class="bar">
<nav aria-label="Console"><ul>
${links}</ul></nav>
<form class="who" method="post" action="/sign-out">${csrf}<span>Signed in as <bdi>${user}</bdi></span>
<button class="small" type="submit">Sign out</button></form>
</div>
<h1>${page.title}</h1>
<p class="notice" role="status" id="notice"${!page.notice && html` hidden`}>${page.notice}</p>
${page.body}`,
  };
}
