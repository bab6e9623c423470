/**
 * The console of the notes server: what tools changed, with *Undo*; search, the health of a vault, the
 * trash, sign-ins. Nothing here is needed to run the server. A page is loaded when it is first opened.
 */
import type { FastifyInstance } from 'fastify';
import { mountLive } from '../../console/live.ts';
import { mountSignInsPage, SIGN_INS_PATH } from '../../console/sign-ins-page.ts';
import type { OpenVault } from '../vaults/open-vault.ts';
import type { NotesConsoleParts } from './parts.ts';

export const NAV = [
  { path: '/console', label: 'Changes' },
  { path: '/console/search', label: 'Search' },
  { path: '/console/health', label: 'Health' },
  { path: '/console/trash', label: 'Trash' },
  { path: SIGN_INS_PATH, label: 'Sign-ins' },
];

export function mountNotesConsole(app: FastifyInstance, parts: NotesConsoleParts): void {
  const { pages, notes } = parts;
  const changes = () => import('./changes.ts');
  const trash = () => import('./trash.ts');
  pages.get('/console', async (call) => (await changes()).changesPage(call, parts));
  pages.get('/console/changes/:id', async (call) => (await changes()).changePage(call, parts));
  pages.post('/console/undo', async (call) => (await changes()).undo(call, parts));
  pages.get('/console/search', async (call) =>
    (await import('./search.ts')).searchPage(call, parts),
  );
  pages.get('/console/health', async (call) =>
    (await import('./health.ts')).healthPage(call, parts),
  );
  pages.get('/console/trash', async (call) => (await trash()).trashPage(call, parts));
  pages.post('/console/restore', async (call) => (await trash()).restore(call, parts));
  mountSignInsPage(parts);
  const counts = new WeakMap<OpenVault, { changes: number }>();
  mountLive(app, pages, '/console/events', {
    version: () => {
      const states = notes.vaults.names().map((name) => {
        const open = notes.vaults.get(name);
        const { state, indexed } = open.index.state();
        return [name, state, indexed, open.meaning?.state().done, changesOf(open, counts)];
      });
      return JSON.stringify(states);
    },
  });
}

function changesOf(open: OpenVault, counts: WeakMap<OpenVault, { changes: number }>): number {
  const known = counts.get(open);
  if (known) return known.changes;
  const count = { changes: 0 };
  counts.set(open, count);
  open.vault.onChange(() => {
    count.changes += 1;
  });
  return 0;
}
