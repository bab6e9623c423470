/**
 * What a client can be asked for while a tool runs, from the capabilities that it declares. Nothing else
 * of them is kept with a session.
 */
export type Ability = 'elicitation.form' | 'elicitation.url' | 'sampling' | 'roots';

export const NO_ABILITIES: readonly Ability[] = [];

/** An elicitation without a mode means forms, as in the revisions before 2025-11-25. */
export function abilitiesOf(capabilities: unknown): readonly Ability[] {
  const { elicitation, sampling, roots } = membersOf(capabilities);
  const abilities: Ability[] = [];
  if (elicitation !== undefined) {
    const { form, url } = membersOf(elicitation);
    if (form !== undefined || url === undefined) abilities.push('elicitation.form');
    if (url !== undefined) abilities.push('elicitation.url');
  }
  if (sampling !== undefined) abilities.push('sampling');
  if (roots !== undefined) abilities.push('roots');
  return abilities;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
