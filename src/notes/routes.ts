/**
 * The routes of the notes server: health, connect page, OAuth, console and MCP. Other paths are answered by
 * the decoys, if enabled, or with 404.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { mountBrowserSession } from '../console/browser-session.ts';
import type { MountedDecoys } from '../core/config/persona-choice.ts';
import type { Problem } from '../core/config/problems.ts';
import { isTrusted } from '../core/config/trusted-proxies.ts';
import { mountReadiness } from '../core/http/readiness.ts';
import { createServer } from '../core/http/server.ts';
import type { Log } from '../core/log/log.ts';
import { mountConnectPage } from '../core/pages/connect-page.ts';
import { iconsOf, mountIcons } from '../core/pages/icons.ts';
import { showNotFoundPage } from '../core/pages/not-found-page.ts';
import { RecentCalls } from '../core/recent-calls/recent-calls.ts';
import { Tripwires } from '../core/recent-calls/tripwires.ts';
import type { SharedStore } from '../core/store/shared-store.ts';
import type { Store } from '../core/store/store.ts';
import type { Users } from '../core/users.ts';
import { VERSION } from '../core/version.ts';
import { mountMcp } from '../mcp/endpoint.ts';
import type { FetchClientMetadata } from '../oauth/client-metadata.ts';
import { TotpFactor } from '../oauth/login/second-factor.ts';
import { mountOAuth } from '../oauth/routes.ts';
import { Canaries } from './canaries/canaries.ts';
import { notesCompletion } from './completion.ts';
import type { NotesConfig } from './config.ts';
import { mountNotesConsole, NAV } from './console/mount.ts';
import { instructionsOf } from './instructions.ts';
import { notesPrompts } from './prompts.ts';
import { notesResources } from './resources.ts';
import { Skills } from './skills.ts';
import type { NotesParts } from './tool-kit/notes-tool.ts';
import { notesTools } from './tools.ts';

const PRODUCT = 'Gatehouse notes';
const ABOUT =
  'This server keeps your notes and lets an AI assistant search and edit them. They stay plain ' +
  'Markdown files on your own disk, and every change can be taken back.';

export interface NotesServerParts extends NotesParts {
  readonly config: NotesConfig;
  readonly users: Users;
  readonly store: Store;
  readonly fetchClientMetadata: FetchClientMetadata;
  /** `store`, if it is outside of this process. */
  readonly shared?: SharedStore | undefined;
}

export async function createNotesServer(given: NotesServerParts): Promise<FastifyInstance> {
  const { config, log, store, users, vaults, recent = new RecentCalls() } = given;
  const tripwires = new Tripwires({
    ...{ log, recent },
    onTripwire: () => config.onTripwire,
    freeze: async (user, { signInId = '' }) => oauth.listed.end(user, signInId),
  });
  const parts = { ...given, recent, canaries: new Canaries(vaults, tripwires, log) };
  const { publicUrl, decoys } = config;
  const isTrustedProxy = (peer: string) => isTrusted(config.trustedProxies, peer);
  const app = createServer({ log, isTrustedProxy, showNotFound: showNotFoundPage(PRODUCT) });

  if (decoys) {
    // Loaded on demand for a faster start without decoys.
    const { mountDecoys } = await import('../decoys/mount.ts');
    mountDecoys(app, { ...decoys, site: 'notes', log, isTrustedProxy });
  }

  const health = () => ({ status: 'ok', version: VERSION });
  app.get('/healthz', async () => health());
  mountIcons(app, ['notes']);
  mountReadiness(app, parts.shared);
  mountConnectPage(app, {
    publicUrl,
    product: PRODUCT,
    name: 'notes',
    about: ABOUT,
    health,
    hasConsole: config.console,
  });

  const secondFactor = new TotpFactor(store, (user) =>
    user === config.username ? config.totp : undefined,
  );
  const oauth = mountOAuth(app, {
    publicUrl,
    product: PRODUCT,
    store,
    users,
    log,
    sealKey: config.sealKey,
    settings: () => config,
    fetchClientMetadata: parts.fetchClientMetadata,
    secondFactor,
  });

  if (config.console) {
    const pages = mountBrowserSession(app, {
      publicUrl,
      product: PRODUCT,
      program: 'notes',
      nav: NAV,
      home: '/console',
      store,
      users,
      log,
      sealKey: config.sealKey,
      loginRateLimit: () => config.loginRateLimit,
      secondFactor,
    });
    const { recent: _calls, canaries: _alarms, ...notes } = parts;
    mountNotesConsole(app, { pages, signIns: oauth.listed, log, notes });
  }

  const mcpUrl = `${publicUrl}/mcp`;
  const offering = { ...parts, hiddenTools: config.access.hiddenTools };
  const skills = new Skills(vaults, log);
  mountMcp(app, {
    publicUrl,
    serverInfo: { name: 'gatehouse-notes', title: PRODUCT, version: VERSION },
    icons: iconsOf(publicUrl, 'notes'),
    instructions: () => instructionsOf(offering),
    tools: notesTools(offering),
    resources: notesResources(parts, skills),
    skills,
    prompts: notesPrompts(offering),
    complete: notesCompletion(parts),
    allowedOrigins: () => config.allowedOrigins,
    log,
    isAlive: oauth.isAlive,
    onForbidden: (request, error) => writeUnauthenticatedLine(log, mcpUrl, request, 403, error),
    authenticate: async (request, reply) => {
      const caller = await oauth.authenticate(request, reply);
      if (!caller) writeUnauthenticatedLine(log, mcpUrl, request, 401, 'unauthorized');
      return caller;
    },
  });
  return app;
}

/** The audit line of a request at `/mcp` that is refused before the caller is known. */
function writeUnauthenticatedLine(
  log: Log,
  url: string,
  { method, clientAddress: ip }: FastifyRequest,
  status: 401 | 403,
  error: string,
): void {
  const line = { user: null, client_id: null, method, url, status };
  log.always('warn', 'request', { ...line, error, ip });
}

/** Problems of the operator's own decoys. */
export async function decoyProblems(
  decoys: MountedDecoys | undefined,
): Promise<readonly Problem[]> {
  if (decoys?.file === undefined) return [];
  const { readOwnDecoys } = await import('../decoys/definitions/own-file.ts');
  return readOwnDecoys(decoys.file).problems;
}
