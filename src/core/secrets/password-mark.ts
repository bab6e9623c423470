/**
 * What tells whether a user still has the password that a session began with. Prevents guessing from
 * a stolen store: it is keyed, and the key is not in the store.
 */
import { createHmac, type KeyObject } from 'node:crypto';
import type { Password } from './password.ts';

export function passwordMark(password: Password, key: KeyObject): string {
  const material = password.kind === 'literal' ? password.digest : password.hash;
  return createHmac('sha256', key).update(`${password.kind} `).update(material).digest('base64url');
}
