/**
 * Checks a posted name and password, for apps that connect and for the console.
 *
 * In this order: limit of the source, cookie, form token, password, limit of the user. A wrong name
 * and a wrong password get the same answer, and both pages share the limits.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../../core/log/log.ts';
import { TooManyAttempts } from '../../core/secrets/hash-threads.ts';
import type { Users } from '../../core/users.ts';
import type { FormCookie, FormCookies } from './form-cookie.ts';
import type { FormTokens } from './form-token.ts';
import type { LoginComplaint } from './login-fields.ts';
import type { LoginLimit } from './login-limit.ts';

export interface LoginParts {
  readonly users: Users;
  readonly limit: LoginLimit;
  readonly formTokens: FormTokens;
  readonly formCookies: FormCookies;
  readonly log: Log;
}

interface PostedLogin {
  readonly posted: URLSearchParams;
  /** Null for the console. */
  readonly clientId: string | null;
  /** What the token of the form must be bound to. */
  readonly bound: (cookie: FormCookie) => readonly string[];
}

type LoginResult =
  | {
      readonly ok: true;
      readonly user: string;
      readonly incarnation: string;
      readonly cookie: FormCookie;
    }
  | {
      readonly ok: false;
      readonly status: number;
      readonly complaint: LoginComplaint;
      /** As typed. */
      readonly user: string;
      readonly cookie: FormCookie | undefined;
    };

/** No user has a longer name. Not cut: the beginning could be part of a token that was pasted there. */
const MAX_NAME_LOGGED = 64;
const TOO_LONG = `(longer than ${MAX_NAME_LOGGED} characters)`;

/** Sets `retry-after` where waiting helps, and logs a failure. Success is logged by its caller. */
export async function checkLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  { posted, clientId, bound }: PostedLogin,
  { users, limit, formTokens, formCookies, log }: LoginParts,
): Promise<LoginResult> {
  const user = (posted.get('username') ?? '').trim();
  const cookie = formCookies.find(request, posted.get('form_cookie') ?? '');
  const fail = (status: number, complaint: LoginComplaint, reason?: string): LoginResult => {
    if (reason !== undefined) {
      log.info('login_failed', {
        user: user.length > MAX_NAME_LOGGED ? TOO_LONG : user,
        client_id: clientId,
        ip: request.clientAddress,
        reason,
      });
    }
    if ('retryAfterS' in complaint) reply.header('retry-after', String(complaint.retryAfterS));
    return { ok: false, status, complaint, user, cookie };
  };

  const take = await limit.take(request.clientAddress);
  if (!take.ok) {
    const retryAfterS = Math.ceil(take.retryAfterMs / 1_000);
    return fail(429, { kind: 'limited', retryAfterS }, 'rate_limited');
  }
  const token = posted.get('form_token') ?? '';
  if (!cookie || !(await formTokens.use(token, bound(cookie)))) {
    await limit.giveBack(request.clientAddress);
    return fail(400, { kind: cookie ? 'stale_form' : 'no_cookie' });
  }
  let incarnation: string | undefined;
  try {
    incarnation = await users.signIn(user, posted.get('password') ?? '');
  } catch (error) {
    if (!(error instanceof TooManyAttempts)) throw error;
    await limit.giveBack(request.clientAddress);
    reply.header('retry-after', '5');
    return fail(503, { kind: 'busy' }, 'busy');
  }
  if (incarnation === undefined) return fail(401, { kind: 'wrong_password' }, 'wrong_password');
  await limit.giveBack(request.clientAddress);
  const takeOfUser = await limit.takeOfUser(user);
  if (!takeOfUser.ok) {
    const retryAfterS = Math.ceil(takeOfUser.retryAfterMs / 1_000);
    return fail(429, { kind: 'user_limited', retryAfterS }, 'too_many_sign_ins');
  }
  return { ok: true, user, incarnation, cookie };
}
