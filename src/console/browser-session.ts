/**
 * Pages for people who have signed in with a browser. Every page and every form goes through the same
 * checks, in the order of `guard` and `guardForm` below, so that none can be mounted without them.
 *
 * - `mountBrowserSession(app, options)` mounts `/sign-in`, `/sign-in/code` and `/sign-out`, and gives
 *   a `SignedInPages`.
 * - `pages.get(path, show)` and `pages.post(path, act)` mount a page and a form of the person who is
 *   signed in. Without a session a `get` leads to the sign-in page and back; on a link from elsewhere
 *   it shows a *Continue* link first, since a browser sends no `SameSite=Strict` cookie with it. A
 *   `post` is refused unless it comes from a page of this server and has the `csrf` of the session:
 *   put `pages.csrf(session)` into every form.
 * - `pages.send(call, status, page)` sends a page in the frame of the console, `pages.problem(…)` one
 *   that says what is wrong.
 * - `options.secondFactor` asks for a code after the right password.
 *
 * Prevents CSRF, login CSRF, session fixation, clickjacking, and a model that decides for its person: a
 * bearer token is refused on every page, and nothing but the password makes a session.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HostCookie } from '../core/http/host-cookie.ts';
import { readForms } from '../core/http/read-forms.ts';
import { describeError, type Log } from '../core/log/log.ts';
import { type Html, html } from '../core/pages/html.ts';
import { sendPage } from '../core/pages/page.ts';
import { isSameText } from '../core/secrets/same-text.ts';
import { StoreUnavailable } from '../core/store/shared-store.ts';
import { type ConsolePage, DONE, type Done, type Frame, framed, type NavEntry } from './frame.ts';
import { isForeignRead, isOwnPost, mayLackCookies, ownPath } from './own-page.ts';
import { continuePage, type Problem, problemPage } from './pages.ts';
import type { Session } from './sessions.ts';
import { type SignInOptions, signInHandlers } from './sign-in.ts';

export type { SecondFactor } from '../oauth/login/second-factor.ts';
export type { Session } from './sessions.ts';

const MAX_SKIPPED = 1_000_000;

interface BrowserSessionOptions extends Omit<SignInOptions, 'cookie'> {
  /** Distinguishes programs on one host: `gateway` or `notes`. */
  readonly program: string;
  readonly nav: readonly NavEntry[];
  readonly log: Log;
}

