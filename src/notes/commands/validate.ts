/** `validate`: every problem at once, or a summary of what would run. Never a value to hide. */
import type { Output } from '../../core/command-line/output.ts';
import type { Environment } from '../../core/config/environment.ts';
import { formatProblem, quoteUrl } from '../../core/config/problems.ts';
import { Redactor } from '../../core/redactor/redactor.ts';
import { type NotesConfig, readNotesConfig } from '../config.ts';
import { type DataReading, readData } from '../data.ts';
import { missingParts } from '../missing-parts.ts';

export async function validate(env: Environment, output: Output): Promise<number> {
  const { config, problems, warnings } = readNotesConfig(env);
  const found = config && (await readData(config));
  const missing = config ? await missingParts(config) : [];
  const own = config?.decoys?.file
    ? await (await import('../routes.ts')).decoyProblems(config.decoys)
    : [];
  const all = [...problems, ...(found?.problems ?? []), ...missing, ...own];
  // A secret may also be in another variable by mistake.
  const redactor = Redactor.of(config?.secrets ?? []);
  const clean = (text: string) => redactor.text(text).text;
  for (const problem of all) output.err(clean(formatProblem(problem)));
  for (const warning of [...warnings, ...(found?.warnings ?? [])])
    output.err(clean(`warning: ${formatProblem(warning)}`));
  if (config?.store) {
    const { judgeStore } = await import('../../core/redis/judge-server.ts');
    for (const warning of await judgeStore(config.store)) {
      output.err(clean(`warning: NOTES_STORE: ${warning}`));
    }
  }
  if (!config || !found || all.length > 0) {
    output.err(`${all.length} problem${all.length === 1 ? '' : 's'} in the environment`);
    return 1;
  }
  for (const line of summary(config, found)) output.out(clean(line));
  return 0;
}

function* summary(config: NotesConfig, { vaults, defaultVault }: DataReading): Iterable<string> {
  const { git, metrics } = config;
  yield 'OK';
  yield `public_url ${config.publicUrl}`;
  yield `listen ${config.listen.text}`;
  const isHash = config.password.kind === 'bcrypt';
  yield `user ${config.username}, password ${isHash ? 'as a bcrypt hash' : 'in plain text'}`;
  yield `data ${config.data}`;
  yield `vaults ${vaults.join(', ') || '(none yet)'}; default ${defaultVault}`;
  const { policy, hiddenTools } = config.access;
  if (policy.readOnly) yield 'read-only';
  else if (policy.folders) yield `writes ${policy.folders.join(', ')}`;
  if (hiddenTools.size > 0) yield `without ${[...hiddenTools].join(', ')}`;
  if (git) yield `git as ${git.author.name} <${git.author.email}>`;
  if (git?.remote) {
    yield `git remote ${quoteUrl(git.remote)}, ${git.token ? 'with a token' : 'without a token'}`;
  }
  if (!git) yield 'git off';
  yield `search by meaning ${describeEmbeddings(config)}`;
  yield `metrics ${metrics ? (metrics.listen?.text ?? 'on the public listener') : 'off'}`;
  if (config.store) yield `store ${config.store.text}`;
  yield `decoys ${config.decoys ? 'on' : 'off'}`;
}

/** Says what leaves the machine. */
function describeEmbeddings({ embeddings }: NotesConfig): string {
  if (embeddings === undefined) return 'off';
  const { kind, exclude } = embeddings;
  const kept = exclude.length > 0 ? `, except ${exclude.join(', ')}` : '';
  if (kind === 'local')
    return `with ${embeddings.folder ?? 'the packaged model'} on this machine${kept}`;
  const key = embeddings.key ? 'with a key' : 'without a key';
  return `with ${embeddings.model}: notes and searches are sent to ${quoteUrl(embeddings.url)}, ${key}${kept}`;
}
