/**
 * What is searched for: the forms of all secrets, folded to lower case, each once; and the values
 * whose signs may be spelled in any way.
 */
import type { Secret } from '../secrets/secret.ts';
import { foldCase } from './fold.ts';
import { compileForms } from './forms.ts';
import type { SpelledValue } from './spelled-value.ts';

export interface Patterns {
  /** One character for each byte: strings are compared and sorted many times faster than bytes. */
  readonly folded: readonly string[];
  readonly spelled: readonly SpelledValue[];
}

export function compilePatterns(secrets: Iterable<Secret>): Patterns {
  const folded = new Set<string>();
  const spelled: SpelledValue[] = [];
  for (const secret of secrets) {
    const forms = compileForms(secret);
    for (const form of forms.patterns) folded.add(foldCase(form));
    spelled.push(...forms.spelled);
  }
  return { folded: [...folded], spelled };
}
