/**
 * Parses the arguments and flags of a command. An error quotes a word only if it looks like a flag, since
 * others may be a password.
 */
import { parseArgs } from 'node:util';
import { quote, suggestion } from '../config/problems.ts';
import { type Argument, type Command, type Flag, type Flags, usageOf } from './program.ts';

type Parsed =
  | { readonly kind: 'run'; readonly args: readonly string[]; readonly flags: ParsedFlags }
  | { readonly kind: 'help' }
  | { readonly kind: 'misunderstood'; readonly message: string };

type ParsedFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

type OptionToken = Extract<ReturnType<typeof tokensOf>[number], { kind: 'option' }>;

const FLAG_NAME = /^--[a-z][a-z-]*$/;

export function parseWords(name: string, command: Command, words: readonly string[]): Parsed {
  const { arguments: wanted = [], flags: known = {} } = command;
  const args: string[] = [];
  const given = new Map<string, string[]>();
  for (const token of tokensOf(words, known)) {
    if (token.kind === 'positional') args.push(token.value);
    if (token.kind !== 'option') continue;
    const word = words[token.index]!;
    if (word === '--help' || word === '-h') return { kind: 'help' };
    const taken = takeFlag(name, word, token, known);
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

function tokensOf(words: readonly string[], known: Flags) {
  const options = Object.entries(known).map(([flag, { value }]) => {
    return [flag, { type: value === undefined ? 'boolean' : 'string' }] as const;
  });
  const config = { options: Object.fromEntries(options), strict: false, tokens: true } as const;
  return parseArgs({ ...config, args: [...words] }).tokens;
}

function takeFlag(
  command: string,
  word: string,
  { value, inlineValue }: Pick<OptionToken, 'value' | 'inlineValue'>,
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
  if (definition.value === undefined) {
    return inlineValue ? { message: `${flag} takes no value` } : { flag: name, value: '' };
  }
  if (value === undefined || (!inlineValue && value.startsWith('--'))) {
    const example = `${flag}=${definition.value}`;
    return { message: `${flag} needs a value; write ${example} for one that begins with --` };
  }
  return { flag: name, value };
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
  if (args.length > wanted.length && !wanted.at(-1)?.repeats)
    return `too many arguments after ${name}`;
  const missing = wanted.find(({ isOptional }, index) => !isOptional && args[index] === undefined);
  return missing && `no ${missing.name} given: ${usageOf(name, command)}`;
}

function misunderstood(message: string): Parsed {
  return { kind: 'misunderstood', message };
}
