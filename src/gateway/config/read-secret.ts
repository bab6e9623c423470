/** One value that must not be shown: a secret of a user, a key of the server. */
import { Secret } from '../../core/secret.ts';
import { resolveValue, type ValueSources } from '../../core/value.ts';
import type { YamlNode } from '../../core/yaml-node.ts';

export function readSecret(
  name: string,
  node: YamlNode,
  sources: ValueSources,
): Secret | undefined {
  const raw = node.sensitiveString();
  if (raw === undefined) return undefined;
  const value = resolveValue(raw, sources, false);
  return value.kind === 'problem' ? node.problem(value.message) : new Secret(name, value.text);
}
