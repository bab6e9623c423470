/**
 * A MAC of the password, by which a session ends when the password is changed. Prevents guessing from a
 * stolen store, which does not have the key.
 */
import { createHmac, type KeyObject } from 'node:crypto';
import type { Password } from './password.ts';

export function passwordMark(password: Password, key: KeyObject): string {
  const material = password.kind === 'literal' ? password.digest : password.hash;
  return createHmac('sha256', key).update(`${password.kind} `).update(material).digest('base64url');
}
