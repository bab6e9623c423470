/**
 * From words to a command with its arguments and flags. A word that is not understood is never
 * repeated unless it looks like the name of a command or a flag: it may be a password.
 */
import { quote, suggestion } from '../config/problems.ts';
import { type Argument, type Command, type Flag, type Flags, usageOf } from './program.ts';

export type Parsed =
  | { readonly kind: 'run'; readonly args: readonly string[]; readonly flags: ParsedFlags }
  | { readonly kind: 'help' }
  | { readonly kind: 'misunderstood'; readonly message: string };

type ParsedFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

const FLAG_NAME = /^--[a-z][a-z-]*$/;

export function parseWords(name: string, command: Command, words: readonly string[]): Parsed {
  const { arguments: wanted = [], flags: known = {} } = command;
  const args: string[] = [];
  const given = new Map<string, string[]>();
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      args.push(...rest);
      break;
    }
    if (word === '--help' || word === '-h') return { kind: 'help' };
    if (!word.startsWith('-') || word === '-') {
      args.push(word);
      continue;
    }
    const taken = takeFlag(name, word, rest, known);
    if ('message' in taken) return misunderstood(taken.message);
    given.set(taken.flag, [...(given.get(taken.flag) ?? []), taken.value]);
  }
  const flags: Record<string, ParsedFlags[string]> = {};
  for (const [flag, definition] of Object.entries(known)) {
    const problem = flagProblem(flag, definition, given.get(flag));
    if (problem !== undefined) return misunderstood(problem);
    flags[flag] = givenValue(definition, given.get(flag));
  }
  const problem = argumentProblem(name, command, wanted, args);
  return problem === undefined ? { kind: 'run', args, flags } : misunderstood(problem);
}

/** Takes the value from the same word, behind an equals sign, or from the next. */
function takeFlag(
  command: string,
  word: string,
  rest: string[],
  known: Flags,
): { readonly flag: string; readonly value: string } | { readonly message: string } {
  const [flag = ''] = word.split('=', 1);
  const name = flag.slice(2);
  const definition = flag.startsWith('--') && Object.hasOwn(known, name) ? known[name] : undefined;
  if (!definition) {
    const names = Object.keys(known).map((each) => `--${each}`);
    const shown = FLAG_NAME.test(flag) ? ` ${quote(flag)}${suggestion(flag, names)}` : '';
    return { message: `unknown flag${shown} after ${command}` };
  }
  const joined = word.length > flag.length ? word.slice(flag.length + 1) : undefined;
  if (definition.value === undefined) {
    return joined === undefined ? { flag: name, value: '' } : { message: `${flag} takes no value` };
  }
  if (joined !== undefined) return { flag: name, value: joined };
  if (rest[0] === undefined || rest[0].startsWith('--')) {
    const example = `${flag}=${definition.value}`;
    return { message: `${flag} needs a value; write ${example} for one that begins with --` };
  }
  return { flag: name, value: rest.shift()! };
}

function flagProblem(
  name: string,
  { value, choices, isRequired, repeats }: Flag,
  given: readonly string[] | undefined,
): string | undefined {
  if (given === undefined) {
    if (!isRequired) return undefined;
    return choices
      ? `--${name} is missing; it is one of ${choices.join(', ')}`
      : `--${name} is missing; it takes ${value}`;
  }
  if (given.length > 1 && !repeats) return `--${name} is given twice`;
  if (!choices || given.every((each) => choices.includes(each))) return undefined;
  return `--${name} is not one of ${choices.join(', ')}`;
}

function givenValue({ value, repeats }: Flag, given: readonly string[] | undefined) {
  if (repeats) return given ?? [];
  return value === undefined ? given !== undefined : given?.[0];
}

function argumentProblem(
  name: string,
  command: Command,
  wanted: readonly Argument[],
  args: readonly string[],
): string | undefined {
  // Not quoted: it may be a password.
  if (args.length > wanted.length) return `too many arguments after ${name}`;
  const missing = wanted.find(({ isOptional }, index) => !isOptional && args[index] === undefined);
  return missing && `no ${missing.name} given: ${usageOf(name, command)}`;
}

function misunderstood(message: string): Parsed {
  return { kind: 'misunderstood', message };
}
