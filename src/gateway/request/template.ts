/**
 * Injection templates: `${name}` stands for a secret of the same user, `$${` is a literal `${`.
 *
 * A template is parsed when the configuration is loaded, where every name must be known, and
 * rendered when a request is sent. Rendering is where injection takes a secret into the open. A
 * template may itself hold a literal credential, also between the braces, so a problem quotes
 * no more of it than a name that is almost a known one.
 */
import { suggestion } from '../../core/config/problems.ts';
import type { Secret } from '../../core/secrets/secret.ts';

export interface Template {
  readonly parts: readonly (string | { readonly secretName: string })[];
}

export function parseTemplate(
  text: string,
  knownSecretNames: Iterable<string>,
): Template | { problem: string } {
  const known = new Set(knownSecretNames);
  const parts: (string | { secretName: string })[] = [];
  for (const token of text.match(/\$\$\{|\$\{[^}]*\}?|[^$]+|\$/g) ?? []) {
    if (token === '$${' || !token.startsWith('${')) {
      parts.push(token === '$${' ? '${' : token);
      continue;
    }
    const secretName = /^\$\{([a-zA-Z0-9_]{1,64})\}$/.exec(token)?.[1];
    if (secretName === undefined) {
      return {
        problem:
          '${ must be followed by the name of a secret and a closing brace; write $${ for a literal ${',
      };
    }
    if (!known.has(secretName)) {
      return { problem: unknownSecret(secretName, [...known]) };
    }
    parts.push({ secretName });
  }
  return { parts };
}

/**
 * Words as people name secrets. Keys, tokens and passwords do not match, so that one between the
 * braces is not quoted.
 */
const NAME_WORDS =
  /^_?(?:[A-Z]?[a-z]{1,14}|[A-Z]{1,14})(?:_[A-Z]?[a-z]{1,14}|_[A-Z]{1,14}|[A-Z][a-z]{1,14}){0,5}(?:_\d{1,3})?$/;
const MAX_NAME_SHOWN = 40;
const MAX_NAMES_LISTED = 20;

function unknownSecret(name: string, known: readonly string[]): string {
  const meant = suggestion(name, known);
  const shown = meant !== '' || isName(name) ? name : '…';
  const listed = known.filter(isName).slice(0, MAX_NAMES_LISTED);
  const more = known.length > listed.length ? ' and others' : '';
  const there =
    known.length === 0 ? 'this user has no secrets' : `there are ${listed.join(', ')}${more}`;
  return `there is no secret for \${${shown}}${meant}${listed.length > 0 || known.length === 0 ? `; ${there}` : ''}`;
}

function isName(text: string): boolean {
  return text.length <= MAX_NAME_SHOWN && NAME_WORDS.test(text);
}

export function renderTemplate(template: Template, secrets: ReadonlyMap<string, Secret>): string {
  return template.parts
    .map((part) => {
      if (typeof part === 'string') return part;
      const secret = secrets.get(part.secretName);
      if (secret === undefined) throw new Error(`the secret "${part.secretName}" is not loaded`);
      return secret.reveal();
    })
    .join('');
}

/** The names of the secrets that rendering attaches, each once. */
export function secretNamesOf(template: Template): string[] {
  const names = template.parts.flatMap((part) => (typeof part === 'string' ? [] : part.secretName));
  return [...new Set(names)];
}
