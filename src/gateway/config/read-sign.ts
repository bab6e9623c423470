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
  const read = node.read({
    aws_sigv4: (item) => readAwsSigV4(item, secrets),
    hmac: (item) => readHmac(item, secrets),
  });
  if (!read) return undefined;
  const { aws_sigv4: aws, hmac } = read.nodes;
  if (aws && hmac) return node.problem('needs one of aws_sigv4 and hmac, not both');
  if (!aws && !hmac) return node.problem('needs aws_sigv4 or hmac');
  return read.aws_sigv4 ?? read.hmac;
}

function readAwsSigV4(node: YamlNode, secrets: SecretsRead): AwsSigV4 | undefined {
  const read = node.read(
    {
      access_key_id: (item) => readHeaderTemplate(item, secrets),
      secret_access_key: (item) => readTemplate(item, secrets),
      session_token: (item) => readHeaderTemplate(item, secrets),
      region: (item) => item.string(NAME),
      service: (item) => item.string(NAME),
    },
    { access_key_id: '', secret_access_key: '', region: '', service: '' },
  );
  if (!read) return undefined;
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = read;
  const { session_token: sessionToken, region, service } = read;
  if (!accessKeyId || !secretAccessKey || !region || !service) return undefined;
  return { kind: 'aws_sigv4', accessKeyId, secretAccessKey, region, service, sessionToken };
}

function readHmac(node: YamlNode, secrets: SecretsRead): HmacSign | undefined {
  const read = node.read(
    {
      algorithm: (item) => item.oneOf(HMAC_ALGORITHMS),
      key: (item) => readTemplate(item, secrets),
      message: readMessage,
      encoding: (item) => item.oneOf(HMAC_ENCODINGS),
      header: readHeaderName,
      timestamp_header: readHeaderName,
      timestamp: (item) => item.oneOf(TIMESTAMP_UNITS),
    },
    { key: '', message: '', header: '' },
  );
  if (!read) return undefined;
  const { key, message, header, timestamp_header: timestampHeader, nodes } = read;
  const usesTime = message?.some((part) => typeof part !== 'string' && part.field === 'timestamp');
  if (usesTime && !nodes.timestamp_header) {
    node.problem('timestamp_header is missing: the message has {timestamp}, which must be sent');
  }
  if (header !== undefined && header === timestampHeader) {
    nodes.timestamp_header?.problem('is the header of the signature; use another');
  }
  if (!key || !message || !header) return undefined;
  return {
    ...{ kind: 'hmac', key, message, header, timestampHeader },
    algorithm: read.algorithm ?? 'sha256',
    encoding: read.encoding ?? 'hex',
    timestampUnit: read.timestamp ?? 'seconds',
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
