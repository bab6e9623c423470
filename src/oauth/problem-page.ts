/**
 * Pages for a request that cannot even be shown a form. Each says what happened and what to
 * do, because the person who reads it did nothing wrong and the app is out of reach.
 */
import { type Html, html } from '../core/pages/html.ts';
import type { Page } from '../core/pages/page.ts';
import type { PageProblem } from './authorization-request.ts';

export type Problem = PageProblem | 'foreign_origin' | 'full' | 'unreadable_form' | 'internal';

export function problemPage(problem: Problem, product: string, publicUrl: string): Page {
  const { title, body } = explain(problem, publicUrl);
  return {
    title: `${title} – ${product}`,
    product,
    layout: 'card',
    body: html`<h1>${title}</h1>\n${body}`,
  };
}

function explain(problem: Problem, publicUrl: string): { title: string; body: Html } {
  switch (problem) {
    case 'unknown_client':
      return {
        title: 'This app is not known here',
        body: html`<p>The server has probably been restarted since the app was connected. It then
forgets its apps, and each has to introduce itself again.</p>
${addAgain(publicUrl)}`,
      };
    case 'unknown_redirect':
      return {
        title: 'This app asks for a wrong return address',
        body: html`<p>It wants the answer sent to an address that it did not register, so nothing was
sent. The app may have been updated, or the link you followed may have been forged.</p>
${addAgain(publicUrl)}`,
      };
    case 'missing_client':
      return {
        title: 'No app asked for this page',
        body: html`<p>Apps open this page when they want to connect; there is nothing to do here
by hand.</p>
<p>To connect an app, add this server to it:</p>
${address(publicUrl)}`,
      };
    case 'unreadable_client':
      return {
        title: 'The app’s description cannot be read',
        body: html`<p>This app is known by a document on its own site, and that document could not be
fetched, or does not describe the app. The site may be down for a moment.</p>
<p>Wait a minute and start again from the app. If it still fails, tell the makers of the app.</p>`,
      };
    case 'busy':
      return {
        title: 'Please try again in a moment',
        body: html`<p>The server is busy with other apps right now. Wait a few seconds, then reload
this page.</p>`,
      };
    case 'foreign_origin':
      return {
        title: 'This form came from another site',
        body: html`<p>Your name and password were not looked at. Sign in only on a page that starts
with this address:</p>
${address(publicUrl, '')}
<p>Start again from your app.</p>`,
      };
    case 'full':
      return {
        title: 'No room for another sign-in',
        body: html`<p>The server holds as many sign-ins as it can. Try again later, or ask the person who
runs it to restart it.</p>`,
      };
    case 'unreadable_form':
      return {
        title: 'The form could not be read',
        body: html`<p>What arrived is not the sign-in form of this server. Start again from your
app.</p>`,
      };
    case 'internal':
      return {
        title: 'Something failed here',
        body: html`<p>It is not your fault, and it is in the server’s log. Try again in a moment; if it
stays, tell the person who runs this server.</p>`,
      };
  }
}

function addAgain(publicUrl: string): Html {
  return html`<h2>What to do</h2>
<ol>
<li>In the app, remove this server from its list of servers or connectors.</li>
<li>Add it again, with this address:
${address(publicUrl)}</li>
<li>Sign in when the app opens this page.</li>
</ol>`;
}

function address(publicUrl: string, path = '/mcp'): Html {
  return html`<p><code class="address">${publicUrl}<wbr>${path}</code></p>`;
}
