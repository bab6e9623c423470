/** How a target signs its requests, and which headers that takes. */
import type { Template } from '../request/template.ts';

export type Sign = AwsSigV4 | HmacSign;

export interface AwsSigV4 {
  readonly kind: 'aws_sigv4';
  readonly accessKeyId: Template;
  readonly secretAccessKey: Template;
  readonly sessionToken: Template | undefined;
  readonly region: string;
  readonly service: string;
}

export const HMAC_ALGORITHMS = ['sha256', 'sha384', 'sha512', 'sha1'] as const;
export const HMAC_ENCODINGS = ['hex', 'base64', 'base64url'] as const;
export const HMAC_FIELDS = ['timestamp', 'method', 'path', 'query', 'body'] as const;
export type HmacField = (typeof HMAC_FIELDS)[number];

export interface HmacSign {
  readonly kind: 'hmac';
  readonly algorithm: (typeof HMAC_ALGORITHMS)[number];
  readonly key: Template;
  /** Literal text, and parts of the request. */
  readonly message: readonly (string | { readonly field: HmacField })[];
  readonly encoding: (typeof HMAC_ENCODINGS)[number];
  /** Lower case. */
  readonly header: string;
  readonly timestampHeader: string | undefined;
  readonly timestampUnit: 'seconds' | 'milliseconds';
}

/**
 * Headers that the model may not set: those of the signature, and with SigV4 the headers by which S3
 * copies or renames another object, past the paths of the target.
 */
export function signatureHeaders(sign: Sign | undefined): string[] {
  if (!sign) return [];
  if (sign.kind === 'hmac') {
    return [sign.header, ...(sign.timestampHeader ? [sign.timestampHeader] : [])];
  }
  return [
    ...['authorization', 'x-amz-date', 'x-amz-content-sha256', 'x-amz-security-token'],
    ...['x-amz-copy-source', 'x-amz-rename-source'],
  ];
}

/** The templates of the credentials that sign. */
export function templatesOfSign(sign: Sign | undefined): Template[] {
  if (!sign) return [];
  if (sign.kind === 'hmac') return [sign.key];
  const { accessKeyId, secretAccessKey, sessionToken } = sign;
  return [accessKeyId, secretAccessKey, ...(sessionToken ? [sessionToken] : [])];
}
