/** Reads a secret of a user or a key of the server. */

import { resolveValue, type ValueSources } from '../../core/config/value.ts';
import type { YamlNode } from '../../core/config/yaml-node.ts';
import { Secret } from '../../core/secrets/secret.ts';

/** For a longer one, the redactor would need seconds to build and hundreds of megabytes. */
const MAX_LETTERS = 16 * 1024;

/** Undefined after a problem, and for the output of a program that has not run. */
export function readSecret(
  name: string,
  node: YamlNode,
  sources: ValueSources,
): Secret | undefined {
  const raw = node.sensitiveString();
  if (raw === undefined) return undefined;
  const value = resolveValue(raw, sources, false);
  if (value.kind === 'problem') return node.problem(value.message);
  if (value.kind === 'skipped') return undefined;
  if (value.text.length > MAX_LETTERS) {
    return node.problem(
      `has ${value.text.length} characters; the maximum of a secret is ${MAX_LETTERS}`,
    );
  }
  return new Secret(name, value.text);
}
