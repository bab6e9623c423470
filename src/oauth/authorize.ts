/**
 * `GET /authorize` shows the sign-in form; `POST /authorize` checks name and password and
 * sends the browser back to the client with an authorization code.
 *
 * A post is checked in this order: origin, request, `check-login.ts`, second factor.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sourceOf } from '../core/http/client-address.ts';
import { sendPage } from '../core/pages/page.ts';
import {
  type AuthorizationRequest,
  type Judgement,
  judgeAuthorizationRequest,
} from './authorization-request.ts';
import type { FoundClient } from './client-metadata.ts';
import type { Clients } from './clients.ts';
import { type CodeParts, checkCode } from './login/check-code.ts';
import { checkLogin, type LoginParts } from './login/check-login.ts';
import type { CodeComplaint } from './login/code-fields.ts';
import type { FormCookie } from './login/form-cookie.ts';
import type { LoginComplaint } from './login/login-fields.ts';
import { codePage, loginPage } from './login-page.ts';
import { type Problem, problemPage } from './problem-page.ts';
import { withParameters } from './redirect-uri.ts';
import type { SignIns } from './sign-ins.ts';

interface AuthorizeOptions extends LoginParts, CodeParts {
  readonly publicUrl: string;
  readonly product: string;
  readonly clients: Clients;
  readonly signIns: SignIns;
  readonly passwordMarkOf: (user: string) => string | undefined;
}

export function authorizeHandlers(options: AuthorizeOptions) {
  const { publicUrl, product, users, clients, signIns, formTokens, formCookies, log } = options;
  const { secondFactor, passwordMarkOf } = options;
  const ownOrigin = new URL(publicUrl).origin;

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const judgement = await judge(new URLSearchParams(queryOf(request)), (id) =>
      clients.find(id, sourceOf(request.clientAddress)),
    );
    if (judgement.kind !== 'good') return refuse(reply, judgement);
    return showForm(request, reply, 200, judgement.request);
  }

  /** The posted form and its authorization request; undefined when a refusal was sent. */
  async function receive(request: FastifyRequest, reply: FastifyReply) {
    if (!isOwnSite(request)) {
      showProblem(reply, 403, 'foreign_origin');
      return undefined;
    }
    const posted = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const judgement = await judge(posted, (id) =>
      clients.findShown(id, sourceOf(request.clientAddress)),
    );
    if (judgement.kind === 'good') return { posted, asked: judgement.request };
    refuse(reply, judgement);
    return undefined;
  }

  async function signIn(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const received = await receive(request, reply);
    if (!received) return reply;
    const { posted, asked } = received;
    const { client } = asked;
    const login = await checkLogin(
      request,
      reply,
      { posted, clientId: client.id, bound: (cookie) => bound(asked, cookie) },
      options,
    );
    if (!login.ok) return showForm(request, reply, login.status, asked, login);
    if (secondFactor?.isNeeded(login.user)) return askCode(reply, 200, asked, login);
    return finish(request, reply, asked, login);
  }

  /** The form for the code is bound to the user and to the password, so it ends when that is changed. */
  async function signInWithCode(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const received = await receive(request, reply);
    if (!received) return reply;
    const { posted, asked } = received;
    const user = posted.get('code_user') ?? '';
    const cookie = formCookies.find(request, posted.get('form_cookie') ?? '');
    const incarnation = users.incarnation(user);
    const token = posted.get('form_token') ?? '';
    const isBound =
      cookie &&
      incarnation !== undefined &&
      (await formTokens.use(token, boundToUser(asked, { cookie, user, incarnation })));
    if (!isBound) {
      return showForm(request, reply, 400, asked, { complaint: { kind: 'stale_form' } });
    }
    const login = { user, incarnation, cookie };
    const judged = { user, code: posted.get('code') ?? '', clientId: asked.client.id };
    const wrong = await checkCode(request, reply, judged, options);
    if (wrong) return askCode(reply, wrong.status, asked, login, wrong.complaint);
    return finish(request, reply, asked, login);
  }

  /** What the token of a form for a code is bound to. */
  function boundToUser(asked: AuthorizationRequest, login: RightLogin): string[] {
    const { user, incarnation, cookie } = login;
    const mark = passwordMarkOf(user) ?? '';
    return ['second factor', user, incarnation, mark, ...bound(asked, cookie)];
  }

  function askCode(
    reply: FastifyReply,
    status: number,
    asked: AuthorizationRequest,
    login: RightLogin,
    complaint?: CodeComplaint,
  ): FastifyReply {
    const cookie = formCookies.set(reply, login.cookie);
    const token = formTokens.seal(boundToUser(asked, { ...login, cookie }));
    const form = { token, cookie: cookie.number };
    return sendPage(reply, status, codePage({ product, asked, form, user: login.user, complaint }));
  }

  async function finish(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: AuthorizationRequest,
    { user, incarnation, cookie }: RightLogin,
  ): Promise<FastifyReply> {
    const { client } = asked;
    const code = await signIns.begin({
      user,
      incarnation,
      client,
      source: sourceOf(request.clientAddress),
      challenge: asked.challenge,
      redirectUri: asked.redirectUri,
      scope: asked.scope,
    });
    if (code === undefined) return showProblem(reply, 503, 'full');
    log.info('login_success', { user, client_id: client.id, ip: request.clientAddress });
    formCookies.clear(reply, cookie);
    return redirect(reply, asked, { code });
  }

  function judge(
    parameters: URLSearchParams,
    findClient: (id: string) => Promise<FoundClient>,
  ): Promise<Judgement> {
    return judgeAuthorizationRequest(parameters, findClient, publicUrl);
  }

  function refuse(reply: FastifyReply, judgement: Exclude<Judgement, { kind: 'good' }>) {
    if (judgement.kind === 'page') {
      return showProblem(reply, judgement.problem === 'busy' ? 503 : 400, judgement.problem);
    }
    const { code, message } = judgement.error;
    return redirect(reply, judgement, { error: code, error_description: message });
  }

  /** Back to the client, with its state and our issuer (RFC 9207). */
  function redirect(
    reply: FastifyReply,
    { redirectUri, state }: { redirectUri: string; state: string | undefined },
    answer: Readonly<Record<string, string>>,
  ): FastifyReply {
    const parameters = { ...answer, ...(state !== undefined && { state }), iss: publicUrl };
    return reply
      .header('cache-control', 'no-store')
      .header('referrer-policy', 'no-referrer')
      .redirect(withParameters(redirectUri, parameters), 302);
  }

  async function showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    asked: AuthorizationRequest,
    former: { cookie?: FormCookie | undefined; complaint?: LoginComplaint; user?: string } = {},
  ): Promise<FastifyReply> {
    await clients.show(asked.client, sourceOf(request.clientAddress));
    const cookie = formCookies.set(reply, former.cookie);
    const form = { token: formTokens.seal(bound(asked, cookie)), cookie: cookie.number };
    const { complaint, user = '' } = former;
    return sendPage(reply, status, loginPage({ product, publicUrl, asked, form, complaint, user }));
  }

  function showProblem(reply: FastifyReply, status: number, problem: Problem): FastifyReply {
    if (status === 503) reply.header('retry-after', '5');
    return sendPage(reply, status, problemPage(problem, product, publicUrl));
  }

  /**
   * Absent and `null` origins pass: `no-referrer` makes browsers send `null`, and the form token
   * decides. No page can set `Sec-Fetch-Site`, which older browsers and plain http do not have.
   */
  function isOwnSite({ headers }: FastifyRequest): boolean {
    const { origin } = headers;
    const site = headers['sec-fetch-site'];
    const isOwnOrigin = origin === undefined || origin === 'null' || origin === ownOrigin;
    return isOwnOrigin && (site === undefined || site === 'same-origin' || site === 'none');
  }

  return { show, signIn, signInWithCode, showProblem };
}

/** Everything after the first `?`: a query may hold more of them. */
function queryOf({ raw: { url = '' } }: FastifyRequest): string {
  return url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
}

/** A user whose password was right. */
interface RightLogin {
  readonly user: string;
  readonly incarnation: string;
  readonly cookie: FormCookie;
}

/** What a form token is bound to. */
function bound(asked: AuthorizationRequest, cookie: FormCookie): string[] {
  const { client, redirectUri, challenge, scope, state } = asked;
  const always = [cookie.number, cookie.value, client.id, redirectUri, challenge, scope];
  return state === undefined ? always : [...always, state];
}
