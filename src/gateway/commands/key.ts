/** `key`: a new random key for a client of the HTTP door, and what the configuration holds of it. */
import { randomBytes } from 'node:crypto';
import type { Output } from '../../core/command-line/output.ts';
import { digestOf } from '../config/read-keys.ts';

const KEY_BYTES = 32;

export function key(output: Output): number {
  const text = `gh_${randomBytes(KEY_BYTES).toString('base64url')}`;
  output.out(text);
  output.out(`sha256:${digestOf(text)}`);
  return 0;
}
