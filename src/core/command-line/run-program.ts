/**
 * Runs a program. Exit codes: 0 success, 1 failure, 2 usage error. Every program also has the commands
 * `version`, `completion` and `help`.
 */
import type { Environment } from '../config/environment.ts';
import { INSTALLATION, quote, suggestion } from '../config/problems.ts';
import { refuseToStart } from '../config/report-problems.ts';
import { createLog, describeError } from '../log/log.ts';
import { missingPart } from '../missing-part.ts';
import { buildInfo, VERSION } from '../version.ts';
import { completionScript, SHELLS } from './completion.ts';
import { commandHelp, programHelp } from './help.ts';
import { type CommandOutput, paintFor, standardOutput } from './output.ts';
import { parseWords } from './parse.ts';
import { type Command, command, type Program } from './program.ts';

const ALIASES: Readonly<Record<string, string>> = {
  '--version': 'version',
  '-v': 'version',
  '-V': 'version',
  '--help': 'help',
  '-h': 'help',
};

export async function runProgram(
  program: Program,
  words: readonly string[],
  env: Environment,
  output: CommandOutput = standardOutput(env),
): Promise<number> {
  const [given, ...rest] = words;
  if (given === undefined) {
    return program.serve(env).catch((error: unknown) => {
      const missing = missingPart(error);
      // Any other error is logged, cleaned of secrets.
      if (missing === undefined) throw error;
      const problem = { file: INSTALLATION, message: missing };
      return refuseToStart(`${program.name} cannot start`, [problem], createLog({ level: 'info' }));
    });
  }
  const complete = withCommonCommands(program);
  const { commands } = complete;
  const word = ALIASES[given] ?? given;
  const found = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (!found) return unknownCommand(complete, given, output);
  const parsed = parseWords(word, found, rest);
  switch (parsed.kind) {
    case 'help':
      output.write(commandHelp(program.name, word, found, paintFor(output)));
      return 0;
    case 'misunderstood':
      output.err(`${parsed.message}; ${program.name} help ${word} tells more`);
      return 2;
    case 'run':
      try {
        return await found.run({ args: parsed.args, flags: parsed.flags as never, env, output });
      } catch (error) {
        output.err(`${program.name} ${word} failed: ${missingPart(error) ?? describeError(error)}`);
        return 1;
      }
  }
}

function withCommonCommands(program: Program): Program {
  const commands: Record<string, Command> = {
    ...program.commands,
    completion: command({
      summary: 'print a script that completes commands and flags',
      arguments: [{ name: 'shell', completes: SHELLS }],
      details: `For bash: source <(${program.name} completion bash)
For zsh: source <(${program.name} completion zsh), after compinit`,
      run: ({ args: [shell = ''], output }) => {
        const script = completionScript(shell, complete);
        if (script === undefined) {
          output.err(`the shell is not one of ${SHELLS.join(', ')}`);
          return 2;
        }
        output.write(script);
        return 0;
      },
    }),
    version: command({
      summary: 'show version, commit and build date',
      run: ({ output }) => {
        const { commit, date } = buildInfo();
        output.out(`${program.name} ${VERSION} (commit ${commit}, built ${date})`);
        return 0;
      },
    }),
    help: command({
      summary: 'show this, or more of one command',
      arguments: [{ name: 'command', isOptional: true, completes: Object.keys(program.commands) }],
      run: ({ args: [word], output }) => {
        const paint = paintFor(output);
        if (word === undefined) output.write(programHelp(complete, paint));
        else if (!Object.hasOwn(commands, word)) return unknownCommand(complete, word, output);
        else output.write(commandHelp(program.name, word, commands[word]!, paint));
        return 0;
      },
    }),
  };
  const complete: Program = { ...program, commands };
  return complete;
}

function unknownCommand({ name, commands }: Program, given: string, output: CommandOutput): number {
  const hint = suggestion(given, Object.keys(commands));
  output.err(`unknown command ${quote(given)}${hint}; ${name} help lists the commands`);
  return 2;
}
