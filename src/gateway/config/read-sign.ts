/** Reads `inject.sign` of a target: how its requests are signed. */
import type { YamlNode } from '../../core/config/yaml-node.ts';
import {
  headerNameProblem,
  readHeaderTemplate,
  readTemplate,
  type SecretsRead,
} from './read-template.ts';
import {
  type AwsSigV4,
  HMAC_ALGORITHMS,
  HMAC_ENCODINGS,
  HMAC_FIELDS,
  type HmacField,
  type HmacSign,
  type Sign,
} from './sign.ts';

const TIMESTAMP_UNITS = ['seconds', 'milliseconds'] as const;
const NAME = { pattern: /^[a-z0-9-]{1,64}$/, expected: 'a name such as "eu-central-1" or "s3"' };

export function readSign(node: YamlNode, secrets: SecretsRead): Sign | undefined {
  const fields = node.fields(['aws_sigv4', 'hmac']);
  if (!fields) return undefined;
  const { aws_sigv4: aws, hmac } = fields;
  if (aws && hmac) return node.problem('needs one of aws_sigv4 and hmac, not both');
  if (aws) return readAwsSigV4(aws, secrets);
  return hmac ? readHmac(hmac, secrets) : node.problem('needs aws_sigv4 or hmac');
}

function readAwsSigV4(node: YamlNode, secrets: SecretsRead): AwsSigV4 | undefined {
  const fields = node.fields([
    'access_key_id',
    'secret_access_key',
    'session_token',
    'region',
    'service',
  ]);
  if (!fields) return undefined;
  for (const key of ['access_key_id', 'secret_access_key', 'region', 'service'] as const) {
    if (!fields[key]) node.problem(`${key} is missing`);
  }
  const accessKeyId = fields.access_key_id && readHeaderTemplate(fields.access_key_id, secrets);
  const secretAccessKey =
    fields.secret_access_key && readTemplate(fields.secret_access_key, secrets);
  const sessionToken = fields.session_token && readHeaderTemplate(fields.session_token, secrets);
  const region = fields.region?.string(NAME);
  const service = fields.service?.string(NAME);
  if (!accessKeyId || !secretAccessKey || !region || !service) return undefined;
  return {
    ...{ kind: 'aws_sigv4', accessKeyId, secretAccessKey, region, service },
    ...(sessionToken && { sessionToken }),
  };
}

function readHmac(node: YamlNode, secrets: SecretsRead): HmacSign | undefined {
  const fields = node.fields([
    'algorithm',
    'key',
    'message',
    'encoding',
    'header',
    'timestamp_header',
    'timestamp',
  ]);
  if (!fields) return undefined;
  for (const key of ['key', 'message', 'header'] as const) {
    if (!fields[key]) node.problem(`${key} is missing`);
  }
  const key = fields.key && readTemplate(fields.key, secrets);
  const message = fields.message && readMessage(fields.message);
  const header = fields.header && readHeaderName(fields.header);
  const timestampHeader = fields.timestamp_header && readHeaderName(fields.timestamp_header);
  const usesTime = message?.some((part) => typeof part !== 'string' && part.field === 'timestamp');
  if (usesTime && !fields.timestamp_header) {
    node.problem('timestamp_header is missing: the message has {timestamp}, which must be sent');
  }
  if (header !== undefined && header === timestampHeader) {
    fields.timestamp_header?.problem('is the header of the signature; use another');
  }
  const algorithm = fields.algorithm?.parsed(oneOf(HMAC_ALGORITHMS), formOf(HMAC_ALGORITHMS));
  const encoding = fields.encoding?.parsed(oneOf(HMAC_ENCODINGS), formOf(HMAC_ENCODINGS));
  const unit = fields.timestamp?.parsed(oneOf(TIMESTAMP_UNITS), formOf(TIMESTAMP_UNITS));
  if (!key || !message || !header) return undefined;
  return {
    ...{ kind: 'hmac', key, message, header },
    ...(timestampHeader && { timestampHeader }),
    algorithm: algorithm ?? 'sha256',
    encoding: encoding ?? 'hex',
    timestampUnit: unit ?? 'seconds',
  };
}

function readHeaderName(node: YamlNode): string | undefined {
  const name = node.string();
  const problem = name === undefined ? undefined : headerNameProblem(name);
  return problem ? node.problem(problem) : name?.toLowerCase();
}

/** Braces have no other use in it. It may hold a key by mistake, so no message quotes it. */
function readMessage(node: YamlNode): HmacSign['message'] | undefined {
  const text = node.sensitiveString();
  const message: HmacSign['message'][number][] = [];
  for (const part of text?.split(/(\{[^{}]*\})/) ?? []) {
    const name = /^\{(.*)\}$/s.exec(part)?.[1];
    const field = HMAC_FIELDS.find((known) => known === name);
    if (field) message.push({ field });
    else if (/[{}]/.test(part)) {
      const known = HMAC_FIELDS.map((one: HmacField) => `{${one}}`).join(', ');
      return node.problem(`braces must hold a part of the request: ${known}`);
    } else if (part !== '') message.push(part);
  }
  return text === undefined ? undefined : message;
}

function oneOf<T extends string>(known: readonly T[]): (text: string) => T | undefined {
  return (text) => known.find((one) => one === text);
}

function formOf(known: readonly string[]): string {
  return `one of ${known.join(', ')}`;
}
