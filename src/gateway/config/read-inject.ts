/** Reads `inject` of a target: the headers, parameters and fields to inject. */

import type { YamlNode } from '../../core/config/yaml-node.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { parseJsonPath } from '../request/json-splice.ts';
import { parseTemplate, secretNamesOf, type Template } from '../request/template.ts';
import type { Inject } from './config.ts';

/** The secrets of a user by name; undefined for one with an invalid value. */
export type SecretsRead = ReadonlyMap<string, Secret | 'minted' | undefined>;

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const UNFIT_FOR_HEADER = /[\0-\x08\x0a-\x1f\x7f]/;
/** Framing headers; injecting them would allow request smuggling (CWE-444). */
const FRAMING = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export function readInject(node: YamlNode | undefined, secrets: SecretsRead): Inject {
  const fields = (node?.isNull ? undefined : node?.fields(['headers', 'query', 'body'])) ?? {};
  const headers = readHeaders(fields.headers, secrets);
  const query = readQuery(fields.query, secrets);
  const body = readBody(fields.body, secrets);
  const templates = [...headers.values(), ...query.values(), ...body.map((rule) => rule.template)];
  const secretNames = [...new Set(templates.flatMap(secretNamesOf))];
  const mintedNames = secretNames.filter((name) => secrets.get(name) === 'minted');
  return { headers, query, body, secretNames, mintedNames };
}

function readHeaders(node: YamlNode | undefined, secrets: SecretsRead): Map<string, Template> {
  const headers = new Map<string, Template>();
  const names = new Set<string>();
  for (const [name, item] of entriesOf(node)) {
    const lower = name.toLowerCase();
    if (!HEADER_NAME.test(name)) item.problem('is not a header name');
    else if (FRAMING.has(lower))
      item.problem(`the header ${name} is set by the gateway and cannot be injected`);
    else if (names.has(lower))
      item.problem(`the header ${name} is defined twice; names are case-insensitive`);
    names.add(lower);
    const template = readTemplate(item, secrets);
    if (!template) continue;
    for (const part of template.parts) reportUnfitForHeader(part, item, secrets);
    headers.set(lower, template);
  }
  return headers;
}

/** Prevents header injection (CWE-113). */
function reportUnfitForHeader(
  part: Template['parts'][number],
  item: YamlNode,
  secrets: SecretsRead,
): void {
  const isText = typeof part === 'string';
  const secret = isText ? undefined : secrets.get(part.secretName);
  const fits = isText
    ? !UNFIT_FOR_HEADER.test(part)
    : !(secret instanceof Secret) || secret.fitsHeader;
  if (fits) return;
  const what = isText ? 'the template' : `the secret ${part.secretName}`;
  item.problem(`${what} has a line break or control character, which a header cannot carry`);
}

function readQuery(node: YamlNode | undefined, secrets: SecretsRead): Map<string, Template> {
  const query = new Map<string, Template>();
  for (const [name, item] of entriesOf(node)) {
    if (name === '') item.problem('a query parameter needs a name');
    const template = readTemplate(item, secrets);
    if (template) query.set(name, template);
  }
  return query;
}

function readBody(node: YamlNode | undefined, secrets: SecretsRead): Inject['body'] {
  const rules: Inject['body'][number][] = [];
  for (const [text, item] of entriesOf(node)) {
    const path = parseJsonPath(text);
    const template = readTemplate(item, secrets);
    if ('problem' in path) {
      item.problem(`is not a JSON path: ${path.problem}`);
      continue;
    }
    const other = rules.find((rule) => isWithin(rule.path, path) || isWithin(path, rule.path));
    if (other) item.problem('overlaps another injected field; inject one of them');
    if (template) rules.push({ path, template });
  }
  return rules;
}

function isWithin(outer: readonly string[], path: readonly string[]): boolean {
  return outer.every((name, index) => name === path[index]);
}

/** A template may contain a literal credential, so no message quotes it. */
function readTemplate(item: YamlNode, secrets: SecretsRead): Template | undefined {
  const text = item.sensitiveString();
  if (text === undefined) return undefined;
  const template = parseTemplate(text, secrets.keys());
  return 'problem' in template ? item.problem(template.problem) : template;
}

function entriesOf(node: YamlNode | undefined): [string, YamlNode][] {
  return node && !node.isNull ? node.entries() : [];
}
