export const PASSWORD = 'correct horse battery';
/**
 * It as a configuration holds it, at the least cost of bcrypt: every attempt costs what the
 * dearest configured hash does, a third of a second for a literal, so signing in takes no time
 * where this is the only one.
 */
export const PASSWORD_HASH = 'bcrypt:$2b$04$ntDeRfButjUGy.hBp3uANuLCcxDd308BOAcfXWpQWO.lsZuytbIqK';
