/**
 * The names of the Elastic Common Schema for the fields of our lines. Our `event` is a text where ECS
 * has an object, so that an index takes either our lines or those of others: `decoys ecs` writes
 * lines with the names below, and everything that reads lines takes both.
 *
 * Fields of ours with dots are ECS already, but for those that ECS does not know; these and all other
 * fields are below `gatehouse`.
 */
import type { JsonFields } from '../../core/report/json-lines.ts';

export const ECS_VERSION = '8.17.0';
const OWN = 'gatehouse.';

/** Every other field without a dot is below `gatehouse`. */
export const ECS_NAMES: Readonly<Record<string, string>> = {
  ts: '@timestamp',
  level: 'log.level',
  event: 'event.action',
  tag: 'rule.name',
  ip: 'source.ip',
  user: 'user.name',
  version: 'service.version',
};
const OUR_NAMES = new Map(Object.entries(ECS_NAMES).map(([ours, ecs]) => [ecs, ours]));
/** Fields with dots that are ECS as they are. */
const IS_ECS = /^(?:source\.ip|http\.|url\.|user_agent\.)/;
const ATTACKS = ['decoy_hit', 'honeytoken_used', 'tripwire_hit'];

export function toEcs(fields: JsonFields): JsonFields {
  const { event } = fields;
  const isAttack = ATTACKS.includes(String(event));
  const renamed: Record<string, unknown> = { 'ecs.version': ECS_VERSION };
  for (const [name, value] of Object.entries(fields)) renamed[ecsName(name)] = value;
  return {
    ...renamed,
    'event.kind': event === 'honeytoken_used' || event === 'tripwire_hit' ? 'alert' : 'event',
    ...(isAttack && { 'event.category': ['intrusion_detection'], 'event.type': ['info'] }),
    'event.module': 'gatehouse',
  };
}

export function ecsName(name: string): string {
  if (Object.hasOwn(ECS_NAMES, name)) return ECS_NAMES[name]!;
  return IS_ECS.test(name) ? name : `${OWN}${name}`;
}

/** The line with our names, if its names are those of ECS, dotted or nested. */
export function fromEcs(fields: JsonFields): JsonFields {
  if (typeof fields.event === 'string' || !('@timestamp' in fields)) return fields;
  const ours: Record<string, unknown> = Object.create(null);
  const put = (name: string, value: unknown, depth: number) => {
    if (depth > 0 && typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [key, item] of Object.entries(value)) put(`${name}.${key}`, item, depth - 1);
      return;
    }
    const known = OUR_NAMES.get(name);
    const own = name.startsWith(OWN) ? name.slice(OWN.length) : name;
    ours[known ?? own] = value;
    // Two of our fields have this name in ECS.
    if (known === 'ip') ours[name] = value;
  };
  for (const [name, value] of Object.entries(fields)) put(name, value, MAX_DEPTH);
  return ours;
}

const MAX_DEPTH = 4;
