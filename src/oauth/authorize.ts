/**
 * `GET /authorize` shows the sign-in form; `POST /authorize` checks name and password and
 * sends the browser back to the client with an authorization code.
 *
 * The steps of a post stand here in their order: origin, request, limit, form token,
 * password, code. A wrong name and a wrong password are one answer.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sourceOf } from '../core/client-address.ts';
import { TooManyAttempts } from '../core/hash-threads.ts';
import type { Log } from '../core/log.ts';
import { sendPage } from '../core/pages/page.ts';
import type { Users } from '../core/users.ts';
import {
  type AuthorizationRequest,
  type Judgement,
  judgeAuthorizationRequest,
} from './authorization-request.ts';
import type { FoundClient } from './client-metadata.ts';
import type { Clients } from './clients.ts';
import type { FormTokens } from './form-token.ts';
import type { LoginLimit } from './login-limit.ts';
import { type LoginComplaint, loginPage } from './login-page.ts';
import { parameter } from './parameters.ts';
import { type Problem, problemPage } from './problem-page.ts';
import { withParameters } from './redirect-uri.ts';
import type { SignIns } from './sign-ins.ts';

export interface AuthorizeOptions {
  readonly publicUrl: string;
  readonly product: string;
  readonly users: Users;
  readonly clients: Clients;
  readonly signIns: SignIns;
  readonly limit: LoginLimit;
  readonly formTokens: FormTokens;
  readonly log: Log;
}

/** No user has a longer name. A part of one could be a part of a token that was pasted there. */
const MAX_NAME_LOGGED = 64;
const TOO_LONG = `(longer than ${MAX_NAME_LOGGED} characters)`;

export function authorizeHandlers(options: AuthorizeOptions) {
  const { publicUrl, product, users, clients, signIns, limit, formTokens, log } = options;
  const ownOrigin = new URL(publicUrl).origin;

  async function show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const judgement = await judge(new URLSearchParams(queryOf(request)), (id) =>
      clients.find(id, sourceOf(request.clientAddress)),
    );
    if (judgement.kind !== 'good') return refuse(reply, judgement);
    return showForm(reply, 200, judgement.request);
  }

  async function signIn(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    if (!isOwnOrigin(request.headers.origin)) return showProblem(reply, 403, 'foreign_origin');
    const posted = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const judgement = await judge(posted, (id) =>
      clients.findShown(id, sourceOf(request.clientAddress)),
    );
    if (judgement.kind !== 'good') return refuse(reply, judgement);
    const asked = judgement.request;
    const { client } = asked;
    const user = (parameter(posted, 'username') ?? '').trim();
    const fail = (reason: string) =>
      log.info('login_failed', {
        user: user.length > MAX_NAME_LOGGED ? TOO_LONG : user,
        client_id: client.id,
        ip: request.clientAddress,
        reason,
      });

    const take = await limit.take(request.clientAddress);
    if (!take.ok) {
      fail('rate_limited');
      const retryAfterS = Math.ceil(take.retryAfterMs / 1_000);
      reply.header('retry-after', String(retryAfterS));
      return showForm(reply, 429, asked, { kind: 'limited', retryAfterS }, user);
    }
    if (!formTokens.use(parameter(posted, 'form_token') ?? '', subjectOf(asked))) {
      await limit.giveBack(request.clientAddress);
      return showForm(reply, 400, asked, { kind: 'stale_form' }, user);
    }
    const incarnation = await checkPassword(user, parameter(posted, 'password') ?? '');
    if (incarnation === undefined) {
      fail('wrong_password');
      return showForm(reply, 401, asked, { kind: 'wrong_password' }, user);
    }
    await limit.giveBack(request.clientAddress);
    if (incarnation === BUSY) {
      fail('busy');
      reply.header('retry-after', '5');
      return showForm(reply, 503, asked, { kind: 'busy' }, user);
    }
    await clients.keep(client.id);
    const code = await signIns.begin({
      user,
      incarnation,
      clientId: client.id,
      challenge: asked.challenge,
      redirectUri: asked.redirectUri,
    });
    if (code === undefined) return showProblem(reply, 503, 'full');
    log.info('login_success', { user, client_id: client.id, ip: request.clientAddress });
    return redirect(reply, asked, { code });
  }

  /** The incarnation of the user, BUSY when it could not be judged now, undefined when wrong. */
  async function checkPassword(
    user: string,
    password: string,
  ): Promise<string | typeof BUSY | undefined> {
    try {
      return await users.signIn(user, password);
    } catch (error) {
      if (error instanceof TooManyAttempts) return BUSY;
      throw error;
    }
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
    reply: FastifyReply,
    status: number,
    asked: AuthorizationRequest,
    complaint?: LoginComplaint,
    user = '',
  ): Promise<FastifyReply> {
    await clients.show(asked.client);
    const formToken = formTokens.seal(subjectOf(asked));
    return sendPage(reply, status, loginPage({ product, asked, formToken, complaint, user }));
  }

  function showProblem(reply: FastifyReply, status: number, problem: Problem): FastifyReply {
    if (status === 503) reply.header('retry-after', '5');
    return sendPage(reply, status, problemPage(problem, product, publicUrl));
  }

  /** Absent and `null` pass: `no-referrer` makes browsers send `null`, and the form token decides. */
  function isOwnOrigin(origin: string | undefined): boolean {
    return origin === undefined || origin === 'null' || origin === ownOrigin;
  }

  return { show, signIn, showProblem };
}

const BUSY = Symbol('busy');

/** Everything after the first `?`: a query may hold more of them. */
function queryOf({ raw: { url = '' } }: FastifyRequest): string {
  return url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
}

/** What a form token is bound to. */
function subjectOf({ client, redirectUri, state, challenge }: AuthorizationRequest): string[] {
  return [client.id, redirectUri, challenge, ...(state === undefined ? [] : [state])];
}
