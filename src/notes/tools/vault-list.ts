/** `vault_list`: the vaults and their conventions. */
import { readCursor } from '../index/query/cursor.ts';
import { clip, fittingPage, offsetPage } from '../tool-kit/fit.ts';
import { CURSOR, limitOf } from '../tool-kit/listing.ts';
import { defineNotesTool, READS } from '../tool-kit/notes-tool.ts';
import type { OpenVault } from '../vaults/open-vault.ts';

const DEFAULT_LIMIT = 50;
const MAX_INSTRUCTIONS_CHARS = 500;

export const vaultList = defineNotesTool({
  name: 'vault_list',
  title: 'List vaults',
  description: 'The vaults, which is the default one, and the conventions of each. Start here.',
  arguments: { limit: limitOf(DEFAULT_LIMIT, 100), cursor: CURSOR },
  takesVault: false,
  annotations: READS,
  run: async ({ limit = DEFAULT_LIMIT, cursor }, { parts: { vaults } }) => {
    const names = vaults.names();
    const [offset = 0] = readCursor(cursor);
    const { items, ...rest } = await fittingPage(limit, async (count) => {
      const page = offsetPage(names, offset, count);
      const described = page.items.map((name) => describe(vaults.get(name), vaults.defaultName));
      return { ...page, items: await Promise.all(described) };
    });
    return { vaults: items, default: vaults.defaultName, ...rest };
  },
});

async function describe({ name, vault, index }: OpenVault, defaultName: string): Promise<object> {
  // Listed even if the index cannot answer; vault_stats shows the reason.
  const stats = await index.stats().catch(() => undefined);
  const instructions = await vault.instructions();
  return {
    name,
    ...(name === defaultName && { default: true }),
    ...(vault.isReadOnly && { read_only: true }),
    notes: stats?.counts.notes ?? null,
    attachments: stats?.counts.attachments ?? null,
    index: index.state().state,
    git: vault.git === undefined ? 'off' : vault.git.state().lastError === null ? 'on' : 'failing',
    ...(instructions !== undefined && {
      instructions: clip(instructions, MAX_INSTRUCTIONS_CHARS),
      ...(instructions.length > MAX_INSTRUCTIONS_CHARS && {
        instructions_resource: `notes://${name}/instructions`,
      }),
    }),
  };
}
