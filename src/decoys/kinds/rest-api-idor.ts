/**
 * `/api/v<n>/<resource>/<id>`: the user object of docs/decoys.md. An id always gives the same user,
 * whichever client asks, as a database would.
 */

import { DAY_MS } from '../../core/time.ts';
import { jsonAnswer } from '../kit/answer.ts';
import { cwe, WORDLIST } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind, Kit } from '../kit/decoy.ts';

const TAG = 'rest-api-idor';
const PATH = /^\/api\/v[0-9]+\/(users|accounts|admin|customers|employees)\/([0-9]{1,15})$/;
const ROLES: Readonly<Record<string, readonly string[]>> = {
  users: ['user', 'user', 'editor', 'viewer'],
  accounts: ['owner', 'member', 'billing'],
  admin: ['admin', 'admin', 'superadmin'],
  customers: ['customer', 'customer', 'reseller'],
  employees: ['employee', 'employee', 'manager', 'contractor'],
};
const BCRYPT_ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const GROWTH_MS = 5 * 365 * DAY_MS;
const HALF_OF_THE_USERS = 4_000;
const JITTER_MS = 30 * DAY_MS;

export const restApiIdor: Kind = {
  tag: TAG,
  category: 'api-enumeration',
  intention: 'read the records of other people by counting ids',
  technique: WORDLIST,
  references: [cwe(639)],
  corpus: Object.keys(ROLES).map((resource) => ({
    tag: `${TAG}-${resource}`,
    target: `/api/v1/${resource}/42`,
    expect: /"api_key":"sk_live_honeypot42"/,
  })),
  create,
};

function create({ draw, persona }: Kit): Decoy {
  return {
    methods: ['GET'],
    match: (probe) => {
      const found = probe.path.startsWith('/api/v') ? PATH.exec(probe.path) : null;
      if (found === null) return undefined;
      const [, resource = '', digits = ''] = found;
      const answer = () => ({ ...jsonAnswer(user(resource, Number(digits))), honeytokens: 1 });
      return { tag: `${TAG}-${resource}`, answer };
    },
  };

  function user(resource: string, id: number): object {
    const label = `${resource} ${id}`;
    return {
      id,
      email: `user${id}@${persona.domain}`,
      role: draw.pick(`role ${label}`, ROLES[resource]!),
      password_hash: passwordHash(draw.bytes(`password ${label}`)),
      api_key: `sk_live_honeypot${id}`,
      created_at: new Date(createdMs(label, id)).toISOString(),
    };
  }

  /** Higher ids are younger, more or less, and no two are of the same moment. */
  function createdMs(label: string, id: number): number {
    const age = id / (id + HALF_OF_THE_USERS);
    const jitter = draw.number(`created ${label}`, JITTER_MS);
    return persona.foundedMs + Math.floor(age * GROWTH_MS) + jitter;
  }
}

/** Sixty characters as bcrypt writes them, down to the bits that are always zero. */
function passwordHash(bytes: Buffer): string {
  return `$2b$12$${bcryptBase64(bytes.subarray(0, 16))}${bcryptBase64(bytes.subarray(16, 39))}`;
}

function bcryptBase64(bytes: Uint8Array): string {
  let text = '';
  for (let bit = 0; bit < bytes.length * 8; bit += 6) {
    const at = bit >> 3;
    const pair = (bytes[at]! << 8) | (bytes[at + 1] ?? 0);
    text += BCRYPT_ALPHABET[(pair >> (10 - (bit & 7))) & 63];
  }
  return text;
}
