/**
 * The placeholders of decoy files: a closed set of names. Prevents template injection (CWE-1336): nothing
 * is evaluated, no value contains text of the request, and all are printable ASCII, also for headers.
 */
export const PLACEHOLDERS = {
  token: 'a honeytoken, `hp_live_` and 32 characters',
  password: 'another honeytoken, 32 characters without a prefix',
  'aws.key_id': 'the id of an AWS key, which is a honeytoken',
  'aws.secret': 'the secret of that key',
  'aws.account': 'the account of that key, twelve digits',
  'client.id': 'sixteen hexadecimal digits, the same for every request of one address',
  'persona.company': 'the company as one word in lower case',
  'persona.title': 'its name as people write it',
  'persona.domain': 'its domain',
  'persona.region': 'the cloud region',
  'persona.model': 'the first model that it serves',
  'database.host': 'the host of its database',
  'database.user': 'the user of its database',
  'database.name': 'the name of its database',
  'admin.name': 'the name of a person who administers',
  'admin.user': 'the user name of that person',
  'admin.email': 'the e-mail address of that person',
  'admin.hash': 'a bcrypt hash for that person',
  'developer.name': 'the name of another person',
  'developer.user': 'the user name of that person',
  'developer.email': 'the e-mail address of that person',
  'developer.hash': 'a bcrypt hash for that person',
  'time.iso': 'a moment of the day before, such as `2026-11-14T08:21:07Z`',
  'time.unix': 'the same in seconds since 1970',
  'time.http': 'the same as HTTP writes it',
  'time.log': 'the same as PHP writes it in logs, such as `14-Nov-2026 08:21:07`',
  'time.access': 'the same as web servers write it in logs, such as `14/Nov/2026:08:21:07 +0000`',
  'time.listed': 'a moment of the year before as listings show it, such as `02-Oct-2025 14:07`',
  'time.past': 'a moment of the year before, the same on every day',
  address: 'a private IPv4 address: another one each time it is written',
  codename: 'a made-up word in lower case: another one each time it is written',
  version: 'a version such as `2.14.3`: another one each time it is written',
  'hex.8': 'hexadecimal digits: another value each time it is written',
  'hex.16': 'hexadecimal digits: another value each time it is written',
  'hex.32': 'hexadecimal digits: another value each time it is written',
  'hex.40': 'hexadecimal digits: another value each time it is written',
  'hex.64': 'hexadecimal digits: another value each time it is written',
  'digits.2': 'decimal digits, the first of them not 0: another value each time it is written',
  'digits.4': 'decimal digits, the first of them not 0: another value each time it is written',
  'digits.6': 'decimal digits, the first of them not 0: another value each time it is written',
  'digits.12': 'decimal digits: another value each time it is written',
  'base64.32': 'base64 of 32 bytes: another value each time it is written',
  'word.24': 'letters and digits: another value each time it is written',
  uuid: 'a UUID: another value each time it is written',
} as const;

export type Placeholder = keyof typeof PLACEHOLDERS;

/** Literal text and placeholders in turn: the odd items are placeholders. */
export type Template = readonly string[];

const FORM = /\{\{ *([^{}]*?) *\}\}/;
const MAX_PLACEHOLDERS = 64;

/** A template, or what is wrong with the text. */
export function parseTemplate(text: string): Template | { readonly problem: string } {
  const parts = text.split(FORM);
  for (let at = 1; at < parts.length; at += 2) {
    if (!(parts[at]! in PLACEHOLDERS)) return { problem: unknownPlaceholder(parts[at]!) };
  }
  if (parts.length > 2 * MAX_PLACEHOLDERS) {
    return { problem: `has more than ${MAX_PLACEHOLDERS} placeholders; use fewer` };
  }
  return parts;
}

function unknownPlaceholder(name: string): string {
  const shown = JSON.stringify(name.slice(0, 40));
  return `${shown} is not a placeholder; known are ${Object.keys(PLACEHOLDERS).join(', ')}`;
}
