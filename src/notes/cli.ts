/** The commands of `notes` and their exit codes: 0 done, 1 failed, 2 not understood. */
import type { Environment } from '../core/environment.ts';
import { hashpw } from '../core/hashpw.ts';
import type { Output } from '../core/output.ts';
import { quote, suggestion } from '../core/problems.ts';
import { buildInfo, VERSION } from '../core/version.ts';
import { validate } from './commands/validate.ts';

const HELP_WORDS = ['help', '--help', '-h'];
const COMMANDS = ['reindex', 'validate', 'hashpw', 'version', 'help'] as const;

const HELP = `notes: keeps a Markdown knowledge base that a model can search and edit safely

  notes           run the server
  notes reindex   rebuild the index from the files, also while the server runs
  notes validate  check the configuration and show what it means
  notes hashpw    make a password hash for NOTES_PASSWORD
  notes version   show version, commit and build date

Environment, required: NOTES_PUBLIC_URL, NOTES_USERNAME, NOTES_PASSWORD (or bcrypt:, file:, env:).
With defaults: NOTES_LISTEN (:2020), NOTES_DATA (/data), NOTES_DEFAULT_VAULT (default),
NOTES_GIT (false), NOTES_GIT_AUTHOR (notes), NOTES_GIT_EMAIL (notes@localhost),
NOTES_TOKEN_TTL (12h), NOTES_CODE_TTL (60s), NOTES_LOGIN_RATE_LIMIT (10/m),
NOTES_METRICS (false), NOTES_LOG_LEVEL (info; debug, warn, error).
Without: NOTES_GIT_REMOTE ({vault} stands for the name), NOTES_GIT_TOKEN, NOTES_METRICS_LISTEN,
NOTES_METRICS_KEY, NOTES_TRUSTED_PROXIES, NOTES_ALLOWED_ORIGINS, NOTES_DECOYS_KEY,
NOTES_DECOYS_OLD_KEYS.`;

export async function run(
  args: readonly string[],
  env: Environment,
  output: Output,
): Promise<number> {
  if (args.some((argument) => HELP_WORDS.includes(argument))) {
    output.out(HELP);
    return 0;
  }
  const [command, ...rest] = args;
  // Not quoted: it may be a password.
  if (rest.length > 0) return misunderstood(`too many arguments after ${command}`, output);
  switch (command) {
    case undefined: {
      // Loaded only to run: the other commands answer at once.
      const { serve } = await import('./serve.ts');
      return serve(env);
    }
    case 'reindex': {
      const { reindex } = await import('./commands/reindex.ts');
      const { isTTY, columns } = process.stdout;
      const write = (text: string) => process.stdout.write(text);
      return reindex(env, output, { write, columns: isTTY ? columns || 80 : undefined });
    }
    case 'validate':
      return validate(env, output);
    case 'hashpw':
      return hashpw(process.stdin, output);
    case 'version':
    case '--version': {
      const { commit, date } = buildInfo();
      output.out(`notes ${VERSION} (commit ${commit}, built ${date})`);
      return 0;
    }
    default:
      return misunderstood(
        `unknown command ${quote(command)}${suggestion(command, COMMANDS)}`,
        output,
      );
  }
}

function misunderstood(message: string, output: Output): number {
  output.err(`${message}; notes help lists the commands`);
  return 2;
}
