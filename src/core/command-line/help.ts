/** The help texts of a program and of each of its commands. */
import type { Paint } from './output.ts';
import {
  type Command,
  type Flag,
  flagUsage,
  hasManyChoices,
  type Program,
  usageOf,
} from './program.ts';

type Row = readonly [left: string, right: string];

export function programHelp(program: Program, paint: Paint): string {
  const { name, summary, commands, notes } = program;
  const rows: Row[] = [
    [name, 'run the server'],
    ...Object.entries(commands).map(
      ([word, command]): Row => [`${name} ${usageOf(word, command)}`, command.summary],
    ),
  ];
  return [
    `${paint.bold(name)}: ${summary}`,
    '',
    ...columns(rows, paint),
    '',
    `${name} help <command> tells more of one.`,
    '',
    notes,
    '',
  ].join('\n');
}

export function commandHelp(name: string, word: string, command: Command, paint: Paint): string {
  const { summary, flags = {}, details } = command;
  const rows = Object.entries(flags).map(
    ([flag, definition]): Row => [flagUsage(flag, definition), flagSummary(definition)],
  );
  return [
    `${paint.bold(`${name} ${usageOf(word, command)}`)}: ${summary}`,
    ...(rows.length > 0 ? ['', ...columns(rows, paint)] : []),
    ...(details === undefined ? [] : ['', details]),
    '',
  ].join('\n');
}

function flagSummary(flag: Flag): string {
  return hasManyChoices(flag) ? `${flag.summary}: ${flag.choices!.join(', ')}` : flag.summary;
}

function columns(rows: readonly Row[], paint: Paint): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(
    ([left, right]) => `  ${paint.cyan(left)}${' '.repeat(width - left.length)}  ${right}`,
  );
}
