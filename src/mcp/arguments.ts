/**
 * Turns schema errors into one sentence a model can act on: which argument, what is expected.
 * The values themselves are never repeated; they may be secrets.
 */
import type { TLocalizedValidationError } from 'typebox/error';

const MAX_PROBLEMS = 5;

export function describeProblems(errors: readonly TLocalizedValidationError[]): string {
  const unions = errors.filter(isUnion);
  const sentences = new Set<string>();
  for (const error of errors) {
    // The alternatives of a union fail one by one before the union does: it speaks for them.
    if (unions.some((union) => isAlternative(error, union))) continue;
    // `additionalProperties` repeats in one error what this says of each member.
    if (error.keyword === 'boolean') continue;
    sentences.add(describeProblem(error, errors));
  }
  const shown = [...sentences].slice(0, MAX_PROBLEMS);
  const more = sentences.size - shown.length;
  return shown.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

function describeProblem(
  error: TLocalizedValidationError,
  all: readonly TLocalizedValidationError[],
): string {
  const name = argumentName(error.instancePath);
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties
        .map((property) => `\`${member(name, property)}\` is required`)
        .join('; ');
    case 'additionalProperties':
      return error.params.additionalProperties
        .map((property) => `\`${member(name, property)}\` is not an argument of this tool`)
        .join('; ');
    case 'type':
      return `${subject(name)} must be ${article([error.params.type].flat().join(' or '))}`;
    case 'enum':
      return `${subject(name)} must be one of ${list(error.params.allowedValues)}`;
    case 'anyOf':
    case 'oneOf':
      return `${subject(name)} must be ${alternatives(error, all)}`;
    default:
      return `${subject(name)} ${error.message}`;
  }
}

/** What a union would have taken: its constants, or the types of its alternatives. */
function alternatives(
  union: TLocalizedValidationError,
  all: readonly TLocalizedValidationError[],
): string {
  const own = all.filter((error) => isAlternative(error, union));
  const constants = own.flatMap((error) =>
    error.keyword === 'const' ? [error.params.allowedValue] : [],
  );
  if (constants.length > 0) return `one of ${list(constants)}`;
  const types = own.flatMap((error) =>
    error.keyword === 'type' ? [error.params.type].flat() : [],
  );
  return types.length > 0
    ? [...new Set(types)].map(article).join(' or ')
    : 'in one of the forms of its schema';
}

function isUnion(error: TLocalizedValidationError): boolean {
  return error.keyword === 'anyOf' || error.keyword === 'oneOf';
}

function isAlternative(
  error: TLocalizedValidationError,
  union: TLocalizedValidationError,
): boolean {
  return error.schemaPath.startsWith(`${union.schemaPath}/${union.keyword}/`);
}

/** `/headers/a~1b` is `headers.a/b`. */
function argumentName(instancePath: string): string {
  return instancePath
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

function member(name: string, property: string): string {
  return name === '' ? property : `${name}.${property}`;
}

function subject(name: string): string {
  return name === '' ? '`arguments`' : `\`${name}\``;
}

function article(type: string): string {
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function list(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
}
