/** Pages for a request that gets no form. Each says what happened and what to do. */
import { type Html, html } from '../core/pages/html.ts';
import type { Page } from '../core/pages/page.ts';

export type Problem = keyof ReturnType<typeof explanations>;

/** Problems that the console has, too. */
export const COMMON_PROBLEMS = {
  full: {
    title: 'No room for another sign-in',
    body: html`<p>The server holds as many sign-ins as it can. Try again later, or ask the person who
runs it to restart it.</p>`,
  },
  internal: {
    title: 'Something failed here',
    body: html`<p>It is not your fault, and it is in the server’s log. Try again in a moment; if it
stays, tell the person who runs this server.</p>`,
  },
} as const;

export function problemPage(problem: Problem, product: string, publicUrl: string): Page {
  const { title, body } = explanations(publicUrl)[problem];
  return {
    title: `${title} – ${product}`,
    product,
    layout: 'card',
    body: html`<h1>${title}</h1>\n${body}`,
  };
}

function explanations(publicUrl: string) {
  return {
    ...COMMON_PROBLEMS,
    unknown_client: {
      title: 'This app is not known here',
      body: html`<p>The server has probably been restarted since the app was connected. It then
forgets its apps, and each has to introduce itself again.</p>
${addAgain(publicUrl)}`,
    },
    unknown_redirect: {
      title: 'This app asks for a wrong return address',
      body: html`<p>It wants the answer sent to an address that it did not register, so nothing was
sent. The app may have been updated, or the link you followed may have been forged.</p>
${addAgain(publicUrl)}`,
    },
    missing_client: {
      title: 'No app asked for this page',
      body: html`<p>Apps open this page when they want to connect; there is nothing to do here
by hand.</p>
<p>To connect an app, add this server to it:</p>
${address(publicUrl)}`,
    },
    unreadable_client: {
      title: 'The app’s description cannot be read',
      body: html`<p>This app is known by a document on its own site, and that document could not be
fetched, or does not describe the app. The site may be down for a moment.</p>
<p>Wait a minute and start again from the app. If it still fails, tell the makers of the app.</p>`,
    },
    busy: {
      title: 'Please try again in a moment',
      body: html`<p>The server is busy with other apps right now. Wait a few seconds, then reload
this page.</p>`,
    },
    foreign_origin: {
      title: 'This form came from another site',
      body: html`<p>Your name and password were not looked at. Sign in only on a page that starts
with this address:</p>
${address(publicUrl, '')}
<p>Start again from your app.</p>`,
    },
    unreadable_form: {
      title: 'The form could not be read',
      body: html`<p>What arrived is not the sign-in form of this server. Start again from your
app.</p>`,
    },
  };
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
