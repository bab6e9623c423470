/** The pages of signing in, and those that say why there is no other page. */
import { html } from '../core/pages/html.ts';
import type { Page } from '../core/pages/page.ts';
import { type CodeComplaint, codeFields, codeTitle } from '../oauth/login/code-fields.ts';
import { type LoginFieldsOptions, loginFields, loginTitle } from '../oauth/login/login-fields.ts';
import { COMMON_PROBLEMS } from '../oauth/problem-page.ts';

interface SignInPageOptions
  extends Pick<LoginFieldsOptions, 'publicUrl' | 'form' | 'complaint' | 'user'> {
  readonly product: string;
  /** The path that is shown after signing in. */
  readonly next: string;
}

export function signInPage(options: SignInPageOptions): Page {
  const { product, complaint, next } = options;
  return {
    product,
    title: loginTitle(complaint, product),
    layout: 'card',
    hasForm: 'own',
    body: html`<h1>Sign in</h1>
<p class="lead">See what your assistant did, and decide what it may do.</p>
${loginFields({ ...options, action: '/sign-in', hidden: { next } })}
<p class="note">This page is for you alone. Never give this password to an assistant, and never let one
sign in here.</p>`,
  };
}

interface CodePageOptions {
  readonly product: string;
  readonly next: string;
  readonly csrf: string;
  readonly complaint: CodeComplaint | undefined;
}

export function codePage({ product, next, csrf, complaint }: CodePageOptions): Page {
  return {
    product,
    title: codeTitle(complaint, product),
    layout: 'card',
    hasForm: 'own',
    body: codeFields({ action: '/sign-in/code', hidden: { next, csrf }, complaint }),
  };
}

/** A browser sends the cookie of the session with this link, which is on a page of this server. */
export function continuePage(product: string, path: string): Page {
  return {
    product,
    title: `Continue – ${product}`,
    layout: 'card',
    hasForm: 'own',
    body: html`<h1>You followed a link to this server</h1>
<p>Continue if you expected to come here. Nothing has happened yet.</p>
<p><a class="primary" href="${path}">Continue</a></p>`,
  };
}

export type Problem = keyof ReturnType<typeof explanations>;

interface ProblemPageOptions {
  readonly product: string;
  readonly publicUrl: string;
  /** Where to begin anew. */
  readonly home: string;
}

export function problemPage(problem: Problem, options: ProblemPageOptions): Page {
  const { product } = options;
  const { title, body } = explanations(options)[problem];
  return {
    title: `${title} – ${product}`,
    product,
    layout: 'card',
    hasForm: 'own',
    body: html`<h1>${title}</h1>\n${body}`,
  };
}

function explanations({ publicUrl, home }: ProblemPageOptions) {
  const anew = html`<p><a href="${home}">Begin anew</a></p>`;
  return {
    ...COMMON_PROBLEMS,
    bearer: {
      title: 'This page is for people',
      body: html`<p>A token of an app opens nothing here. Open this page in a browser and sign in with
name and password.</p>`,
    },
    busy: {
      title: 'Please try again in a moment',
      body: html`<p>The server cannot look up who is signed in right now. Wait a few seconds, then
reload this page.</p>`,
    },
    foreign_origin: {
      title: 'This came from another site',
      body: html`<p>Nothing was changed. Use these pages only at this address:</p>
<p><code class="address">${publicUrl}<wbr>${home}</code></p>`,
    },
    not_found: {
      title: 'There is nothing here',
      body: html`<p>It may have ended meanwhile, or it belongs to somebody else.</p>${anew}`,
    },
    session_over: {
      title: 'Your session is over',
      body: html`<p>Nothing was changed. <a href="/sign-in">Sign in again</a> to go on.</p>`,
    },
    signed_out: {
      title: 'You are signed out',
      body: html`<p>You may close this page, or <a href="/sign-in">sign in again</a>.</p>`,
    },
    stale_form: {
      title: 'This page was too old',
      body: html`<p>You have signed in again since it was shown, so nothing was changed. Open the page
anew and decide there.</p>${anew}`,
    },
    unreadable: {
      title: 'The form could not be read',
      body: html`<p>What arrived is not a form of this server. Nothing was changed.</p>${anew}`,
    },
  };
}
