/**
 * What is searched for: the byte patterns of all forms of all secrets, folded to lower case, sorted,
 * each once; and the values whose signs may be spelled in any way.
 */
import type { Secret } from '../secrets/secret.ts';
import { compileForms } from './forms.ts';
import type { SpelledValue } from './spelled-value.ts';

export interface Patterns {
  readonly folded: readonly Uint8Array[];
  readonly spelled: readonly SpelledValue[];
}

/** As strings they are folded, compared and sorted many times faster than as bytes. */
export function compilePatterns(secrets: Iterable<Secret>): Patterns {
  const patterns = new Set<string>();
  const spelled: SpelledValue[] = [];
  for (const secret of secrets) {
    const forms = compileForms(secret);
    for (const form of forms.patterns) patterns.add(foldCase(form));
    spelled.push(...forms.spelled);
  }
  return { folded: [...patterns].sort().map((form) => Buffer.from(form, 'latin1')), spelled };
}

/** As `FOLD` does it: letters beyond ASCII stay as they are. */
function foldCase(form: string): string {
  if (!/[\u0080-\u00ff]/.test(form)) return form.toLowerCase();
  return form.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
