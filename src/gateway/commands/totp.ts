/** `totp`: a new secret for a second factor, as a text, as an `otpauth:` URI and as a QR code. */
import { randomBytes } from 'node:crypto';
import type { Output } from '../../core/command-line/output.ts';
import { toBase32 } from '../../core/secrets/totp.ts';

/** As RFC 4226, section 4, advises. */
const SECRET_BYTES = 20;
const ISSUER = 'Gatehouse';

export async function totp(
  { user = 'me', issuer = ISSUER }: { user?: string | undefined; issuer?: string | undefined },
  output: Output,
): Promise<number> {
  const secret = toBase32(randomBytes(SECRET_BYTES));
  const uri = `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(user)}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
  output.out(secret);
  output.out(uri);
  // Loaded on demand: no other command draws one.
  const { default: encodeQR } = await import('qr');
  for (const line of encodeQR(uri, 'ascii').trimEnd().split('\n')) output.out(line);
  return 0;
}
