/**
 * Step 9. Injects the credentials of the target. Headers and query parameters replace those of the
 * model; body fields are spliced into the JSON text without changing any other byte.
 * One of the few places that reveal a secret: see `Secret`.
 */
import { VERSION } from '../../core/version.ts';
import type { Inject, Target, User } from '../config/config.ts';
import { isJsonContentType } from '../request/json-content-type.ts';
import { asJson, type Json, setJsonPath } from '../request/json-splice.ts';
import { injectParameters } from '../request/query-string.ts';
import { Refusal } from '../request/refusal.ts';
import type { ModelRequest, OutboundRequest, RequestBody } from '../request/request.ts';
import { renderTemplate } from '../request/template.ts';

const USER_AGENT = `gatehouse/${VERSION}`;

export function inject(
  request: ModelRequest,
  target: Target | undefined,
  user: User,
): OutboundRequest {
  const { url, method } = request;
  const rules = target?.inject;
  const headers = lowerCaseNames(request.headers);
  const injectsBody = rules !== undefined && rules.body.length > 0 && !request.becameGet;
  const needsJson = injectsBody || !headers.has('content-type');
  const json = needsJson && typeof request.body === 'string' ? asJson(request.body) : undefined;
  if (request.body !== undefined && !headers.has('content-type')) {
    headers.set('content-type', guessType(request.body, json));
  }
  const body = injectsBody
    ? injectBody(request.body, json, headers.get('content-type'), rules, user)
    : request.body;
  if (!headers.has('user-agent')) headers.set('user-agent', USER_AGENT);
  if (!headers.has('accept')) headers.set('accept', '*/*');
  headers.set('accept-encoding', 'identity');
  for (const [name, template] of rules?.headers ?? []) {
    headers.set(name, renderTemplate(template, user.secrets));
  }
  return {
    method,
    scheme: url.scheme,
    host: url.host,
    port: url.port,
    path: withQuery(url.sendPath, rules ? injectQuery(url.query, rules, user) : url.query),
    headers: toRawHeaders(headers),
    body,
  };
}

function guessType(body: RequestBody, json: Json | undefined): string {
  if (json !== undefined) return 'application/json';
  return typeof body === 'string' ? 'text/plain' : 'application/octet-stream';
}

function injectQuery(query: string, rules: Inject, user: User): string {
  if (rules.query.size === 0) return query;
  const values = [...rules.query].map(([name, template]) => [
    name,
    renderTemplate(template, user.secrets),
  ]);
  return injectParameters(query, Object.fromEntries(values));
}

function injectBody(
  body: RequestBody | undefined,
  json: Json | undefined,
  contentType: string | undefined,
  rules: Inject,
  user: User,
): string {
  if (body === undefined || contentType === undefined || !isJsonContentType(contentType)) {
    throw new Refusal(
      'body_injection_failed',
      'this target needs a JSON body with a JSON content type',
    );
  }
  if (json === undefined) throw new Refusal('body_injection_failed', 'the body is not JSON');
  let text = json;
  for (const { path, template } of rules.body) {
    const spliced = setJsonPath(text, path, renderTemplate(template, user.secrets));
    if (typeof spliced !== 'string') throw new Refusal('body_injection_failed', spliced.problem);
    text = spliced;
  }
  return text;
}

function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`;
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Map<string, string> {
  const lower = new Map<string, string>();
  for (const name in headers) lower.set(name.toLowerCase(), headers[name]!);
  return lower;
}

function toRawHeaders(headers: ReadonlyMap<string, string>): string[] {
  const list: string[] = [];
  for (const [name, value] of headers) list.push(name, asUtf8Bytes(value));
  return list;
}

/** The HTTP client writes one byte per character; this makes it send UTF-8, which is redacted. */
function asUtf8Bytes(value: string): string {
  return /^[\x20-\x7e\t]*$/.test(value) ? value : Buffer.from(value, 'utf8').toString('latin1');
}
