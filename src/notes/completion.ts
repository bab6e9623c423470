/** What a client may offer while somebody types the name of a vault or the path of a note. */
import type { Caller } from '../core/caller.ts';
import type { Complete } from '../mcp/provider.ts';
import type { OpenVault } from './open-vault.ts';
import { pathProblem, spellingKey } from './storage/vault-path.ts';
import type { NotesParts } from './tools/notes-tool.ts';

/** One more than is sent, so that it can be told that there are more. */
const MOST = 101;
const MOST_COMPARED = 1000;
const LONGEST_GLOB = 100;

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
  const folder = typed.slice(0, Math.max(0, typed.lastIndexOf('/')));
  if (folder !== '' && pathProblem(folder) !== undefined) return [];
  const key = spellingKey(typed);
  const below = await index.list({ prefix: folder, limit: MOST_COMPARED });
  const begins = below.items
    .map(({ path }) => path)
    .filter((path) => spellingKey(path).startsWith(key));
  if (typed === '' || begins.length >= MOST) return begins.slice(0, MOST);
  const name = typed.slice(folder.length).replace(/^\//, '').replaceAll(/[*?]/g, '?');
  const glob = folder === '' ? `*${name.slice(0, LONGEST_GLOB)}*` : undefined;
  if (glob === undefined) return begins;
  const named = await index.list({ glob, limit: MOST });
  return [...new Set([...begins, ...named.items.map(({ path }) => path)])].slice(0, MOST);
}
