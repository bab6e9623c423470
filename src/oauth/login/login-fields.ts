/** What every sign-in form has: the complaint of the attempt before, a name, a password, a button. */
import { type Html, html } from '../../core/pages/html.ts';

export type LoginComplaint =
  | { readonly kind: 'wrong_password' | 'stale_form' | 'no_cookie' | 'busy' }
  | { readonly kind: 'limited' | 'user_limited'; readonly retryAfterS: number };

/** The token of a form and the number of the cookie it is bound to. */
interface SealedForm {
  readonly token: string;
  readonly cookie: string;
}

export interface LoginFieldsOptions {
  readonly publicUrl: string;
  readonly action: string;
  readonly hidden: Readonly<Record<string, string | undefined>>;
  readonly form: SealedForm;
  readonly complaint: LoginComplaint | undefined;
  /** The name as typed before. */
  readonly user: string;
}

const MAX_NAME_SHOWN = 64;

export function loginTitle(complaint: LoginComplaint | undefined, product: string): string {
  return `${complaint ? TITLE[complaint.kind] : 'Sign in'} – ${product}`;
}

export function loginFields(options: LoginFieldsOptions): Html {
  const { publicUrl, action, hidden, form, complaint, user } = options;
  const isWrong = complaint?.kind === 'wrong_password';
  const hint = complaint && html`aria-describedby="complaint"`;
  const invalid = isWrong && html`aria-invalid="true"`;
  const startAtName = user === '' && html`autofocus`;
  const startAtPassword = user !== '' && html`autofocus`;
  return html`${complaint && html`<p class="complaint" id="complaint" role="alert">${explain(complaint, publicUrl)}</p>`}
<form method="post" action="${action}">
${hiddenFields({ ...hidden, form_token: form.token, form_cookie: form.cookie })}
<label for="username">Name</label>
<input id="username" name="username" type="text" value="${user.slice(0, MAX_NAME_SHOWN)}"
 autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false"
 required ${hint} ${invalid} ${startAtName}>
<label for="password">Password</label>
<input id="password" name="password" type="password"
 autocomplete="current-password" required ${hint} ${invalid} ${startAtPassword}>
<button class="primary" type="submit">Sign in</button>
</form>`;
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

export function hiddenFields(fields: Readonly<Record<string, string | undefined>>): Html {
  const inputs = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : html`<input type="hidden" name="${name}" value="${value}">\n`,
  );
  return html`${inputs}`;
}

export function inWords(seconds: number): string {
  if (seconds === 1) return 'one second';
  if (seconds < 120) return `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
