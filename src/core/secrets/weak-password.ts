/**
 * Warnings about passwords of a configuration: short ones, which can be guessed, and hashes without their
 * prefix, which are themselves the password then.
 */
const MIN_LENGTH = 8;
/** bcrypt, argon2, scrypt, yescrypt and crypt(3), as the usual tools print them. */
const HASH = /^\$(?:2[abxy]?|argon2\w{1,2}|scrypt|7|y|gy|1|5|6|apr1|pbkdf2[\w-]*)\$/;
const BCRYPT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/;

/** A shell and Compose expand what follows a dollar sign. */
export const MALFORMED_HASH =
  'the bcrypt hash is malformed; make one with the hashpw command, and put it into single quotes in a shell, or write $$ for each $ in a Compose file';

export const SHORT_PASSWORD =
  'the password has fewer than 8 characters and can be guessed; choose a longer one';

/** The warning, if any. `raw` is the configured value, `text` what it resolves to. */
export function passwordWarning(raw: string, text: string): string | undefined {
  if (HASH.test(text)) {
    if (raw.startsWith('literal:')) return undefined;
    return BCRYPT.test(text)
      ? 'the password is a bcrypt hash without its prefix and is taken literally; write bcrypt: before it, or literal: if it is the password itself'
      : 'the password looks like a hash and is taken literally; make one with the hashpw command, or write literal: before it if it is the password itself';
  }
  return isShort(text) ? SHORT_PASSWORD : undefined;
}

export function isShort(password: string): boolean {
  return [...password].length < MIN_LENGTH;
}
