/** A program as a table of its commands, from which parsing, help, suggestions and completion follow. */
import type { Environment } from '../config/environment.ts';
import type { CommandOutput } from './output.ts';

export interface Program {
  readonly name: string;
  /** What the program is for, after its name and a colon. */
  readonly summary: string;
  /** What it does without a command. */
  readonly serve: (env: Environment) => Promise<number>;
  /** In the order in which help shows them. */
  readonly commands: Readonly<Record<string, Command>>;
  /** What else help says: the variables of the environment. */
  readonly notes: string;
}

export interface Argument {
  readonly name: string;
  readonly isOptional?: true;
  /** The last one may be given several times. */
  readonly repeats?: true;
  /** Shells complete the names of files, or one of these words. */
  readonly completes?: 'files' | readonly string[];
}

export interface Flag {
  readonly summary: string;
  /** The name of the value in help; a flag without one is a boolean. */
  readonly value?: string;
  /** The values it may have. */
  readonly choices?: readonly string[];
  readonly completes?: 'files';
  readonly isRequired?: true;
  /** May be given several times. */
  readonly repeats?: true;
}

export type Flags = Readonly<Record<string, Flag>>;

type FlagValues<F extends Flags> = {
  readonly [Name in keyof F]: F[Name] extends { readonly repeats: true }
    ? readonly string[]
    : F[Name] extends { readonly value: string }
      ? F[Name] extends { readonly isRequired: true }
        ? string
        : string | undefined
      : boolean;
};

/** The parsed invocation of a command. */
interface Invocation<F extends Flags = Flags> {
  /** The arguments in order; an optional one may be missing. */
  readonly args: readonly (string | undefined)[];
  readonly flags: FlagValues<F>;
  readonly env: Environment;
  readonly output: CommandOutput;
}

export interface Command<F extends Flags = Flags> {
  readonly summary: string;
  readonly arguments?: readonly Argument[];
  readonly flags?: F;
  /** What its own help says beyond the table. */
  readonly details?: string;
  readonly run: (invocation: Invocation<F>) => number | Promise<number>;
}

/** A command whose `run` knows the types of its flags. */
export function command<const F extends Flags>(definition: Command<F>): Command {
  return definition as unknown as Command;
}

/** `validate [path]`, `export --format stix|ips [file]`: what is after the program's name. */
export function usageOf(name: string, { arguments: args = [], flags = {} }: Command): string {
  const required = Object.entries(flags).filter(([, flag]) => flag.isRequired);
  const isAnyOptional = Object.keys(flags).length > required.length;
  return [
    name,
    ...required.map(([flag, definition]) => flagUsage(flag, definition)),
    ...args.map(({ name: word, isOptional, repeats }) => {
      const shown = repeats ? `${word}...` : word;
      return isOptional ? `[${shown}]` : `<${shown}>`;
    }),
    ...(isAnyOptional ? ['[flags]'] : []),
  ].join(' ');
}

/** Longer lists of choices are shown in the summary only. */
const MAX_CHOICES = 24;

export function flagUsage(name: string, flag: Flag): string {
  const shown = hasManyChoices(flag) ? flag.value : (flag.choices?.join('|') ?? flag.value);
  return shown === undefined ? `--${name}` : `--${name} ${shown}`;
}

export function hasManyChoices({ choices }: Flag): boolean {
  return choices !== undefined && choices.join('|').length > MAX_CHOICES;
}
