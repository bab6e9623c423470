/**
 * Passwords: a literal from the configuration, or a bcrypt hash.
 *
 * Stops the listing of user names by a clock: every attempt costs what the dearest configured
 * hash does, also for a cheaper hash, for a literal password and for a user that does not exist.
 * bcrypt reads 72 bytes and ignores the rest, so a longer password never matches a hash, and
 * `hashPassword` refuses to make one. Hashing runs off the main thread, few at a time.
 */
import { createHash, timingSafeEqual } from 'node:crypto';

const COST = 12;
const BCRYPT_MAX_BYTES = 72;
const MAX_AT_ONCE = 2;
const MAX_WAITING = 200;
const HASH_FORM = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** A hash of nothing anyone knows; what an unknown user and a literal password are measured by. */
const DUMMY_SALT = 'abcdefghijklmnopqrstuu';
const DUMMY_DIGEST = 'Cm1P0Yx8V1bK5n6T2wQe3rZu7aHsJdG';

export type Password =
  | { readonly kind: 'literal'; readonly digest: Buffer }
  | { readonly kind: 'bcrypt'; readonly hash: string };

/** Thrown when more attempts wait than the machine can judge soon. */
export class TooManyAttempts extends Error {
  override readonly name = 'TooManyAttempts';
  constructor() {
    super('too many sign-in attempts at once; try again in a moment');
  }
}

export function literalPassword(text: string): Password {
  return { kind: 'literal', digest: sha256(text) };
}

/** The password for a bcrypt hash, or undefined when the text is none that can be checked. */
export function bcryptPassword(text: string): Password | undefined {
  const cost = Number(HASH_FORM.exec(text)?.[1]);
  return cost >= 4 && cost <= 20 ? { kind: 'bcrypt', hash: text } : undefined;
}

/** Undefined stands for an unknown user: the same work, and never a match. */
export async function verifyPassword(
  password: Password | undefined,
  presented: string,
  dearest = COST,
): Promise<boolean> {
  const fits = Buffer.byteLength(presented) <= BCRYPT_MAX_BYTES && !presented.includes('\0');
  const against = password?.kind === 'bcrypt' ? password.hash : dummyHash(dearest);
  const hashMatches = await inTurn(async () => {
    const { verify } = await bcrypt();
    const attempt = fits ? presented : '';
    for (const cost of costsToAdd(costOf(against), dearest)) await verify(attempt, dummyHash(cost));
    return verify(attempt, against);
  });
  if (!password) return false;
  if (password.kind === 'bcrypt') return hashMatches && fits;
  return timingSafeEqual(password.digest, sha256(presented));
}

/**
 * The costs of the hashes that make a cheap one as dear as the dearest: each step of the cost
 * doubles the work, so one of every cost from its own up to the last below comes to just that.
 */
export function costsToAdd(cost: number, dearest: number): readonly number[] {
  return Array.from({ length: Math.max(0, dearest - cost) }, (_, index) => cost + index);
}

function costOf(hash: string): number {
  return Number(hash.slice(4, 6));
}

/** The cost that every attempt must have, so that none tells whether its user is known. */
export function dummyCostFor(passwords: Iterable<Password>): number {
  let cost = 0;
  for (const password of passwords) {
    if (password.kind === 'bcrypt') cost = Math.max(cost, costOf(password.hash));
  }
  return cost || COST;
}

/** Why a password cannot be hashed, or undefined when it can. */
export function passwordProblem(text: string): string | undefined {
  if (text === '') return 'the password is empty; type at least one character';
  if (text.includes('\0')) return 'the password holds a NUL character; leave it out';
  const bytes = Buffer.byteLength(text);
  if (bytes > BCRYPT_MAX_BYTES) {
    return `the password has ${bytes} bytes and bcrypt reads only 72; choose a shorter one`;
  }
  return undefined;
}

/** The value ready to paste into a configuration: `bcrypt:$2b$12$…`. */
export async function hashPassword(text: string): Promise<string> {
  const problem = passwordProblem(text);
  if (problem) throw new Error(problem);
  const { hash } = await bcrypt();
  return `bcrypt:${await hash(text, { cost: COST })}`;
}

/** A well-formed hash, so that checking against it does all the work; exported for its test. */
export function dummyHash(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${DUMMY_SALT}${DUMMY_DIGEST}`;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Loaded at the first attempt: seven megabytes that an idle server can do without. */
function bcrypt(): Promise<typeof import('@node-rs/bcrypt')> {
  return import('@node-rs/bcrypt');
}

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MAX_AT_ONCE) {
    if (waiting.length >= MAX_WAITING) throw new TooManyAttempts();
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running += 1;
  }
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
