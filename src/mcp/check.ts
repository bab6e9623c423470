/**
 * Argument validation: checks arguments against a schema. The message names the argument and what is
 * expected, so that a model can correct it. It never quotes a value, which may be a secret. A schema
 * with a keyword that is not checked here is refused when the tool is defined.
 */
import type { Schema } from './schema.ts';

const MAX_PROBLEMS = 5;
const CHECKED = new Set([
  ...['type', 'const', 'enum', 'anyOf', 'properties', 'required', 'additionalProperties', 'items'],
  ...['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'minItems', 'maxItems'],
]);
/** Keywords that constrain nothing. */
const ANNOTATIONS = new Set(['title', 'description', 'default', '$schema', 'examples']);

/** The problem with a value, or `undefined` when there is none. */
export function problemOf(schema: Schema, value: unknown): string | undefined {
  const problems: string[] = [];
  check(schema, value, '', problems);
  if (problems.length === 0) return undefined;
  const shown = problems.slice(0, MAX_PROBLEMS).join('; ');
  return problems.length > MAX_PROBLEMS ? `${shown}; and more` : shown;
}

/** Throws for a schema with a keyword that is not checked. */
export function assertCheckable(schema: Schema): void {
  for (const keyword of Object.keys(schema)) {
    if (CHECKED.has(keyword) || ANNOTATIONS.has(keyword) || keyword.startsWith('x-')) continue;
    throw new Error(`the schema keyword "${keyword}" is not checked; see check.ts`);
  }
  const { anyOf = [], properties = {}, items, additionalProperties } = schema;
  const nested = [...anyOf, ...Object.values(properties), items, additionalProperties];
  for (const part of nested) if (typeof part === 'object') assertCheckable(part);
}

/** Stops once more problems are found than are shown: arguments may have a million. */
function check(schema: Schema, value: unknown, name: string, problems: string[]): void {
  if (problems.length > MAX_PROBLEMS) return;
  if (schema.anyOf) {
    if (!schema.anyOf.some((alternative) => accepts(alternative, value))) {
      problems.push(`${subject(name)} must be ${alternatives(schema.anyOf)}`);
    }
    return;
  }
  if (schema.const !== undefined && value !== schema.const) {
    problems.push(`${subject(name)} must be ${JSON.stringify(schema.const)}`);
    return;
  }
  if (schema.enum && !schema.enum.includes(value as string)) {
    problems.push(`${subject(name)} must be ${oneOf(schema.enum)}`);
    return;
  }
  if (schema.type !== undefined && !isOfType(value, schema.type)) {
    problems.push(`${subject(name)} must be ${article(schema.type)}`);
    return;
  }
  const limit = limitProblem(schema, value);
  if (limit) problems.push(`${subject(name)} ${limit}`);
  if (Array.isArray(value)) {
    if (schema.items) {
      for (const [at, item] of value.entries())
        check(schema.items, item, member(name, at), problems);
    }
  } else if (typeof value === 'object' && value !== null) {
    checkMembers(schema, value as Record<string, unknown>, name, problems);
  }
}

function checkMembers(
  { properties = {}, required = [], additionalProperties = true }: Schema,
  value: Readonly<Record<string, unknown>>,
  name: string,
  problems: string[],
): void {
  for (const key of required) {
    if (!Object.hasOwn(value, key)) problems.push(`\`${member(name, key)}\` is required`);
  }
  for (const key of Object.keys(value)) {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (known) check(known, value[key], member(name, key), problems);
    else if (typeof additionalProperties === 'object') {
      check(additionalProperties, value[key], member(name, key), problems);
    } else if (!additionalProperties) {
      problems.push(`\`${member(name, key)}\` is not an argument of this tool`);
    }
  }
}

function accepts(schema: Schema, value: unknown): boolean {
  const problems: string[] = [];
  check(schema, value, '', problems);
  return problems.length === 0;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}

function limitProblem(schema: Schema, value: unknown): string | undefined {
  const { minLength = 0, maxLength = Infinity, pattern } = schema;
  const { minimum = -Infinity, maximum = Infinity, minItems = 0, maxItems = Infinity } = schema;
  if (typeof value === 'string') {
    if (value.length < minLength) return `must have at least ${minLength} characters`;
    if (value.length > maxLength) return `must have at most ${maxLength} characters`;
    if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) {
      return `must match the pattern ${pattern}`;
    }
  } else if (typeof value === 'number') {
    if (value < minimum) return `must be at least ${minimum}`;
    if (value > maximum) return `must be at most ${maximum}`;
  } else if (Array.isArray(value)) {
    if (value.length < minItems) return `must have at least ${minItems} items`;
    if (value.length > maxItems) return `must have at most ${maxItems} items`;
  }
  return undefined;
}

/** What a union accepts: its constants, or the types of its alternatives. */
function alternatives(anyOf: readonly Schema[]): string {
  const constants = anyOf.flatMap((schema) => (schema.const === undefined ? [] : [schema.const]));
  if (constants.length > 0) return oneOf(constants);
  const types = anyOf.flatMap(
    (schema) => schema.type ?? schema.anyOf?.map((part) => part.type) ?? [],
  );
  const known = [...new Set(types)].filter((type) => type !== undefined);
  return known.length > 0 ? known.map(article).join(' or ') : 'in one of the forms of its schema';
}

function oneOf(values: readonly unknown[]): string {
  return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
}

function member(name: string, key: string | number): string {
  return name === '' ? String(key) : `${name}.${key}`;
}

function subject(name: string): string {
  return name === '' ? '`arguments`' : `\`${name}\``;
}

function article(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}
