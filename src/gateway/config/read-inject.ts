/** Reads `inject` of a target: the headers, parameters and fields to inject. */

import type { YamlNode } from '../../core/config/yaml-node.ts';
import { parseJsonPath } from '../request/json-splice.ts';
import { secretNamesOf, type Template } from '../request/template.ts';
import type { Inject } from './config.ts';
import { readSign } from './read-sign.ts';
import {
  headerNameProblem,
  readHeaderTemplate,
  readTemplate,
  type SecretsRead,
} from './read-template.ts';
import { signatureHeaders, templatesOfSign } from './sign.ts';

export function readInject(node: YamlNode | undefined, secrets: SecretsRead): Inject {
  const read = node?.isNull
    ? undefined
    : node?.read({
        headers: (item) => readHeaders(item, secrets),
        query: (item) => readQuery(item, secrets),
        body: (item) => readBody(item, secrets),
        sign: (item) => readSign(item, secrets),
      });
  const { headers = new Map(), query = new Map(), body = [], sign } = read ?? {};
  for (const name of signatureHeaders(sign)) {
    if (headers.has(name))
      read?.nodes.headers?.problem(`the header ${name} is set by the signature`);
  }
  const templates = [
    ...[...headers.values(), ...query.values(), ...body.map((rule) => rule.template)],
    ...templatesOfSign(sign),
  ];
  const secretNames = [...new Set(templates.flatMap(secretNamesOf))];
  const mintedNames = secretNames.filter((name) => secrets.get(name) === 'minted');
  return { headers, query, body, sign, secretNames, mintedNames };
}

function readHeaders(node: YamlNode, secrets: SecretsRead): Map<string, Template> {
  const headers = new Map<string, Template>();
  const names = new Set<string>();
  for (const [name, item] of entriesOf(node)) {
    const lower = name.toLowerCase();
    const problem = headerNameProblem(name);
    if (problem) item.problem(problem);
    else if (names.has(lower))
      item.problem(`the header ${name} is defined twice; names are case-insensitive`);
    names.add(lower);
    const template = readHeaderTemplate(item, secrets);
    if (template) headers.set(lower, template);
  }
  return headers;
}

function readQuery(node: YamlNode, secrets: SecretsRead): Map<string, Template> {
  const query = new Map<string, Template>();
  for (const [name, item] of entriesOf(node)) {
    if (name === '') item.problem('a query parameter needs a name');
    const template = readTemplate(item, secrets);
    if (template) query.set(name, template);
  }
  return query;
}

function readBody(node: YamlNode, secrets: SecretsRead): Inject['body'] {
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

function entriesOf(node: YamlNode): [string, YamlNode][] {
  return node.isNull ? [] : node.entries();
}
