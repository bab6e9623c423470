/** `vault_create`: creates a vault with its conventions and first notes. */
import { Type } from '../../mcp/schema.ts';
import { LAYOUTS, layouts } from '../edit/layouts.ts';
import { ADDS, defineNotesTool } from '../tool-kit/notes-tool.ts';
import { DRY_RUN, gitOf } from '../tool-writes/write.ts';

export const vaultCreate = defineNotesTool({
  name: 'vault_create',
  title: 'Create a vault',
  description: 'Creates a vault; the layout decides its conventions and first notes.',
  arguments: {
    name: Type.String({ description: 'Of a-z, 0-9, _ and -.' }),
    layout: Type.Optional(Type.Enum(LAYOUTS)),
    dry_run: DRY_RUN,
  },
  takesVault: false,
  annotations: ADDS,
  run: async ({ name, layout = 'empty', dry_run }, { parts: { vaults } }) => {
    const { instructions, notes } = layouts[layout];
    const made = { vault: name, layout, notes: Object.keys(notes), instructions };
    if (dry_run === true) {
      await vaults.checkNew(name);
      return { ...made, git: null };
    }
    const open = await vaults.create(name, {
      '.notes/instructions.md': instructions,
      ...notes,
    });
    await open.ready();
    return { ...made, git: gitOf(open, null) };
  },
});
