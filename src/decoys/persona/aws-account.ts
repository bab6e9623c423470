/** The one cloud account of a deployment: key ids carry it, and so does every role name. */
import type { Draw } from './draw.ts';

/** Twelve digits, the first of which is not zero. */
export function awsAccountOf(draw: Draw): string {
  return String(100_000_000_000 + draw.number('aws account', 900_000_000_000));
}

const SECRET_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The secret of a key id, forty characters. */
export function awsSecretOf(draw: Draw, keyId: string): string {
  return draw.text(`aws secret ${keyId}`, SECRET_ALPHABET, 40);
}
