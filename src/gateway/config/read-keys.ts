/**
 * `keys` of a user: what a client of the HTTP door presents instead of a credential. Only the
 * SHA-256 digest of a key is kept, so the running gateway holds no usable one.
 */
import { hash, randomUUID } from 'node:crypto';
import { resolveValue, type ValueSources } from '../../core/config/value.ts';
import type { YamlNode } from '../../core/config/yaml-node.ts';
import type { DoorKey, Target } from './config.ts';
import { readName } from './read-name.ts';

/** What fits a header and cannot be guessed. */
const KEY = /^[\x21-\x7e]{32,512}$/;
const DIGEST = /^sha256:([0-9a-f]{64})$/i;
const DATE_FORM = 'a day such as "2027-01-31"';

interface KeyOwner {
  readonly user: string;
  readonly targets: readonly Target[];
}

/** Keys are unique over all users: a key names its user. */
export function readKeys(
  node: YamlNode | undefined,
  sources: ValueSources,
  owner: KeyOwner,
  digestsSoFar: Set<string>,
): DoorKey[] {
  if (!node || node.isNull) return [];
  const names = new Set<string>();
  return node.items().flatMap((item) => readKey(item, sources, owner, names, digestsSoFar) ?? []);
}

function readKey(
  node: YamlNode,
  sources: ValueSources,
  owner: KeyOwner,
  namesSoFar: Set<string>,
  digestsSoFar: Set<string>,
): DoorKey | undefined {
  const read = node.read(
    {
      name: (item) => readName(item, 'key', namesSoFar),
      key: (item) => readDigest(item, sources),
      targets: (item) => readTargetIds(item, owner.targets),
      expires: (item) => item.parsed(startOfDay, DATE_FORM),
    },
    { name: 'the audit log names the key by it', key: 'make one with: gateway key' },
  );
  if (!read) return undefined;
  const { name, key: digest, targets, expires: expiresAt, nodes } = read;
  if (digest && digestsSoFar.has(digest)) nodes.key?.problem('is also another key; make a new one');
  if (digest) digestsSoFar.add(digest);
  if (expiresAt !== undefined && expiresAt <= Date.now())
    nodes.expires?.warn('the key has expired; remove it or make a new one with: gateway key');
  return name && digest ? { name, user: owner.user, digest, targets, expiresAt } : undefined;
}

function readDigest(node: YamlNode, sources: ValueSources): string | undefined {
  const raw = node.sensitiveString();
  if (raw === undefined) return undefined;
  const value = resolveValue(raw, sources, false);
  if (value.kind === 'problem') return node.problem(value.message);
  // Its program has not run; the configuration is read again before it is used.
  if (value.kind === 'skipped') return digestOf(randomUUID());
  const digest = DIGEST.exec(value.text)?.[1];
  if (digest !== undefined) return digest.toLowerCase();
  if (KEY.test(value.text)) return digestOf(value.text);
  return node.problem(
    'must be a key of 32 to 512 visible ASCII characters or sha256: and its digest; make one with: gateway key',
  );
}

export function digestOf(key: string): string {
  return hash('sha256', key);
}

function readTargetIds(node: YamlNode, targets: readonly Target[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const item of node.items('must not be empty, which would open no target; omit the key')) {
    const id = item.string();
    if (id === undefined) continue;
    if (targets.some((target) => target.id === id)) ids.add(id);
    else item.problem(`${item.quoted()} is not the id of a target of this user`);
  }
  return ids;
}

/** In UTC. */
function startOfDay(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const time = Date.parse(`${text}T00:00:00Z`);
  const isReal = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isReal ? time : undefined;
}
