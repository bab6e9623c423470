/**
 * Injects the credentials of the target, in step 10. Headers and query parameters replace those of the
 * model; body fields are spliced into the JSON text without changing any other byte. Step 9 checks
 * beforehand that the body can take them, so that no token is requested for a body that cannot.
 * One of the few places that reveal a secret: see `Secret`.
 */

import type { TraceContext } from '../../core/http/trace-context.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { VERSION } from '../../core/version.ts';
import type { Inject, Target } from '../config/config.ts';
import { isJsonContentType } from '../request/json-content-type.ts';
import { asJson, type Json, setJsonPath } from '../request/json-splice.ts';
import { injectParameters } from '../request/query-string.ts';
import { Refusal } from '../request/refusal.ts';
import type { ModelRequest, OutboundRequest, RequestBody } from '../request/request.ts';
import { renderTemplate, type Template } from '../request/template.ts';

const USER_AGENT = `gatehouse/${VERSION}`;

type Render = (template: Template) => string;

/** Step 9. Refuses a body into which the target cannot inject. */
export function checkInjection(request: ModelRequest, target: Target | undefined): void {
  const rules = target?.inject;
  if (injectsBody(request, rules)) injectBody(readBody(request, rules), rules, () => '');
}

export function inject(
  request: ModelRequest,
  target: Target | undefined,
  secrets: ReadonlyMap<string, Secret>,
  trace?: TraceContext,
): OutboundRequest {
  const { url, method } = request;
  const rules = target?.inject;
  const render = (template: Template) => renderTemplate(template, secrets);
  const read = readBody(request, rules);
  const headers = lowerCaseNames(request.headers);
  if (read.contentType !== undefined) headers.set('content-type', read.contentType);
  if (!headers.has('user-agent')) headers.set('user-agent', USER_AGENT);
  if (!headers.has('accept')) headers.set('accept', '*/*');
  headers.set('accept-encoding', 'identity');
  if (trace && !headers.has('traceparent')) {
    headers.set('traceparent', trace.traceparent);
    if (trace.tracestate) headers.set('tracestate', trace.tracestate);
  }
  for (const [name, template] of rules?.headers ?? []) headers.set(name, render(template));
  return {
    method,
    scheme: url.scheme,
    host: url.host,
    port: url.port,
    path: withQuery(url.sendPath, rules ? injectQuery(url.query, rules, render) : url.query),
    headers: toRawHeaders(headers),
    body: injectsBody(request, rules) ? injectBody(read, rules, render) : request.body,
  };
}

function guessType(body: RequestBody, json: Json | undefined): string {
  if (json !== undefined) return 'application/json';
  return typeof body === 'string' ? 'text/plain' : 'application/octet-stream';
}

function injectQuery(query: string, rules: Inject, render: Render): string {
  if (rules.query.size === 0) return query;
  const values = [...rules.query].map(([name, template]) => [name, render(template)]);
  return injectParameters(query, Object.fromEntries(values));
}

function injectsBody({ becameGet }: ModelRequest, rules: Inject | undefined): rules is Inject {
  return rules !== undefined && rules.body.length > 0 && !becameGet;
}

interface BodyRead {
  /** What is sent: the model's, or what the body looks like. */
  readonly contentType: string | undefined;
  /** Read only where it is needed. */
  readonly json: Json | undefined;
}

function readBody(request: ModelRequest, rules: Inject | undefined): BodyRead {
  const { body, headers } = request;
  const given = Object.keys(headers).find((name) => name.toLowerCase() === 'content-type');
  const contentType = given === undefined ? undefined : headers[given];
  if (body === undefined) return { contentType, json: undefined };
  const needsJson = contentType === undefined || injectsBody(request, rules);
  const json = needsJson && typeof body === 'string' ? asJson(body) : undefined;
  return { contentType: contentType ?? guessType(body, json), json };
}

function injectBody({ contentType, json }: BodyRead, rules: Inject, render: Render): string {
  if (contentType === undefined || !isJsonContentType(contentType)) {
    throw new Refusal(
      'body_injection_failed',
      'this target needs a JSON body with a JSON content type',
    );
  }
  if (json === undefined) throw new Refusal('body_injection_failed', 'the body is not JSON');
  let text = json;
  for (const { path, template } of rules.body) {
    const spliced = setJsonPath(text, path, render(template));
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
