/**
 * Checks the code of a second factor after the right password, for apps that connect and for the
 * console.
 *
 * Prevents brute force by somebody who knows the password and has many addresses (CWE-307): a wrong
 * code counts against the login limit of its source and against a limit of the user.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseRate } from '../../core/limits/rate.ts';
import type { Log } from '../../core/log/log.ts';
import type { Store } from '../../core/store/store.ts';
import type { CodeComplaint } from './code-fields.ts';
import type { LoginLimit } from './login-limit.ts';
import type { SecondFactor } from './second-factor.ts';

const CODES_OF_USER = parseRate('20/h')!;

export interface CodeParts {
  readonly store: Store;
  readonly limit: LoginLimit;
  readonly log: Log;
  readonly secondFactor?: SecondFactor | undefined;
}

/** Undefined for a right code. Sets `retry-after` where waiting helps, and logs a failure. */
export async function checkCode(
  request: FastifyRequest,
  reply: FastifyReply,
  { user, code, clientId }: { user: string; code: string; clientId: string | null },
  { store, limit, log, secondFactor }: CodeParts,
): Promise<{ readonly status: number; readonly complaint: CodeComplaint } | undefined> {
  const { clientAddress: ip } = request;
  const fail = (status: number, reason: string, retryAfterMs?: number) => {
    log.info('login_failed', { user, client_id: clientId, ip, reason });
    if (retryAfterMs === undefined) return { status, complaint: 'wrong' } as const;
    const retryAfterS = Math.ceil(retryAfterMs / 1_000);
    reply.header('retry-after', String(retryAfterS));
    return { status, complaint: { retryAfterS } };
  };
  const take = await limit.take(ip);
  if (!take.ok) return fail(429, 'rate_limited', take.retryAfterMs);
  const bucket = `second-factor:${user}`;
  const ofUser = await store.takeToken(bucket, CODES_OF_USER);
  if (!ofUser.ok) return fail(429, 'too_many_codes', ofUser.retryAfterMs);
  if (!(await secondFactor?.check(user, code.replace(/\s/g, '')))) return fail(401, 'wrong_code');
  await limit.giveBack(ip);
  await store.returnToken(bucket, CODES_OF_USER);
  return undefined;
}
