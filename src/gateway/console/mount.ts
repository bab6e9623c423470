/**
 * The console of the gateway: what waits for the person, what was called, who is signed in. Nothing here
 * is needed to run the gateway. A page is loaded when it is first opened, and shows what belongs to the
 * user who is signed in and nothing else.
 */
import type { FastifyInstance } from 'fastify';
import { mountLive } from '../../console/live.ts';
import { mountSignInsPage, SIGN_INS_PATH } from '../../console/sign-ins-page.ts';
import type { GatewayConsoleParts } from './parts.ts';

export const NAV = [
  { path: '/console', label: 'Overview' },
  { path: '/console/calls', label: 'Calls' },
  { path: '/approvals', label: 'Approvals' },
  { path: SIGN_INS_PATH, label: 'Sign-ins' },
];

export function mountGatewayConsole(app: FastifyInstance, parts: GatewayConsoleParts): void {
  const { pages, recent, approvals } = parts;
  pages.get('/console', async (call) => (await import('./overview.ts')).overview(call, parts));
  pages.get('/console/calls', async (call) => (await import('./calls.ts')).calls(call, parts));
  pages.get('/console/calls/:id', async (call) =>
    (await import('./calls.ts')).oneCall(call, parts),
  );
  mountSignInsPage(parts);
  mountLive(app, pages, '/console/events', {
    version: async ({ session }) => {
      const [last] = recent.ofUser(session);
      const waiting = await approvals(session);
      return JSON.stringify([last?.id, waiting.map(({ href }) => href)]);
    },
  });
}
