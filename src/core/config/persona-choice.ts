/**
 * The persona of the decoys as an operator configures it: in a file or in an environment variable, for
 * all programs.
 *
 * Prevents header and markup injection: a name is printable ASCII without quotes or angle brackets.
 */
import type { Secret } from '../secrets/secret.ts';
import { Problems } from './problems.ts';
import { parseYaml, type YamlNode } from './yaml-node.ts';

export interface PersonaChoice {
  /** Of the company. */
  readonly name?: string;
  readonly domain?: string;
  /** With a slash as vLLM serves them, without one as Ollama stores them. */
  readonly models?: readonly string[];
  /** The server that the standalone decoys claim to be. */
  readonly server?: ClaimedServerName;
}

/** What the gateway and the notes server read for the decoys that they mount. */
export interface MountedDecoys {
  readonly key: Secret;
  readonly oldKeys: readonly Secret[];
  /** The path of the operator's own decoys. */
  readonly file?: string;
  readonly persona?: PersonaChoice;
}

export function sameMountedDecoys(
  a: MountedDecoys | undefined,
  b: MountedDecoys | undefined,
): boolean {
  if (!a || !b) return a === b;
  const [before, after] = [a, b].map(({ key, oldKeys }) => [key, ...oldKeys]);
  if (before!.length !== after!.length) return false;
  if (a.file !== b.file || JSON.stringify(a.persona) !== JSON.stringify(b.persona)) return false;
  return before!.every((key, at) => key.equals(after![at]!));
}

export const CLAIMED_SERVERS = ['go', 'nginx', 'ollama', 'vllm'] as const;
export type ClaimedServerName = (typeof CLAIMED_SERVERS)[number];

const NAME = {
  pattern: /^[A-Za-z0-9](?:[A-Za-z0-9 .&-]{0,62}[A-Za-z0-9.])?$/,
  expected: 'a company name of at most 64 letters, digits, spaces, dots, & and -',
};
const DOMAIN = {
  pattern: /^(?=.{3,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/,
  expected: 'a domain in lower case such as corp.example',
};
const MODEL = {
  pattern: /^[A-Za-z0-9](?:[\w.:/-]{0,126}[A-Za-z0-9])?$/,
  expected: 'the name of a model such as llama3.1:8b or Qwen/Qwen3-8B',
};
const SERVER = {
  pattern: new RegExp(`^(?:${CLAIMED_SERVERS.join('|')})$`),
  expected: `one of ${CLAIMED_SERVERS.join(', ')}`,
};
const MAX_MODELS = 20;

export function readPersonaChoice(
  node: YamlNode,
  { isStandalone = false } = {},
): PersonaChoice | undefined {
  const fields = node.fields(['name', 'domain', 'models', 'server']);
  if (!fields) return undefined;
  if (fields.server && !isStandalone) {
    fields.server.problem('applies to the standalone decoys only; leave it out');
  }
  const models = fields.models?.items() ?? [];
  if (models.length > MAX_MODELS) fields.models?.problem(`has more than ${MAX_MODELS} models`);
  const name = fields.name?.string(NAME);
  const domain = fields.domain?.string(DOMAIN);
  const server = fields.server?.string(SERVER) as ClaimedServerName | undefined;
  const names = models.flatMap((item) => item.string(MODEL) ?? []);
  return {
    ...(name !== undefined && { name }),
    ...(domain !== undefined && { domain }),
    ...(names.length > 0 && { models: names }),
    ...(server !== undefined && { server }),
  };
}

/** Parses the value of a variable. */
export function parsePersonaChoice(
  text: string,
  options?: { readonly isStandalone?: boolean },
): PersonaChoice | { readonly problem: string } {
  const problems = new Problems();
  const node = parseYaml(text, 'persona', problems);
  const choice = node && readPersonaChoice(node, options);
  const [problem] = problems.errors;
  if (choice && !problem) return choice;
  const { key = '', message } = problem ?? { message: 'is not YAML' };
  return { problem: key === '' ? message : `${key}: ${message}` };
}
