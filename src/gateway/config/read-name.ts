import type { YamlNode } from '../../core/config/yaml-node.ts';

const NAME = {
  pattern: /^[a-zA-Z0-9._-]{1,64}$/,
  expected: 'a name of 1 to 64 letters, digits, dots, dashes and underscores',
};

/** The name of a user or a key, with a problem where another one of the same list has it. */
export function readName(
  node: YamlNode,
  kind: 'user' | 'key',
  namesSoFar: Set<string>,
): string | undefined {
  const name = node.string(NAME);
  if (name && namesSoFar.has(name)) node.problem(`the ${kind} ${name} is defined twice`);
  if (name) namesSoFar.add(name);
  return name;
}
