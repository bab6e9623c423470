/**
 * AWS Signature Version 4, over the exact bytes that are sent. Path and query are written in the
 * canonical form and sent so, since a server that decodes and encodes them again must get the same.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHmac, hash } from 'node:crypto';
import { headerPairs, type OutboundRequest } from '../request/request.ts';

interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  readonly region: string;
  readonly service: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
/** Proxies may change them, or add them. */
const UNSIGNED =
  /^(?:accept|accept-encoding|authorization|cache-control|connection|expect|from|keep-alive|max-forwards|pragma|referer|te|trailer|transfer-encoding|upgrade|user-agent|x-amzn-trace-id|proxy-.*|sec-.*)$/;

/** The request with its signature in it, and the signature by itself, to be redacted. */
export function signAwsSigV4(
  request: OutboundRequest,
  { accessKeyId, secretAccessKey, sessionToken, region, service }: AwsCredentials,
  nowMs: number,
) {
  const isS3 = /^s3(?:-|$|express)/.test(service);
  const [path, query] = canonicalTarget(request.path);
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const bodyHash = hash('sha256', request.body ?? '');
  const headers = new Map([
    ...headerPairs(request.headers),
    ['x-amz-date', time],
    // S3 and Glacier require the hash of the body in a header.
    ...(isS3 || service === 'glacier' ? [['x-amz-content-sha256', bodyHash] as const] : []),
    ...(sessionToken ? [['x-amz-security-token', sessionToken] as const] : []),
  ]);
  const host = new URL(`${request.scheme}://${request.host}:${request.port}`).host;
  const signed = [...headers, ['host', host] as const]
    .filter(([name]) => !UNSIGNED.test(name))
    .map(([name, value]) => [name, value.trim().replace(/ +/g, ' ')] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const canonicalRequest = [
    request.method,
    // S3 takes the path as it is; all others remove `.` and empty segments, and encode it again.
    isS3 ? path : normalized(path).replaceAll('%', '%25'),
    query,
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    bodyHash,
  ].join('\n');
  const scope = [time.slice(0, 8), region, service, 'aws4_request'];
  const text = [
    ALGORITHM,
    time,
    scope.join('/'),
    hash('sha256', Buffer.from(canonicalRequest, 'latin1')),
  ];
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, text.join('\n')).toString('hex');
  const credential = `Credential=${accessKeyId}/${scope.join('/')}`;
  headers.set(
    'authorization',
    `${ALGORITHM} ${credential}, SignedHeaders=${names}, Signature=${signature}`,
  );
  return {
    request: {
      ...request,
      path: query === '' ? path : `${path}?${query}`,
      headers: [...headers].flat(),
    },
    signature,
  };
}

/** As bytes, every one but the unreserved ones of RFC 3986 as `%XX`. */
function canonical(text: string): string {
  const bytes = text.replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return bytes.replace(/[^\w.~-]/g, (byte) => {
    return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  });
}

function canonicalTarget(pathAndQuery: string): [path: string, query: string] {
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(pathAndQuery)!;
  const parameters = query
    .split('&')
    .filter((parameter) => parameter !== '')
    .map((parameter) => {
      const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(parameter)!;
      return [name, value].map((part) => canonical(part.replaceAll('+', ' ')));
    })
    .sort(([a, x], [b, y]) => (a! < b! ? -1 : a! > b! ? 1 : x! < y! ? -1 : 1))
    .map((parameter) => parameter.join('='));
  return [path.split('/').map(canonical).join('/'), parameters.join('&')];
}

function normalized(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const end = segments.length > 0 && /\/\.{0,2}$/.test(path) ? '/' : '';
  return `/${segments.join('/')}${end}`;
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