export interface PageCall {
  readonly session: Session;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export interface FormCall extends PageCall {
  readonly form: URLSearchParams;
}

export interface SignedInPages {
  get(path: string, show: (call: PageCall) => Promise<FastifyReply>): void;
  post(path: string, act: (call: FormCall) => Promise<FastifyReply>): void;
  csrf(session: Session): Html;
  send(call: PageCall, status: number, page: ConsolePage): FastifyReply;
  /** After a form: to a page that says what was done. */
  back(call: PageCall, path: string, done: Done): FastifyReply;
  problem(reply: FastifyReply, status: number, problem: Problem): FastifyReply;
  /** Whether the session of this request still lasts; asking is no use of it. */
  isAlive(request: FastifyRequest): Promise<boolean>;
}

export function mountBrowserSession(
  app: FastifyInstance,
  options: BrowserSessionOptions,
): SignedInPages {
  const { publicUrl, product, program, log, nav, home } = options;
  const ownOrigin = new URL(publicUrl).origin;
  const cookie = new HostCookie(publicUrl, program);
  const signIn = signInHandlers({ ...options, cookie });
  const mounts: ((scope: FastifyInstance) => void)[] = [];

  const problem: SignedInPages['problem'] = (reply, status, what) => {
    if (status === 503) reply.header('retry-after', '5');
    return sendPage(reply, status, problemPage(what, { product, publicUrl, home }));
  };

  async function sessionOf(request: FastifyRequest, isUse: boolean): Promise<Session | undefined> {
    const id = cookie.read(request);
    return id === undefined ? undefined : signIn.sessions.find(id, isUse);
  }

  /** The session of the request; undefined when another answer was sent. */
  async function guard(request: FastifyRequest, reply: FastifyReply): Promise<Session | undefined> {
    if (isForeignRead(request.headers)) {
      problem(reply, 403, 'foreign_origin');
      return undefined;
    }
    // A page that refreshes itself does not prolong the session.
    const session = await sessionOf(request, request.headers['x-live'] === undefined);
    if (session) return session;
    const next = ownPath(request.raw.url ?? null, ownOrigin, home);
    const signInUrl = `/sign-in?next=${encodeURIComponent(next)}`;
    if (mayLackCookies(request.headers) && cookie.read(request) === undefined) {
      sendPage(reply, 200, continuePage(product, signInUrl));
    } else {
      reply.header('cache-control', 'no-store').redirect(signInUrl, 303);
    }
    return undefined;
  }

  async function guardForm(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ session: Session; form: URLSearchParams } | undefined> {
    const session = await sessionOf(request, true);
    const form = formOf(request);
    if (session && isSameText(session.csrf, form.get('csrf') ?? '')) return { session, form };
    problem(reply, session ? 400 : 401, session ? 'stale_form' : 'session_over');
    return undefined;
  }

  app.register(async (scope) => {
    readForms(scope);
    scope.addHook('onRequest', async (request, reply) => {
      if (/^bearer\b/i.test(request.headers.authorization ?? '')) {
        return problem(reply, 403, 'bearer');
      }
      const isPost = request.method !== 'GET' && request.method !== 'HEAD';
      if (isPost && !isOwnPost(request.headers, ownOrigin)) {
        return problem(reply, 403, 'foreign_origin');
      }
    });
    scope.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
      const status = error.statusCode ?? 500;
      if (error instanceof StoreUnavailable) return problem(reply, 503, 'busy');
      if (status < 500) return problem(reply, status, 'unreadable');
      log.error('internal_error', { message: describeError(error) });
      return problem(reply, 500, 'internal');
    });
    scope.get('/sign-in', async (request, reply) => {
      const next = ownPath(queryOf(request).get('next'), ownOrigin, home);
      if (await sessionOf(request, true)) {
        return reply.header('cache-control', 'no-store').redirect(next, 303);
      }
      return signIn.show(reply, next);
    });
    scope.post('/sign-in', (request, reply) => {
      const form = formOf(request);
      return signIn.signIn(request, reply, form, ownPath(form.get('next'), ownOrigin, home));
    });
    scope.post('/sign-in/code', (request, reply) => {
      const form = formOf(request);
      return signIn.checkCode(request, reply, form, ownPath(form.get('next'), ownOrigin, home));
    });
    scope.post('/sign-out', async (request, reply) => {
      const guarded = await guardForm(request, reply);
      if (!guarded) return reply;
      await signIn.sessions.end(cookie.read(request) ?? '');
      cookie.clear(reply);
      const { user } = guarded.session;
      log.info('signed_out', { user, ip: request.clientAddress });
      return problem(reply, 200, 'signed_out');
    });
    for (const mount of mounts) mount(scope);
  });

  const frame: Frame = { product, nav };
  return {
    get: (path, show) =>
      mounts.push((scope) =>
        scope.get(path, async (request, reply) => {
          const session = await guard(request, reply);
          return session ? show({ session, request, reply }) : reply;
        }),
      ),
    post: (path, act) =>
      mounts.push((scope) =>
        scope.post(path, async (request, reply) => {
          const guarded = await guardForm(request, reply);
          return guarded ? act({ ...guarded, request, reply }) : reply;
        }),
      ),
    csrf,
    send: (call, status, page) => {
      const done = DONE.get(queryOf(call.request).get('done') ?? '');
      const noticed = page.notice === undefined && done ? { ...page, notice: done } : page;
      const { user } = call.session;
      const path = pathOf(call.request);
      return sendPage(call.reply, status, framed(frame, noticed, user, csrf(call.session), path));
    },
    back: ({ reply }, path, done) =>
      reply
        .header('cache-control', 'no-store')
        .redirect(`${path}${path.includes('?') ? '&' : '?'}done=${done}`, 303),
    problem,
    isAlive: async (request) => (await sessionOf(request, false)) !== undefined,
  };
}

function csrf(session: Session): Html {
  return html`<input type="hidden" name="csrf" value="${session.csrf}">`;
}

function formOf({ body }: FastifyRequest): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams();
}

export function queryOf({ raw: { url = '' } }: FastifyRequest): URLSearchParams {
  return new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
}

function pathOf({ raw: { url = '' } }: FastifyRequest): string {
  return url.split('?', 1)[0]!;
}

/** How many entries of a list come before those of the page, as its query says. */
export function skipOf({ request }: PageCall): number {
  const asked = Number(queryOf(request).get('skip'));
  return Number.isInteger(asked) && asked > 0 && asked <= MAX_SKIPPED ? asked : 0;
}
