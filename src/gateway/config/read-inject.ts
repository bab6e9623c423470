/** The `inject` part of a target: what the gateway attaches on the way out. */
import { quote } from '../../core/problems.ts';
import type { Secret } from '../../core/secret.ts';
import type { YamlNode } from '../../core/yaml-node.ts';
import { parseJsonPath } from '../json-splice.ts';
import { parseTemplate, secretNamesOf, type Template } from '../template.ts';
import type { Inject } from './config.ts';

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** The framing of the request is the gateway's own; injecting into it could smuggle a request. */
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

export function readInject(
  node: YamlNode | undefined,
  secrets: ReadonlyMap<string, Secret>,
): Inject {
  const fields = node && !node.isNull ? node.fields(['headers', 'query', 'body']) : {};
  const headers = readHeaders(fields.headers, secrets);
  const query = readQuery(fields.query, secrets);
  const body = readBody(fields.body, secrets);
  const templates = [...headers.values(), ...query.values(), ...body.map((rule) => rule.template)];
  return { headers, query, body, secretNames: [...new Set(templates.flatMap(secretNamesOf))] };
}

function readHeaders(
  node: YamlNode | undefined,
  secrets: ReadonlyMap<string, Secret>,
): Map<string, Template> {
  const headers = new Map<string, Template>();
  for (const [name, item] of entriesOf(node)) {
    const lower = name.toLowerCase();
    if (!HEADER_NAME.test(name)) item.problem(`${quote(name)} is not a header name`);
    else if (FRAMING.has(lower))
      item.problem(`the header ${name} belongs to the gateway and cannot be injected`);
    else if (headers.has(lower))
      item.problem(`the header ${name} stands twice; case does not matter`);
    const template = readTemplate(item, secrets);
    if (!template) continue;
    for (const secretName of secretNamesOf(template)) {
      if (secrets.get(secretName)?.fitsHeader === false) {
        item.problem(
          `the secret ${secretName} has a line break or control character, which a header cannot carry`,
        );
      }
    }
    headers.set(lower, template);
  }
  return headers;
}

function readQuery(
  node: YamlNode | undefined,
  secrets: ReadonlyMap<string, Secret>,
): Map<string, Template> {
  const query = new Map<string, Template>();
  for (const [name, item] of entriesOf(node)) {
    const template = readTemplate(item, secrets);
    if (template) query.set(name, template);
  }
  return query;
}

function readBody(
  node: YamlNode | undefined,
  secrets: ReadonlyMap<string, Secret>,
): { path: readonly string[]; template: Template }[] {
  const rules: { path: readonly string[]; template: Template }[] = [];
  for (const [text, item] of entriesOf(node)) {
    const path = parseJsonPath(text);
    const template = readTemplate(item, secrets);
    if ('problem' in path) item.problem(`${quote(text)} is not a JSON path: ${path.problem}`);
    else if (template) rules.push({ path, template });
  }
  return rules;
}

/** A template may hold a literal credential, so no message quotes it. */
function readTemplate(item: YamlNode, secrets: ReadonlyMap<string, Secret>): Template | undefined {
  const text = item.sensitiveString();
  if (text === undefined) return undefined;
  const template = parseTemplate(text, secrets.keys());
  return 'problem' in template ? item.problem(template.problem) : template;
}

function entriesOf(node: YamlNode | undefined): [string, YamlNode][] {
  return node && !node.isNull ? node.entries() : [];
}
