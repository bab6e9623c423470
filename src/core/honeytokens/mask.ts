/**
 * Keeps honeytokens out of a log, whose readers could use one and so accuse its receiver. Matches the
 * shape only, so that it works without a key and for tokens of other servers.
 */
import { mayHoldToken } from './shape.ts';
import { BASE64_RUN, decodedBase64, percentDecoded, unescaped } from './spellings.ts';

const MASK = '[honeytoken]';
/**
 * A token without a prefix has no letter or digit around it, other than those of an escape. In mixed
 * case it does not count: one in ten random ids has that shape.
 */
const TOKEN =
  /hp_live_[a-z2-7]{32}|(?<=^|[^a-z0-9]|%(?:25){0,3}[0-9a-f]{2}|\\[bfnrt]|\\u[0-9a-f]{4})[a-z2-7]{32}(?![a-z0-9])|akia[a-z2-7]{16}|sk_live_honeypot[0-9]{1,15}/gi;
const BARE_LENGTH = 32;
/** The longest spelling of a token: 40 characters, each percent-encoded three times. */
const MAX_SPELLED = 40 * 27;

/** Replaces everything with the shape of a token, however it is spelled. */
export function maskTokens(text: string): string {
  if (!mayHoldToken(text)) return text;
  let safe = masked(text);
  let plain = safe;
  for (const decode of [percentDecoded, percentDecoded, percentDecoded, unescaped]) {
    const decoded = decode(plain);
    plain = masked(decoded);
    // Without a token the escapes stay, so that the line shows what was sent.
    if (plain !== decoded) safe = plain;
  }
  return safe.replace(BASE64_RUN, (run) => (encodesToken(run) ? MASK : run));
}

/** The same for the beginning of a long text; the cut leaves no part of a token at the end. */
export function maskedBeginning(text: string, max: number): string {
  const isWhole = text.length <= max + MAX_SPELLED;
  const safe = maskTokens(isWhole ? text : text.slice(0, max + MAX_SPELLED));
  const kept = isWhole ? safe : safe.slice(0, -MAX_SPELLED);
  return isWhole && kept.length <= max ? kept : `${kept.slice(0, max)}…`;
}

/** How many whole tokens a text holds, by their shape. */
export function countTokens(text: string): number {
  return [...text.matchAll(TOKEN)].filter(([token]) => isToken(token)).length;
}

function masked(text: string): string {
  return text.replace(TOKEN, (token) => (isToken(token) ? MASK : token));
}

function isToken(token: string): boolean {
  if (token.length !== BARE_LENGTH) return true;
  return token === token.toLowerCase() || token === token.toUpperCase();
}

function encodesToken(run: string): boolean {
  for (const text of decodedBase64(run)) if (masked(text) !== text) return true;
  return false;
}
