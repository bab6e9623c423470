/**
 * Signing in to the console: the password, then a code where the user has a second factor, then a
 * session with a new id. Checks and limits are those of the sign-in page of apps.
 *
 * Between password and code there is a short session in another table, which opens no page.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HostCookie } from '../core/http/host-cookie.ts';
import type { Rate } from '../core/limits/rate.ts';
import { steadyNow } from '../core/limits/steady-clock.ts';
import type { Log } from '../core/log/log.ts';
import { sendPage } from '../core/pages/page.ts';
import { keyFor } from '../core/secrets/derive-key.ts';
import { isSameText } from '../core/secrets/same-text.ts';
import type { Secret } from '../core/secrets/secret.ts';
import type { Store } from '../core/store/store.ts';
import type { Users } from '../core/users.ts';
import { checkCode as judgeCode } from '../oauth/login/check-code.ts';
import { checkLogin } from '../oauth/login/check-login.ts';
import { type FormCookie, FormCookies } from '../oauth/login/form-cookie.ts';
import { FormTokens } from '../oauth/login/form-token.ts';
import type { LoginComplaint } from '../oauth/login/login-fields.ts';
import { LoginLimit } from '../oauth/login/login-limit.ts';
import type { SecondFactor } from '../oauth/login/second-factor.ts';
import { codePage, problemPage, signInPage } from './pages.ts';
import { Sessions } from './sessions.ts';

export interface SignInOptions {
  /** Without a path and without a trailing slash. */
  readonly publicUrl: string;
  /** What the pages call this program. */
  readonly product: string;
  readonly program: string;
  /** The page after signing in where none was asked for. */
  readonly home: string;
  readonly store: Store;
  readonly users: Users;
  readonly log: Log;
  /** Replicas that share a store share this key; without it, one of this process. */
  readonly sealKey?: Secret | undefined;
  readonly loginRateLimit: () => Rate;
  readonly secondFactor?: SecondFactor | undefined;
  readonly now?: () => number;
  readonly cookie: HostCookie;
}

const CODE_LIFE = { idleMs: 5 * 60_000, lifetimeMs: 5 * 60_000 } as const;

export function signInHandlers(options: SignInOptions) {
  const { publicUrl, product, program, store, users, log, cookie, secondFactor } = options;
  const { now = steadyNow } = options;
  const key = keyFor('console', options.sealKey);
  const sessions = sessionsOf('console-sessions');
  const pending = sessionsOf('console-pending', CODE_LIFE);
  const pendingCookie = new HostCookie(publicUrl, `${program}-code`);
  const limit = new LoginLimit(store, options.loginRateLimit);
  const formTokens = new FormTokens(store, key, now);
  const formCookies = new FormCookies(publicUrl);

  function sessionsOf(table: string, life = {}): Sessions {
    return new Sessions({ store, users, key, now, table, ...life });
  }

  function show(
    reply: FastifyReply,
    next: string,
    status = 200,
    former: { cookie?: FormCookie | undefined; complaint?: LoginComplaint; user?: string } = {},
  ): FastifyReply {
    const bound = formCookies.set(reply, former.cookie);
    const form = { token: formTokens.seal(boundTo(bound, next)), cookie: bound.number };
    const { complaint, user = '' } = former;
    return sendPage(reply, status, signInPage({ product, publicUrl, next, form, complaint, user }));
  }

  async function signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    posted: URLSearchParams,
    next: string,
  ): Promise<FastifyReply> {
    const login = await checkLogin(
      request,
      reply,
      { posted, clientId: null, bound: (bound) => boundTo(bound, next) },
      { users, limit, formTokens, formCookies, log },
    );
    if (!login.ok) return show(reply, next, login.status, login);
    formCookies.clear(reply, login.cookie);
    if (!secondFactor?.isNeeded(login.user)) return begin(request, reply, login, next);
    const id = await pending.begin(login.user, login.incarnation);
    if (id === undefined) return sendPage(reply, 503, problemPage('full', options));
    pendingCookie.set(reply, id);
    const { csrf } = (await pending.find(id))!;
    return sendPage(reply, 200, codePage({ product, next, csrf, complaint: undefined }));
  }

  async function checkCode(
    request: FastifyRequest,
    reply: FastifyReply,
    posted: URLSearchParams,
    next: string,
  ): Promise<FastifyReply> {
    const id = pendingCookie.read(request) ?? '';
    const waiting = await pending.find(id);
    if (!waiting || !isSameText(waiting.csrf, posted.get('csrf') ?? '')) {
      return show(reply, next, 400, { complaint: { kind: 'stale_form' } });
    }
    const { user, incarnation, csrf } = waiting;
    const judged = { user, code: posted.get('code') ?? '', clientId: null };
    const wrong = await judgeCode(request, reply, judged, { store, limit, log, secondFactor });
    if (wrong) {
      return sendPage(reply, wrong.status, codePage({ product, next, csrf, ...wrong }));
    }
    await pending.end(id);
    pendingCookie.clear(reply);
    return begin(request, reply, { user, incarnation }, next);
  }

  /** Prevents session fixation: the id is always new, and the session that the browser had ends. */
  async function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    { user, incarnation }: { user: string; incarnation: string },
    next: string,
  ): Promise<FastifyReply> {
    await sessions.end(cookie.read(request) ?? '');
    const id = await sessions.begin(user, incarnation);
    if (id === undefined) return sendPage(reply, 503, problemPage('full', options));
    log.info('login_success', { user, client_id: null, ip: request.clientAddress });
    cookie.set(reply, id);
    return reply.header('cache-control', 'no-store').redirect(next, 303);
  }

  return { sessions, show, signIn, checkCode };
}

function boundTo(cookie: FormCookie, next: string): string[] {
  return ['console', cookie.number, cookie.value, next];
}
