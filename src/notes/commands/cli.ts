/** The commands of `notes`. Each is loaded when it is asked for, so that all answer at once. */
import { hashpwCommand } from '../../core/command-line/hashpw.ts';
import type { CommandOutput } from '../../core/command-line/output.ts';
import { command, type Program } from '../../core/command-line/program.ts';
import { runProgram } from '../../core/command-line/run-program.ts';
import type { Environment } from '../../core/config/environment.ts';

const NOTES: Program = {
  name: 'notes',
  summary: 'keeps a Markdown knowledge base that a model can search and edit safely',
  serve: async (env) => (await import('../serve.ts')).serve(env),
  commands: {
    reindex: command({
      summary: 'rebuild the index from the files, also while the server runs',
      run: async ({ env, output }) => {
        const { write, columns } = output;
        return (await import('./reindex.ts')).reindex(env, output, { write, columns });
      },
    }),
    canary: command({
      summary: 'make a note a tripwire: its delivery to a model is logged',
      arguments: [{ name: 'path', completes: 'files' }],
      flags: { vault: { summary: 'the vault, unless the default', value: '<name>' } },
      details:
        'The path is relative to the vault, which lists its canaries in .notes/canaries.\nA running server knows them within a second.',
      run: async ({ args, flags, env, output }) =>
        (await import('./canary.ts')).canary(env, output, args[0]!, flags.vault),
    }),
    validate: command({
      summary: 'check the configuration and show what it means',
      details: 'Every problem is shown at once. Nothing that must stay hidden is ever shown.',
      run: async ({ env, output }) => (await import('./validate.ts')).validate(env, output),
    }),
    hashpw: hashpwCommand('NOTES_PASSWORD'),
  },
  notes: `Environment, required: NOTES_PUBLIC_URL, NOTES_USERNAME, NOTES_PASSWORD (or bcrypt:, file:, env:).
With defaults: NOTES_LISTEN (:2020), NOTES_DATA (/data), NOTES_DEFAULT_VAULT (default),
NOTES_READONLY (false), NOTES_GIT (false), NOTES_GIT_AUTHOR (notes),
NOTES_GIT_EMAIL (notes@localhost),
NOTES_TOKEN_TTL (12h), NOTES_CODE_TTL (60s), NOTES_LOGIN_RATE_LIMIT (10/m),
NOTES_CONSOLE (true), NOTES_ON_TRIPWIRE (log; freeze), NOTES_METRICS (false),
NOTES_EMBEDDINGS (off; local or a URL),
NOTES_LOG_LEVEL (info; debug, warn, error), NOTES_LOG_FILE.
Without: NOTES_GIT_REMOTE ({vault} stands for the name), NOTES_GIT_TOKEN, NOTES_METRICS_LISTEN,
NOTES_METRICS_KEY, NOTES_TRUSTED_PROXIES, NOTES_ALLOWED_ORIGINS, NOTES_DECOYS_KEY,
NOTES_DECOYS_OLD_KEYS, NOTES_DECOYS_FILE, NOTES_DECOYS_PERSONA, NOTES_WRITE, NOTES_TOOLS,
NOTES_EMBEDDINGS_MODEL, NOTES_EMBEDDINGS_KEY,
NOTES_EMBEDDINGS_EXCLUDE, NOTES_STORE, NOTES_SEAL_KEY, NOTES_TOTP.`,
};

export function run(
  words: readonly string[],
  env: Environment,
  output?: CommandOutput,
): Promise<number> {
  return runProgram(NOTES, words, env, output);
}
