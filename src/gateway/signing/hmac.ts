/**
 * Signs a request by an HMAC over a message that the operator has composed of its parts. The signature
 * is returned as well, to be redacted.
 */
import { createHmac } from 'node:crypto';
import type { HmacField, HmacSign } from '../config/sign.ts';
import type { OutboundRequest } from '../request/request.ts';

export function signHmac(request: OutboundRequest, rule: HmacSign, key: string, nowMs: number) {
  const timestamp = String(rule.timestampUnit === 'seconds' ? Math.floor(nowMs / 1_000) : nowMs);
  const at = request.path.indexOf('?');
  const fields: Record<HmacField, string | Buffer> = {
    timestamp,
    method: request.method,
    path: at === -1 ? request.path : request.path.slice(0, at),
    query: at === -1 ? '' : request.path.slice(at + 1),
    body: request.body ?? '',
  };
  const hmac = createHmac(rule.algorithm, key);
  for (const part of rule.message) {
    hmac.update(typeof part === 'string' ? part : fields[part.field]);
  }
  const signature = hmac.digest(rule.encoding);
  const timestampHeader = rule.timestampHeader ? [rule.timestampHeader, timestamp] : [];
  const headers = [...request.headers, rule.header, signature, ...timestampHeader];
  return { request: { ...request, headers }, signature };
}
