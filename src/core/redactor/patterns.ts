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
  const secretsWith = new Map<string, number>();
  for (const secret of secrets) {
    const forms = compileForms(secret);
    for (const form of forms.patterns) folded.add(foldCase(form));
    spelled.push(...forms.spelled);
    for (const run of new Set(forms.spelled.flatMap(({ runs }) => runs))) {
      secretsWith.set(run, (secretsWith.get(run) ?? 0) + 1);
    }
  }
  // Where many secrets have a long part in common, one hit must not verify all of them.
  const rarest = spelled.map((value) => value.withRarestAnchor((run) => secretsWith.get(run)!));
  return { folded: [...folded], spelled: rarest };
}
