/**
 * Time-based one-time passwords (RFC 6238, with HMAC-SHA1 and steps of 30 seconds, as of authenticator
 * apps) and the base32 of their secrets (RFC 4648, section 6).
 */
import { createHmac } from 'node:crypto';
import type { Secret } from './secret.ts';

export const TOTP_STEP_MS = 30_000;
export const TOTP_DIGITS = 6;
/** RFC 4226 demands 128 bits and advises 160; apps exist that make 80. */
const MIN_BYTES = 10;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function totpCode(secret: Secret, step: number, digits = TOTP_DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', fromBase32(secret.reveal())!).update(counter).digest();
  const offset = mac.at(-1)! & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The problem of a configured secret, if any; never quotes it. */
export function totpProblem(secret: Secret): string | undefined {
  const bytes = fromBase32(secret.reveal());
  if (!bytes) return 'is not base32; make one with: gateway totp';
  if (bytes.length >= MIN_BYTES) return undefined;
  return 'is too short for a second factor; make one with: gateway totp';
}

export function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => ALPHABET[parseInt(five.padEnd(5, '0'), 2)])
    .join('');
}

/** In any letter case, with or without spaces, hyphens and padding, as services show it. */
function fromBase32(text: string): Buffer | undefined {
  const letters = text.replace(/[\s-]/g, '').replace(/=+$/, '').toUpperCase();
  if (!/^[A-Z2-7]+$/.test(letters)) return undefined;
  const bits = [...letters].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0'));
  const bytes = bits.join('').match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => parseInt(byte, 2)));
}
