/**
 * The OAuth 2.1 authorization server of the gateway and the notes server. Read this first:
 * it lists the endpoints, in the order in which a client meets them.
 */
import type { FastifyInstance } from 'fastify';
import { FORM_LIMIT_BYTES, readForms } from '../core/http/read-forms.ts';
import { joinPieces } from '../core/join-pieces.ts';
import type { Rate } from '../core/limits/rate.ts';
import { steadyNow } from '../core/limits/steady-clock.ts';
import { describeError, type Log } from '../core/log/log.ts';
import { keyFor } from '../core/secrets/derive-key.ts';
import type { Secret } from '../core/secrets/secret.ts';
import { LastUses } from '../core/store/last-uses.ts';
import { StoreUnavailable } from '../core/store/shared-store.ts';
import type { Store } from '../core/store/store.ts';
import type { Users } from '../core/users.ts';
import { authorizeHandlers } from './authorize.ts';
import { type Bearer, bearerAuthentication } from './bearer.ts';
import { ClientMetadata, type FetchClientMetadata } from './client-metadata.ts';
import { Clients } from './clients.ts';
import { allowAnyOrigin, closeMethods } from './cors.ts';
import { ListedSignIns } from './listed-sign-ins.ts';
import { FormCookies } from './login/form-cookie.ts';
import { FormTokens } from './login/form-token.ts';
import { LoginLimit } from './login/login-limit.ts';
import type { SecondFactor } from './login/second-factor.ts';
import { authorizationServerMetadata, protectedResourceMetadata } from './metadata.ts';
import { oauthErrorHandler } from './oauth-error.ts';
import { registerHandler } from './register.ts';
import { SignIns } from './sign-ins.ts';
import { tokenHandler } from './token.ts';

export interface OAuthSettings {
  readonly tokenTtlMs: number;
  readonly codeTtlMs: number;
  readonly loginRateLimit: Rate;
}

interface OAuthOptions {
  /** Without a path and without a trailing slash; the issuer. */
  readonly publicUrl: string;
  /** What the pages call this program. */
  readonly product: string;
  readonly store: Store;
  readonly users: Users;
  readonly log: Log;
  /** Replicas that share a store share this key; without it, one of this process. */
  readonly sealKey?: Secret | undefined;
  /** Asked at every use, so that a reload applies at once. */
  readonly settings: () => OAuthSettings;
  /** Fetches a client's metadata document through the network guard. */
  readonly fetchClientMetadata: FetchClientMetadata;
  /** For the users who have one. */
  readonly secondFactor?: SecondFactor | undefined;
  readonly now?: () => number;
}

interface OAuth extends Bearer {
  /** For the person who signed in. */
  readonly listed: ListedSignIns;
}

export function mountOAuth(app: FastifyInstance, options: OAuthOptions): OAuth {
  const { publicUrl, product, store, users, log, settings, now = steadyNow } = options;
  const metadata = new ClientMetadata({ store, fetch: options.fetchClientMetadata, log });
  const clients = new Clients(store, metadata);
  const sealKey = keyFor('tokens', options.sealKey);
  const signIns = new SignIns({ store, users, log, settings, now, sealKey });
  const limit = new LoginLimit(store, () => settings().loginRateLimit);
  const formKey = keyFor('forms', options.sealKey);
  const formTokens = new FormTokens(store, formKey, now);
  const formCookies = new FormCookies(publicUrl);
  const authorize = authorizeHandlers({
    publicUrl,
    product,
    users,
    passwordMarkOf: (user) => users.passwordMark(user, formKey),
    clients,
    signIns,
    limit,
    formTokens,
    formCookies,
    log,
    store,
    secondFactor: options.secondFactor,
  });

  app.register(async (scope) => {
    openToAnyOrigin(scope);
    const resource = protectedResourceMetadata(publicUrl, product);
    const server = authorizationServerMetadata(publicUrl);
    for (const path of ['', '/mcp']) {
      document(scope, `/.well-known/oauth-protected-resource${path}`, resource);
      document(scope, `/.well-known/oauth-authorization-server${path}`, server);
    }
  });

  app.register(async (scope) => {
    openToAnyOrigin(scope);
    readJson(scope);
    scope.setErrorHandler(oauthErrorHandler(log, 'invalid_client_metadata'));
    scope.post('/register', registerHandler({ clients, log, now: options.now ?? Date.now }));
    closeMethods(scope, '/register', ['POST'], true);
  });

  app.register(async (scope) => {
    readForms(scope);
    scope.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
      const status = error.statusCode ?? 500;
      if (error instanceof StoreUnavailable) return authorize.showProblem(reply, 503, 'busy');
      if (status < 500) return authorize.showProblem(reply, status, 'unreadable_form');
      log.error('internal_error', { message: describeError(error) });
      return authorize.showProblem(reply, 500, 'internal');
    });
    scope.get('/authorize', authorize.show);
    scope.post('/authorize', authorize.signIn);
    closeMethods(scope, '/authorize', ['GET', 'HEAD', 'POST'], false);
    scope.post('/authorize/code', authorize.signInWithCode);
    closeMethods(scope, '/authorize/code', ['POST'], false);
  });

  app.register(async (scope) => {
    openToAnyOrigin(scope);
    readForms(scope);
    scope.setErrorHandler(oauthErrorHandler(log, 'invalid_request'));
    scope.post('/token', tokenHandler({ publicUrl, clients, signIns, log }));
    closeMethods(scope, '/token', ['POST'], true);
  });

  const bearer = bearerAuthentication({ publicUrl, product, signIns });
  const uses = new LastUses(store, 'sign-in-uses', now);
  return {
    ...bearer,
    authenticate: async (request, reply) => {
      const caller = await bearer.authenticate(request, reply);
      if (caller?.signInId !== undefined) uses.note(caller.signInId, caller.user);
      return caller;
    },
    listed: new ListedSignIns({ store, clients, uses, now }),
  };
}

function document(scope: FastifyInstance, url: string, content: object): void {
  scope.get(url, async (_request, reply) => {
    return reply.header('cache-control', 'public, max-age=300').send(content);
  });
  closeMethods(scope, url, ['GET', 'HEAD'], true);
}

function openToAnyOrigin(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (_request, reply) => allowAnyOrigin(reply));
}

/** Within the scope only JSON is read, and a body with `__proto__` or `constructor` is refused. */
function readJson(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  joinPieces(scope);
  const parser = scope.getDefaultJsonParser('error', 'error');
  const options = { parseAs: 'string', bodyLimit: FORM_LIMIT_BYTES } as const;
  scope.addContentTypeParser('application/json', options, parser);
}
