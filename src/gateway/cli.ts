/** The commands of `gateway` and their exit codes: 0 done, 1 failed, 2 not understood. */
import type { Environment } from '../core/environment.ts';
import { hashpw } from '../core/hashpw.ts';
import type { Output } from '../core/output.ts';
import { quote, suggestion } from '../core/problems.ts';
import { buildInfo, VERSION } from '../core/version.ts';
import { validate } from './commands/validate.ts';

const HELP_WORDS = ['help', '--help', '-h'];
const COMMANDS = ['validate', 'hashpw', 'version', 'help'] as const;

const HELP = `gateway: lets a model send HTTP requests without ever holding a key

  gateway                  run the server
  gateway validate [path]  check a configuration and show what it permits
  gateway hashpw           make a password hash for the configuration
  gateway version          show version, commit and build date

Environment: GATEWAY_CONFIG (default /etc/gateway/config.yaml), GATEWAY_LISTEN,
GATEWAY_PUBLIC_URL, GATEWAY_LOG_LEVEL (debug, info, warn, error).`;

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
  const allowed = command === 'validate' ? 1 : 0;
  // Not quoted: it may be a password.
  if (rest.length > allowed) return misunderstood(`too many arguments after ${command}`, output);
  switch (command) {
    case undefined: {
      // Loaded only to run: the other commands answer at once.
      const { serve } = await import('./serve.ts');
      return serve(env);
    }
    case 'validate':
      return validate(rest[0], env, output);
    case 'hashpw':
      return hashpw(process.stdin, output);
    case 'version':
    case '--version': {
      const { commit, date } = buildInfo();
      output.out(`gateway ${VERSION} (commit ${commit}, built ${date})`);
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
  output.err(`${message}; gateway help lists the commands`);
  return 2;
}
