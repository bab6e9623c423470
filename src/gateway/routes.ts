/**
 * All routes of the gateway: health, the connect page, OAuth, the console, MCP, the HTTP door. Other
 * paths are decoys, if they are enabled, or a 404.
 */
import type { FastifyInstance } from 'fastify';
import { mountBrowserSession, type Session } from '../console/browser-session.ts';
import type { MountedDecoys } from '../core/config/persona-choice.ts';
import type { Problem } from '../core/config/problems.ts';
import { isTrusted } from '../core/config/trusted-proxies.ts';
import { mountReadiness } from '../core/http/readiness.ts';
import { createServer } from '../core/http/server.ts';
import { steadyNow } from '../core/limits/steady-clock.ts';
import { mountConnectPage } from '../core/pages/connect-page.ts';
import { iconsOf, mountIcons } from '../core/pages/icons.ts';
import { showNotFoundPage } from '../core/pages/not-found-page.ts';
import { Tripwires } from '../core/recent-calls/tripwires.ts';
import { LastUses } from '../core/store/last-uses.ts';
import type { SharedStore } from '../core/store/shared-store.ts';
import { VERSION } from '../core/version.ts';
import { type McpEndpoint, mountMcp } from '../mcp/endpoint.ts';
import type { FetchClientMetadata } from '../oauth/client-metadata.ts';
import { TotpFactor } from '../oauth/login/second-factor.ts';
import { mountOAuth } from '../oauth/routes.ts';
import type { Decisions } from './approvals/decisions.ts';
import { APPROVALS_PATH, mountApprovalPages, waitingFor } from './approvals/pages.ts';
import { writeUnauthenticatedLine } from './audit.ts';
import { hasPages } from './config/config.ts';
import { mountGatewayConsole, NAV } from './console/mount.ts';
import type { MintedTokens } from './credentials/minted-tokens.ts';
import { type Door, mountDoor } from './http-door.ts';
import type { PipelineParts } from './pipeline.ts';
import { gatewayTools, INSTRUCTIONS } from './tools.ts';

const PRODUCT = 'Gatehouse gateway';
const ABOUT =
  'This server lets an AI assistant call the APIs that you have chosen for it. Your keys stay here: ' +
  'the assistant never holds one, and every call is logged.';

interface GatewayParts extends Omit<PipelineParts, 'tripwires'> {
  readonly tokens: MintedTokens;
  readonly decisions: Decisions;
  readonly fetchClientMetadata: FetchClientMetadata;
  /** The same as `store` where replicas share one. */
  readonly shared?: SharedStore | undefined;
}

export interface Gateway {
  readonly app: FastifyInstance;
  readonly mcp: McpEndpoint;
  readonly door: Door;
}

export async function createGateway(given: GatewayParts): Promise<Gateway> {
  const { active, store, log, recent } = given;
  const tripwires = new Tripwires({
    ...{ log, recent },
    onTripwire: () => active.config.server.onTripwire,
    freeze: async (user, { signInId, key }) => {
      if (key !== undefined) return door.freezeKey(user.user, key);
      return signInId !== undefined && oauth.listed.end(user, signInId);
    },
  });
  const parts = { ...given, tripwires };
  const { publicUrl } = active.config.server;
  const isTrustedProxy = (peer: string) => isTrusted(active.config.server.trustedProxies, peer);
  const app = createServer({ log, isTrustedProxy, showNotFound: showNotFoundPage(PRODUCT) });

  // Before the decoys: a real route always wins.
  const keyUses = new LastUses(store, 'key-uses', steadyNow);
  const door = mountDoor(app, parts, ({ digest, user }) => keyUses.note(digest, user));
  const { decoys } = active.config.server;
  if (decoys) {
    // Loaded on demand: a start without decoys is faster.
    const { mountDecoys } = await import('../decoys/mount.ts');
    mountDecoys(app, { ...decoys, site: 'gateway', log, isTrustedProxy });
  }

  const health = () => ({ status: 'ok', version: VERSION });
  app.get('/healthz', async () => health());
  mountIcons(app, ['gateway', 'list_targets', 'http_request']);
  mountReadiness(app, parts.shared);
  mountConnectPage(app, {
    publicUrl,
    product: PRODUCT,
    name: 'gateway',
    about: ABOUT,
    health,
    hasConsole: active.config.server.console,
  });

  const secondFactor = new TotpFactor(store, (user) => active.config.users.get(user)?.totp);
  const oauth = mountOAuth(app, {
    publicUrl,
    product: PRODUCT,
    store,
    users: active,
    log,
    sealKey: active.config.server.sealKey,
    settings: () => active.config.server,
    fetchClientMetadata: parts.fetchClientMetadata,
    secondFactor,
  });

  const { server } = active.config;
  if (hasPages(active.config)) {
    const pages = mountBrowserSession(app, {
      publicUrl,
      product: PRODUCT,
      program: 'gateway',
      nav: server.console ? NAV : [],
      home: server.console ? '/console' : APPROVALS_PATH,
      store,
      users: active,
      log,
      sealKey: active.config.server.sealKey,
      loginRateLimit: () => active.config.server.loginRateLimit,
      secondFactor,
    });
    const signIns = oauth.listed;
    const waiting = { decisions: parts.decisions, signIns, now: steadyNow };
    mountApprovalPages({ pages, ...waiting });
    const approvals = (person: Session) => waitingFor(person, waiting);
    if (server.console) mountGatewayConsole(app, { ...parts, pages, signIns, keyUses, approvals });
  }

  const mcpUrl = `${publicUrl}/mcp`;
  const mcp = mountMcp(app, {
    publicUrl,
    serverInfo: { name: 'gatehouse-gateway', title: PRODUCT, version: VERSION },
    instructions: () => INSTRUCTIONS,
    icons: iconsOf(publicUrl, 'gateway'),
    tools: gatewayTools(parts, publicUrl),
    allowedOrigins: () => active.config.server.allowedOrigins,
    log,
    shared: parts.shared,
    sealKey: active.config.server.sealKey,
    isAlive: oauth.isAlive,
    onForbidden: (request, error) => writeUnauthenticatedLine(log, mcpUrl, request, 403, error),
    authenticate: async (request, reply) => {
      const caller = await oauth.authenticate(request, reply);
      if (!caller) writeUnauthenticatedLine(log, mcpUrl, request, 401, 'unauthorized');
      return caller;
    },
  });
  return { app, mcp, door };
}

/** What is wrong with the operator's own decoys. */
export async function decoyProblems(
  decoys: MountedDecoys | undefined,
): Promise<readonly Problem[]> {
  if (decoys?.file === undefined) return [];
  const { readOwnDecoys } = await import('../decoys/definitions/own-file.ts');
  return readOwnDecoys(decoys.file).problems;
}
