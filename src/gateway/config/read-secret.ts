/** One value that must not be shown: a secret of a user, a key of the server. */

import { resolveValue, type ValueSources } from '../../core/config/value.ts';
import type { YamlNode } from '../../core/config/yaml-node.ts';
import { Secret } from '../../core/secrets/secret.ts';

/** Forms of a longer one take seconds to make and hundreds of megabytes to look for. */
const MAX_LETTERS = 16 * 1024;

export function readSecret(
  name: string,
  node: YamlNode,
  sources: ValueSources,
): Secret | undefined {
  const raw = node.sensitiveString();
  if (raw === undefined) return undefined;
  const value = resolveValue(raw, sources, false);
  if (value.kind === 'problem') return node.problem(value.message);
  if (value.text.length > MAX_LETTERS) {
    return node.problem(
      `has ${value.text.length} characters; a secret has at most ${MAX_LETTERS}, since all its forms are looked for`,
    );
  }
  return new Secret(name, value.text);
}
