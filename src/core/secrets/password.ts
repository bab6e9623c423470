/**
 * Passwords: a literal from the configuration, or a bcrypt hash. Hashes are computed in `HashThreads`.
 *
 * Prevents user enumeration by timing (CWE-208): every attempt costs as much as the most expensive
 * configured hash, also for a cheaper hash, a literal password and an unknown user. bcrypt ignores what
 * follows 72 bytes, so a longer password never matches a hash, and `hashPassword` refuses it.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { describeError } from '../log/log.ts';
import { HashThread } from './hash-thread.ts';
import { HashThreads } from './hash-threads.ts';

const COST = 12;
const BCRYPT_MAX_BYTES = 72;
const HASH_FORM = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** Prefix, cost and salt; the digest follows. */
const SALT_LENGTH = 29;
/** A hash without a known password, for unknown users and literal passwords. */
const DUMMY_SALT = 'abcdefghijklmnopqrstuu';
const DUMMY_DIGEST = 'Cm1P0Yx8V1bK5n6T2wQe3rZu7aHsJdG';
/** A published test vector of the least cost, since it is computed at every start: pyca/bcrypt. */
const PROOF_PASSWORD = 'Kk4DQuMMfZL9o';
const PROOF = '$2b$04$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm';

const threads = new HashThreads();

export type Password =
  | { readonly kind: 'literal'; readonly digest: Buffer }
  | { readonly kind: 'bcrypt'; readonly hash: string };

export function literalPassword(text: string): Password {
  return { kind: 'literal', digest: sha256(text) };
}

/** The password for a bcrypt hash, or undefined when the text is none that can be checked. */
export function bcryptPassword(text: string): Password | undefined {
  const cost = Number(HASH_FORM.exec(text)?.[1]);
  return cost >= 4 && cost <= 20 ? { kind: 'bcrypt', hash: text } : undefined;
}

/** Undefined is an unknown user, which costs the same and never matches. */
export async function verifyPassword(
  password: Password | undefined,
  presented: string,
  maxCost = COST,
): Promise<boolean> {
  const fits = Buffer.byteLength(presented) <= BCRYPT_MAX_BYTES && !presented.includes('\0');
  const against = password?.kind === 'bcrypt' ? password.hash : dummyHash(maxCost);
  const attempt = fits ? presented : '';
  const salts = [
    ...costsToAdd(costOf(against), maxCost).map((cost) => dummyHash(cost)),
    against,
  ].map((hash) => hash.slice(0, SALT_LENGTH));
  const hashMatches = hasDigestOf(against, await threads.run({ password: attempt, salts }));
  if (!password) return false;
  if (password.kind === 'bcrypt') return hashMatches && fits;
  return timingSafeEqual(password.digest, sha256(presented));
}

/**
 * The costs of additional hashes that make a cheap one as expensive as the most expensive: each step
 * doubles the work, so one of every cost between the two sums up to the difference.
 */
export function costsToAdd(cost: number, maxCost: number): readonly number[] {
  return Array.from({ length: Math.max(0, maxCost - cost) }, (_, index) => cost + index);
}

function costOf(hash: string): number {
  return Number(hash.slice(4, 6));
}

/** The cost of every attempt: the highest that is configured. */
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
  return `bcrypt:${await threads.run({ password: text, salts: [COST] })}`;
}

/** Why passwords cannot be hashed here, or undefined when a thread has shown that they can. */
export async function hashingProblem(): Promise<string | undefined> {
  const thread = new HashThread();
  try {
    const salt = PROOF.slice(0, SALT_LENGTH);
    const hash = await thread.run({ password: PROOF_PASSWORD, salts: [salt] });
    return hash === PROOF ? undefined : 'bcrypt computes wrong hashes; install the program again';
  } catch (error) {
    return describeError(error);
  } finally {
    await thread.end();
  }
}

/** Ends the threads at shutdown; a hash of a high cost would hold the process for minutes. */
export function endHashing(): Promise<void> {
  return threads.end();
}

/** Compares only the digests: the unused bits at the end of a salt may differ. */
function hasDigestOf(known: string, computed: string): boolean {
  const [one, other] = [known, computed].map((hash) => Buffer.from(hash.slice(SALT_LENGTH)));
  return timingSafeEqual(one!, other!);
}

/** A well-formed hash, so that checking against it does all the work; exported for its test. */
export function dummyHash(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${DUMMY_SALT}${DUMMY_DIGEST}`;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
