/** What may be written, and which tools are offered. */
import type { EnvironmentReader } from '../core/config/environment.ts';
import { quote } from '../core/config/problems.ts';
import { pathProblem } from './files/vault-path.ts';
import { TOOL_NAMES } from './tools.ts';
import type { WritePolicy } from './vaults/write-policy.ts';

export interface Access {
  readonly policy: WritePolicy;
  /** The names of the tools that are switched off. */
  readonly hiddenTools: ReadonlySet<string>;
}

export function readAccess(reader: EnvironmentReader): Access {
  const readOnly = reader.boolean('NOTES_READONLY');
  const folders = reader.list('NOTES_WRITE');
  for (const folder of folders) {
    const problem = pathProblem(folder);
    if (problem) reader.problem('NOTES_WRITE', `${quote(folder)}: ${problem.message}`);
  }
  if (readOnly && folders.length > 0) {
    reader.warn('NOTES_WRITE', 'does nothing while NOTES_READONLY is true');
  }
  const policy = { ...(readOnly && { readOnly }), ...(folders.length > 0 && { folders }) };
  return { policy, hiddenTools: readTools(reader) };
}

/** `-one,-two` switches tools off; `one,two` offers these alone. */
function readTools(reader: EnvironmentReader): ReadonlySet<string> {
  const name = 'NOTES_TOOLS';
  const entries = reader.list(name);
  const off = entries.filter((entry) => entry.startsWith('-')).map((entry) => entry.slice(1));
  const only = entries.filter((entry) => !entry.startsWith('-'));
  for (const tool of [...off, ...only]) {
    if (!TOOL_NAMES.includes(tool)) {
      reader.problem(
        name,
        `there is no tool ${quote(tool)}; the tools are ${TOOL_NAMES.join(', ')}`,
      );
    }
  }
  if (off.length > 0 && only.length > 0) {
    reader.problem(
      name,
      'mixes tools with and without "-"; name those to switch off, or those to offer',
    );
  }
  return new Set(only.length > 0 ? TOOL_NAMES.filter((tool) => !only.includes(tool)) : off);
}
