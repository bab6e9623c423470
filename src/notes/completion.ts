/** Completes the names of vaults and the paths of notes. */
import type { Caller } from '../core/http/caller.ts';
import type { Complete } from '../mcp/provider.ts';
import type { NotesParts } from './tool-kit/notes-tool.ts';
import type { OpenVault } from './vaults/open-vault.ts';

/** One more than is sent, so that the client learns that there are more. */
const MAX = 101;
/** No path is longer; bounds the comparison with every path. */
const MAX_PATH_LENGTH = 1024;

/** Paths are those of the vault given so far, or of the default vault. */
export function notesCompletion({ vaults }: NotesParts): Complete<Caller> {
  return async ({ argument: { name, value }, known }) => {
    const names = vaults.names();
    if (name === 'vault') return names.filter((vault) => vault.startsWith(value));
    if (name !== 'path') return [];
    const chosen = known.vault || vaults.defaultName;
    return names.includes(chosen) ? paths(vaults.get(chosen), value) : [];
  };
}

/** Paths that begin with the text first, then notes with the text in their names. */
async function paths({ index }: OpenVault, typed: string): Promise<string[]> {
  if (typed.length > MAX_PATH_LENGTH) return [];
  const begins = await index.list({ pathStart: typed, limit: MAX });
  const found = new Set(begins.items.map(({ path }) => path));
  if (found.size < MAX && !typed.includes('/')) {
    const named = await index.list({ namePart: typed, limit: MAX });
    for (const { path } of named.items) found.add(path);
  }
  return [...found].slice(0, MAX);
}
