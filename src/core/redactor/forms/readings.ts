/**
 * What a value stands for, beside itself: texts that an upstream reads out of it and may write
 * back in their turn.
 *
 * Each is a whole credential, not a part of one that could be found letter by letter: whoever
 * guesses it must guess all of it, and it has as many characters as a secret must have.
 */

/** Document 1: secrets shorter than this many characters are not redacted. */
export const REDACTION_FLOOR = 8;

/**
 * HTTP drops the blanks around a header's value, and a YAML block ends in a line break. A cookie
 * that was copied from a browser is percent-encoded, and the upstream decodes it.
 */
export function readingsOf(value: string): string[] {
  const trimmed = value.trim();
  return longEnough([value, trimmed, percentDecoded(trimmed)]);
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The same of a text that was base64, and the half of a Basic credential (RFC 7617) that is the
 * secret: what follows the first colon, or what precedes it where a key stands in the place of
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

/** What stands behind a key that is given as a name: nothing, any letter, GitHub's and Toggl's word. */
const NO_PASSWORD = /^(?:.?|x-oauth-basic|api_token)$/;

function longEnough(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => [...text].length >= REDACTION_FLOOR);
}
