/** Reads templates, of which those of headers must fit one. */
import type { YamlNode } from '../../core/config/yaml-node.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { parseTemplate, type Template } from '../request/template.ts';

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

export function headerNameProblem(name: string): string | undefined {
  if (!HEADER_NAME.test(name)) return 'is not a header name';
  return FRAMING.has(name.toLowerCase())
    ? `the header ${name} is set by the gateway and cannot be injected`
    : undefined;
}

/** A template may contain a literal credential, so no message quotes it. */
export function readTemplate(item: YamlNode, secrets: SecretsRead): Template | undefined {
  const text = item.sensitiveString();
  if (text === undefined) return undefined;
  const template = parseTemplate(text, secrets.keys());
  return 'problem' in template ? item.problem(template.problem) : template;
}

/** Prevents header injection (CWE-113). */
export function readHeaderTemplate(item: YamlNode, secrets: SecretsRead): Template | undefined {
  const template = readTemplate(item, secrets);
  for (const part of template?.parts ?? []) {
    const isText = typeof part === 'string';
    const secret = isText ? undefined : secrets.get(part.secretName);
    const fits = isText
      ? !UNFIT_FOR_HEADER.test(part)
      : !(secret instanceof Secret) || secret.fitsHeader;
    if (fits) continue;
    const what = isText ? 'the template' : `the secret ${part.secretName}`;
    item.problem(`${what} has a line break or control character, which a header cannot carry`);
  }
  return template;
}
