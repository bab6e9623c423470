/** One entry of `users`: name, password, secrets, targets, keys. */

import { randomUUID } from 'node:crypto';
import { resolveValue, type ValueSources } from '../../core/config/value.ts';
import type { YamlNode } from '../../core/config/yaml-node.ts';
import { bcryptPassword, literalPassword, type Password } from '../../core/secrets/password.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { totpProblem } from '../../core/secrets/totp.ts';
import { MALFORMED_HASH, passwordWarning } from '../../core/secrets/weak-password.ts';
import type { Target, User } from './config.ts';
import type { MintedSecret } from './minted-secret.ts';
import { readKeys } from './read-keys.ts';
import { readMinted } from './read-minted.ts';
import { readName } from './read-name.ts';
import { readSecret } from './read-secret.ts';
import { type ServerReading, self } from './read-server.ts';
import { readTarget } from './read-target.ts';
import type { SecretsRead } from './read-template.ts';

const SECRET_NAME = /^[a-zA-Z0-9_]{1,64}$/;

export function readUser(
  node: YamlNode,
  server: ServerReading,
  sources: ValueSources,
  namesSoFar: Set<string>,
  digestsSoFar: Set<string>,
): User | undefined {
  const read = node.read(
    {
      name: (item) => readName(item, 'user', namesSoFar),
      password: (item) => readPassword(item, sources),
      totp: (item) => readTotp(item, sources),
      allow_any: (item) => item.boolean(),
      secrets: self,
      targets: self,
      keys: self,
    },
    { name: 'give the user a login name', password: 'make one with the hashpw command' },
  );
  if (!read) return undefined;
  const { name, password, totp, allow_any: allowAny = false } = read;
  const { named, minted, parts } = readSecrets(read.secrets, server, sources);
  const targets = readTargets(read.targets, server, named);
  const fixed = [...named.values()].filter((value) => value instanceof Secret);
  const secrets = new Map([...fixed, ...parts].map((secret) => [secret.name, secret]));
  const keys = readKeys(read.keys, sources, { user: name ?? '', targets }, digestsSoFar);
  if (!name || !password) return undefined;
  return { name, password, totp, allowAny, secrets, minted, targets, keys };
}

function readTotp(node: YamlNode, sources: ValueSources): Secret | undefined {
  const secret = readSecret('totp', node, sources);
  const problem = secret && totpProblem(secret);
  return problem === undefined ? secret : node.problem(problem);
}

function readPassword(node: YamlNode, sources: ValueSources): Password | undefined {
  const raw = node.sensitiveString();
  if (raw === undefined) return undefined;
  const value = resolveValue(raw, sources, true);
  const warning = value.kind === 'plain' ? passwordWarning(raw, value.text) : undefined;
  if (warning !== undefined) node.warn(warning);
  switch (value.kind) {
    case 'problem':
      return node.problem(value.message);
    case 'skipped':
      // Nobody can sign in with it: the configuration is read again before it is used.
      return literalPassword(randomUUID());
    case 'plain':
      return literalPassword(value.text);
    default:
      return bcryptPassword(value.text) ?? node.problem(MALFORMED_HASH);
  }
}

interface UserSecrets {
  readonly named: SecretsRead;
  readonly minted: ReadonlyMap<string, MintedSecret>;
  readonly parts: readonly Secret[];
}

function readSecrets(
  node: YamlNode | undefined,
  { allowNetworks }: ServerReading,
  sources: ValueSources,
): UserSecrets {
  const named = new Map<string, Secret | 'minted' | undefined>();
  const minted = new Map<string, MintedSecret>();
  const parts: Secret[] = [];
  for (const [name, item] of !node || node.isNull ? [] : node.entries()) {
    if (!SECRET_NAME.test(name)) {
      item.problem('is not a name of 1 to 64 letters, digits and underscores');
    } else if (item.isMap) {
      const reading = readMinted(name, item, sources, allowNetworks);
      named.set(name, 'minted');
      if (reading) minted.set(name, reading.minted);
      parts.push(...(reading?.parts ?? []));
    } else {
      named.set(name, readSecret(name, item, sources));
    }
  }
  return { named, minted, parts };
}

function readTargets(
  node: YamlNode | undefined,
  server: ServerReading,
  secrets: SecretsRead,
): Target[] {
  if (!node || node.isNull) return [];
  const ids = new Set<string>();
  return node.items().flatMap((item) => readTarget(item, server, secrets, ids) ?? []);
}
