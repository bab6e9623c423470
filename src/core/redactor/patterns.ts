/**
 * The patterns of all secrets: their forms in lower case, without duplicates, and the values whose signs
 * may be spelled in any way.
 */
import type { Secret } from '../secrets/secret.ts';
import { chooseAnchors, type Spellable } from './anchors.ts';
import { foldCase } from './fold.ts';
import { compileForms } from './forms.ts';
import { signReaderOf } from './sign-reader.ts';
import { SpelledValue } from './spelled-value.ts';
import { isLetters } from './tokens.ts';

export interface Patterns {
  /** One character for each byte: strings are compared and sorted many times faster than bytes. */
  readonly folded: readonly string[];
  readonly spelled: readonly SpelledValue[];
}

export function compilePatterns(secrets: Iterable<Secret>): Patterns {
  const folded = new Set<string>();
  const spellable: (readonly Spellable[])[] = [];
  for (const secret of secrets) {
    const forms = compileForms(secret);
    for (const form of forms.patterns) folded.add(foldCase(form));
    spellable.push(forms.spelled);
  }
  const values = spellable.flat();
  const signs = values.flatMap(({ parts }) => parts.filter((part) => !isLetters(part)));
  const reader = signReaderOf(signs);
  // Anchors are chosen together, so that one hit does not verify many secrets with a common part.
  const anchors = chooseAnchors(spellable);
  const spelled = values.map((value) => new SpelledValue(value, anchors.get(value), reader));
  return { folded: [...folded], spelled };
}
