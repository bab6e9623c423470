/**
 * The texts that an upstream may extract from a value and write back. Each is a whole credential with the
 * minimum length of a secret, so that it cannot be guessed letter by letter.
 */
import { REDACTION_FLOOR } from '../../secrets/secret.ts';

export { REDACTION_FLOOR };

/**
 * The value without white space around it, which HTTP drops; percent-decoded, as of a cookie that was
 * copied from a browser; and the credentials in a whole header, a token or a key file.
 */
export function readingsOf(value: string): string[] {
  const trimmed = value.trim();
  const whole = [value, trimmed, percentDecoded(trimmed)];
  const parts = [...credentialOf(trimmed), ...cookiesIn(trimmed), ...keysIn(trimmed)];
  const texts = [...whole, ...parts, ...parts.map(percentDecoded)];
  return longEnough([...texts, ...texts.flatMap(signatureOf)]);
}

/** The signature of a JWT (RFC 7519): with the other two parts in plain text, it completes the token. */
function signatureOf(value: string): string[] {
  return JWT.exec(value)?.slice(1) ?? [];
}

const JWT = /^eyJ[\w-]+\.eyJ[\w-]+\.([\w-]{16,})$/;

/** What is between the first and the last line of a private key (RFC 7468), in one line. */
function keysIn(value: string): string[] {
  const blocks = value.matchAll(PRIVATE_KEY);
  return Array.from(blocks, ([, lines]) => lines!.replace(/\s+/g, ''));
}

const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END /g;

/** A UUID (RFC 9562) without its dashes, or with them: databases write it in one way or the other. */
export function otherNotationOf(value: string): string[] {
  if (DASHED.test(value)) return [value.replaceAll('-', '')];
  const groups = DIGITS_OF_UUID.exec(value)?.slice(1);
  return groups ? [groups.join('-')] : [];
}

const DASHED = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DIGITS_OF_UUID = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i;

/** What follows the scheme of an `Authorization` header (RFC 9110, section 11.4) in a secret. */
function credentialOf(value: string): string[] {
  return SCHEME.exec(value)?.slice(1) ?? [];
}

/** Those of the standards, and words that well-known services put in their place. */
const SCHEME =
  /^(?:basic|bearer|token|bot|key|jwt|oauth|ssws|geniekey|api[-_]?(?:key|token)) +(\S+)$/i;

/**
 * The values in a `Cookie` header (RFC 6265, section 4.2.1), where a blank follows each semicolon, as
 * none does in the address of a database. Shorter ones than a session has are ordinary words: a
 * language, a theme.
 */
function cookiesIn(value: string): string[] {
  const pairs = value.replace(/;$/, '').split('; ');
  if (!pairs.every((pair) => COOKIE.test(pair))) return [];
  const values = pairs.map((pair) => COOKIE.exec(pair)![1]!);
  return values.filter(({ length }) => length >= MIN_COOKIE);
}

const COOKIE = /^[\w!#$%&'*+.^`|~-]+="?([^\s",;\\]*)"?$/;
const MIN_COOKIE = 16;

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The same of a text that was base64, and the half of a Basic credential (RFC 7617) that is the
 * secret: what follows the first colon, or what precedes it where a key is in the place of
 * the name. The name is no secret, and answers are full of it.
 */
export function credentialsIn(decoded: string): string[] {
  const trimmed = decoded.trim();
  const colon = trimmed.indexOf(':');
  if (colon === -1) return longEnough([decoded, trimmed]);
  const [name, password] = [trimmed.slice(0, colon), trimmed.slice(colon + 1)];
  const half = NO_PASSWORD.test(password) ? name : password;
  return longEnough([decoded, trimmed, half]);
}

/** What is behind a key that is given as a name: nothing, any letter, GitHub's and Toggl's word. */
const NO_PASSWORD = /^(?:.?|x-oauth-basic|api_token)$/;

/** Each once, and none that is shorter than a secret must be. */
export function longEnough(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => [...text].length >= REDACTION_FLOOR);
}
