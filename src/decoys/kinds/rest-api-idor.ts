/**
 * `/api/v<n>/<resource>/<id>`: the user object of docs/decoys.md. An id is the same person in
 * every resource, whichever client asks, as in a database.
 */

import { DAY_MS } from '../../core/time.ts';
import { jsonAnswer } from '../kit/answer.ts';
import { cwe, WORDLIST } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind, Kit } from '../kit/decoy.ts';
import { passwordHash } from '../persona/people.ts';

const TAG = 'rest-api-idor';
const PATH = /^\/api\/v[0-9]+\/(users|accounts|admin|customers|employees)\/([0-9]{1,15})$/;
const ROLES: Readonly<Record<string, readonly string[]>> = {
  users: ['user', 'user', 'editor', 'viewer'],
  accounts: ['owner', 'member', 'billing'],
  admin: ['admin', 'admin', 'superadmin'],
  customers: ['customer', 'customer', 'reseller'],
  employees: ['employee', 'employee', 'manager', 'contractor'],
};
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
    return {
      id,
      email: `user${id}@${persona.domain}`,
      role: draw.pick(`role ${resource} ${id}`, ROLES[resource]!),
      password_hash: passwordHash(draw, `password of user ${id}`),
      api_key: `sk_live_honeypot${id}`,
      created_at: new Date(createdMs(id)).toISOString(),
    };
  }

  /** Higher ids are younger, more or less, and no two are of the same moment. */
  function createdMs(id: number): number {
    const age = id / (id + HALF_OF_THE_USERS);
    const jitter = draw.number(`created ${id}`, JITTER_MS);
    return persona.foundedMs + Math.floor(age * GROWTH_MS) + jitter;
  }
}
