/** What a client may offer while somebody types the name of a vault or the path of a note. */
import type { Caller } from '../core/http/caller.ts';
import type { Complete } from '../mcp/provider.ts';
import type { NotesParts } from './tool-kit/notes-tool.ts';
import type { OpenVault } from './vaults/open-vault.ts';

/** One more than is sent, so that it can be told that there are more. */
const MAX = 101;
/** No path is longer, and every path is compared with what is typed. */
const MAX_PATH_LENGTH = 1024;

/** Paths are those of the vault that is filled in already, or of the default one. */
export function notesCompletion({ vaults }: NotesParts): Complete<Caller> {
  return async ({ argument: { name, value }, known }) => {
    const names = vaults.names();
    if (name === 'vault') return names.filter((vault) => vault.startsWith(value));
    if (name !== 'path') return [];
    const chosen = known.vault || vaults.defaultName;
    return names.includes(chosen) ? paths(vaults.get(chosen), value) : [];
  };
}

/** First what begins as typed, then notes with the typed text in their names. */
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
