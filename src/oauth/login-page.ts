/**
 * The sign-in page: who asks, where the answer goes, a name and a password. It works without
 * script, with a keyboard alone and with a screen reader.
 */
import { type Html, html } from '../core/pages/html.ts';
import type { Page } from '../core/pages/page.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { clientMetadataUrl } from './client-metadata.ts';
import { describeDestination } from './redirect-uri.ts';

export type LoginComplaint =
  | { readonly kind: 'wrong_password' | 'stale_form' | 'no_cookie' | 'busy' }
  | { readonly kind: 'limited' | 'user_limited'; readonly retryAfterS: number };

export interface LoginPageOptions {
  readonly product: string;
  readonly publicUrl: string;
  readonly asked: AuthorizationRequest;
  /** The token of the form and the number of the cookie it is bound to. */
  readonly form: { readonly token: string; readonly cookie: string };
  readonly complaint: LoginComplaint | undefined;
  /** The name as typed before. */
  readonly user: string;
}

const MAX_NAME_SHOWN = 64;

export function loginPage(options: LoginPageOptions): Page {
  const { product, publicUrl, asked, form, complaint, user } = options;
  const isWrong = complaint?.kind === 'wrong_password';
  const name = asked.client.name ?? 'An app without a name';
  const hint = complaint && html`aria-describedby="complaint"`;
  const invalid = isWrong && html`aria-invalid="true"`;
  const startAtName = user === '' && html`autofocus`;
  const startAtPassword = user !== '' && html`autofocus`;
  return {
    product,
    title: `${complaint ? TITLE[complaint.kind] : 'Sign in'} – ${product}`,
    layout: 'card',
    hasForm: true,
    body: html`<h1>Sign in</h1>
<p class="lead"><strong><bdi>${name}</bdi></strong> asks to act for you.</p>
<dl class="facts">
${identity(asked.client.id)}<div><dt>Returns to</dt><dd>${describeDestination(asked.redirectUri)}</dd></div>
</dl>
${complaint && html`<p class="complaint" id="complaint" role="alert">${explain(complaint, publicUrl)}</p>`}
<form method="post" action="/authorize">
${hiddenFields(asked, form)}
<label for="username">Name</label>
<input id="username" name="username" type="text" value="${user.slice(0, MAX_NAME_SHOWN)}"
 autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false"
 required ${hint} ${invalid} ${startAtName}>
<label for="password">Password</label>
<input id="password" name="password" type="password"
 autocomplete="current-password" required ${hint} ${invalid} ${startAtPassword}>
<button class="primary" type="submit">Sign in</button>
</form>
<p class="note">Continue only if you have just added this server to an app yourself.
Otherwise, close this page: nothing has happened yet.</p>`,
  };
}

const TITLE = {
  wrong_password: 'Wrong name or password',
  limited: 'Too many attempts',
  user_limited: 'Too many sign-ins',
  stale_form: 'Please sign in again',
  no_cookie: 'A cookie is missing',
  busy: 'Please try again',
} as const;

function explain(complaint: LoginComplaint, publicUrl: string): string {
  switch (complaint.kind) {
    case 'wrong_password':
      return 'That name and password do not match. Check both and try again.';
    case 'limited':
      return `Too many failed attempts from your network. Try again in ${inWords(complaint.retryAfterS)}.`;
    case 'user_limited':
      return `You have signed in too often. Try again in ${inWords(complaint.retryAfterS)}.`;
    case 'no_cookie':
      return (
        'Your browser did not send back the cookie that protects this form. Allow cookies for this ' +
        `site, check that its address begins with ${publicUrl}, and sign in again.`
      );
    case 'stale_form':
      return 'This form was open for too long, or was already sent. Please sign in again.';
    case 'busy':
      return 'Many people are signing in at this moment. Please try again in a few seconds.';
  }
}

/** A client that a document describes is known by the site the document lies on. */
function identity(clientId: string): Html | undefined {
  const url = clientMetadataUrl(clientId);
  return url && html`<div><dt>Published by</dt><dd>${url.host}</dd></div>\n`;
}

function hiddenFields(
  asked: AuthorizationRequest,
  form: LoginPageOptions['form'],
): readonly Html[] {
  const fields: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: asked.client.id,
    redirect_uri: asked.redirectUri,
    state: asked.state,
    code_challenge: asked.challenge,
    code_challenge_method: 'S256',
    scope: asked.scope,
    form_token: form.token,
    form_cookie: form.cookie,
  };
  return Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : html`<input type="hidden" name="${name}" value="${value}">\n`,
  );
}

function inWords(seconds: number): string {
  if (seconds === 1) return 'one second';
  if (seconds < 120) return `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
