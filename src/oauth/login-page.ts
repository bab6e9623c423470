/**
 * The sign-in page: who asks, where the answer goes, a name and a password. It works without
 * script, with a keyboard alone and with a screen reader.
 */
import { type Html, html } from '../core/pages/html.ts';
import type { Page } from '../core/pages/page.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import { clientMetadataUrl } from './client-metadata.ts';
import { type CodeComplaint, codeFields, codeTitle } from './login/code-fields.ts';
import { type LoginFieldsOptions, loginFields, loginTitle } from './login/login-fields.ts';
import { describeDestination } from './redirect-uri.ts';

interface LoginPageOptions
  extends Pick<LoginFieldsOptions, 'publicUrl' | 'form' | 'complaint' | 'user'> {
  readonly product: string;
  readonly asked: AuthorizationRequest;
}

export function loginPage(options: LoginPageOptions): Page {
  const { product, asked, complaint } = options;
  const name = asked.client.name ?? 'An app without a name';
  return {
    product,
    title: loginTitle(complaint, product),
    layout: 'card',
    hasForm: true,
    body: html`<h1>Sign in</h1>
<p class="lead"><strong><bdi>${name}</bdi></strong> asks to act for you.</p>
<dl class="facts">
${identity(asked.client.id)}<div><dt>Returns to</dt><dd>${describeDestination(asked.redirectUri)}</dd></div>
</dl>
${loginFields({ ...options, action: '/authorize', hidden: hiddenOf(asked) })}
<p class="note">Continue only if you have just added this server to an app yourself.
Otherwise, close this page: nothing has happened yet.</p>`,
  };
}

interface CodePageOptions extends Pick<LoginPageOptions, 'product' | 'asked' | 'form'> {
  readonly user: string;
  readonly complaint: CodeComplaint | undefined;
}

export function codePage({ product, asked, form, user, complaint }: CodePageOptions): Page {
  const sealed = { form_token: form.token, form_cookie: form.cookie };
  const hidden = { ...hiddenOf(asked), ...sealed, code_user: user };
  return {
    product,
    title: codeTitle(complaint, product),
    layout: 'card',
    hasForm: true,
    body: codeFields({ action: '/authorize/code', hidden, complaint }),
  };
}

/** A client that a document describes is known by the site the document lies on. */
function identity(clientId: string): Html | undefined {
  const url = clientMetadataUrl(clientId);
  return url && html`<div><dt>Published by</dt><dd>${url.host}</dd></div>\n`;
}

function hiddenOf(asked: AuthorizationRequest): Record<string, string | undefined> {
  return {
    response_type: 'code',
    client_id: asked.client.id,
    redirect_uri: asked.redirectUri,
    state: asked.state,
    code_challenge: asked.challenge,
    code_challenge_method: 'S256',
    scope: asked.scope,
  };
}
