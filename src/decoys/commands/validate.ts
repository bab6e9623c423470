/** `decoys validate [file]`: every problem of the settings and of a decoy file, or what would run. */
import type { Output } from '../../core/command-line/output.ts';
import type { Environment } from '../../core/config/environment.ts';
import { formatProblem, type Problem } from '../../core/config/problems.ts';
import { readSettings } from '../settings.ts';

export async function validate(
  file: string | undefined,
  env: Environment,
  output: Output,
): Promise<number> {
  // A file that is named replaces that of the environment.
  const settings = readSettings(file === undefined ? env : { ...env, DECOYS_FILE: file });
  if ('problems' in settings) return refuse(settings.problems, output);
  for (const warning of settings.warnings) output.err(`warning: ${formatProblem(warning)}`);
  const { definitions, listen, persona, isKeyRandom } = settings;
  output.out('OK');
  output.out(`listen ${listen.text}`);
  output.out(`key ${isKeyRandom ? 'random: tokens cannot be read after a restart' : 'set'}`);
  if (persona?.name !== undefined) output.out(`persona ${persona.name}`);
  for (const { tag, methods, paths } of definitions) {
    const names = methods === 'any' ? methods : methods.join(', ');
    output.out(`decoy ${tag}: ${names} ${paths.map(({ text }) => text).join(' ')}`);
  }
  return 0;
}

function refuse(problems: readonly Problem[], output: Output): number {
  for (const problem of problems) output.err(formatProblem(problem));
  output.err(`${problems.length} problem${problems.length === 1 ? '' : 's'}`);
  return 1;
}
