/** What every form for the code of a second factor has. */
import { type Html, html } from '../../core/pages/html.ts';
import { hiddenFields, inWords } from './login-fields.ts';

export type CodeComplaint = 'wrong' | { readonly retryAfterS: number };

interface CodeFieldsOptions {
  readonly action: string;
  readonly hidden: Readonly<Record<string, string | undefined>>;
  readonly complaint: CodeComplaint | undefined;
}

export function codeTitle(complaint: CodeComplaint | undefined, product: string): string {
  return `${complaint ? 'Wrong code' : 'Enter the code'} – ${product}`;
}

export function codeFields({ action, hidden, complaint }: CodeFieldsOptions): Html {
  const text =
    typeof complaint === 'object'
      ? `Too many wrong codes. Try again in ${inWords(complaint.retryAfterS)}.`
      : 'That code is wrong, or was used before. Wait for the next one and try again.';
  return html`<h1>Enter the code</h1>
<p class="lead">Your password is right. Now type the six digits that your authenticator app shows.</p>
${complaint && html`<p class="complaint" id="complaint" role="alert">${text}</p>`}
<form method="post" action="${action}">
${hiddenFields(hidden)}
<label for="code">Code</label>
<input id="code" name="code" type="text" inputmode="numeric" pattern="[0-9 ]{6,7}"
 autocomplete="one-time-code" required autofocus ${complaint && html`aria-describedby="complaint" aria-invalid="true"`}>
<button class="primary" type="submit">Continue</button>
</form>`;
}
