/** The two tools of the gateway. Neither shows what a target injects, nor the name of a secret. */
import type { Caller } from '../core/http/caller.ts';
import { iconsOf } from '../core/pages/icons.ts';
import { escapeJson, JsonPieces } from '../mcp/json-text.ts';
import { Type } from '../mcp/schema.ts';
import {
  defineTool,
  errorResult,
  jsonResult,
  largeResult,
  type Tool,
  type ToolResult,
} from '../mcp/tool.ts';
import { askInNextRound } from './approvals/ask-person.ts';
import { Audit } from './audit.ts';
import { publicView } from './config/active-config.ts';
import { METHODS, type User } from './config/config.ts';
import { handleRequest, type PipelineParts, type RequestResult } from './pipeline.ts';
import { Refusal } from './request/refusal.ts';
import { RequestArguments } from './request/request.ts';

export const INSTRUCTIONS = `This gateway sends HTTP requests for you. Call list_targets first: it shows the destinations you may request, with the methods and paths each allows. Then call http_request with an absolute URL under one of them. Credentials are attached by the gateway; never set Authorization or Cookie, and never ask the user for a key. Secrets in answers are replaced by [REDACTED]. Some requests need the approval of the user (needs_approval): on approval_required, give the user the approval_url and, once they have decided, send exactly the same call again. An upstream 4xx or 5xx is a normal result; an error result with a code is a refusal by the gateway, and its message says what to do.`;

const TargetList = Type.Object({
  targets: Type.Array(
    Type.Object({
      id: Type.String(),
      description: Type.String(),
      base_url: Type.String(),
      methods: Type.Array(Type.String()),
      paths: Type.Array(Type.String()),
      rate_limit: Type.String(),
      needs_approval: Type.Optional(
        Type.Object({ methods: Type.Array(Type.String()), paths: Type.Array(Type.String()) }),
      ),
    }),
  ),
  allow_any: Type.Boolean(),
});

const RequestOutcome = Type.Object({
  status: Type.Integer(),
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String(),
  body_encoding: Type.Optional(Type.Literal('base64')),
  truncated: Type.Boolean(),
  target: Type.Union([Type.String(), Type.Null()]),
  duration_ms: Type.Integer(),
});

export function gatewayTools(parts: PipelineParts, publicUrl: string): Tool<Caller>[] {
  return [listTargets(parts, publicUrl), httpRequest(parts, publicUrl)];
}

function listTargets({ active }: PipelineParts, publicUrl: string): Tool<Caller> {
  /** A cache: a user object lives as long as its configuration. */
  const lists = new WeakMap<User, ToolResult>();
  return defineTool({
    name: 'list_targets',
    title: 'List targets',
    icons: iconsOf(publicUrl, 'list_targets'),
    description:
      'Lists the destinations you may send HTTP requests to, with allowed methods, path patterns and rate limits.',
    inputSchema: Type.Object({}, { additionalProperties: false }),
    outputSchema: TargetList,
    annotations: { readOnlyHint: true, openWorldHint: false },
    call: async (_args, { caller }) => {
      const user = active.userOf(caller);
      if (!user) return jsonResult({ targets: [], allow_any: false });
      const known = lists.get(user);
      if (known) return known;
      // A description may contain a key by mistake.
      const clean = (text: string) => active.redactorFor(user.name).text(text).text;
      const targets = user.targets.map((target) => publicView(target, clean));
      const list = jsonResult({ targets, allow_any: user.allowAny });
      lists.set(user, list);
      return list;
    },
  });
}

function httpRequest(parts: PipelineParts, publicUrl: string): Tool<Caller> {
  return defineTool({
    name: 'http_request',
    title: 'HTTP request',
    icons: iconsOf(publicUrl, 'http_request'),
    description: `Sends an HTTP request to a permitted destination and returns its answer. Methods: ${METHODS.join(', ')}, as the target allows. Credentials are attached by the gateway.`,
    inputSchema: RequestArguments,
    outputSchema: RequestOutcome,
    annotations: { destructiveHint: true, openWorldHint: true },
    validate: loneSurrogate,
    onInvalidArguments: async (problem, args, { caller }) => {
      const refusal = new Refusal('invalid_arguments', problem);
      const audit = new Audit({ ...caller, door: 'mcp' }, requestLine(args), parts.active.clean);
      audit.refused(refusal);
      audit.write(parts);
      return errorResult(cleaned(refusal, caller, parts).toObject());
    },
    call: async (args: RequestArguments, context) => {
      const { caller, peer } = context;
      const { result } = await handleRequest(caller, args, context, parts);
      if (!(result instanceof Refusal)) return resultOf(result);
      askInNextRound(result, peer);
      return errorResult(cleaned(result, caller, parts).toObject());
    },
  });
}

/** A large body is never one string, to save memory. */
function resultOf({ status, headers, body, ...rest }: RequestResult): ToolResult {
  if (body.isOnePiece) return jsonResult({ status, headers, body: body.toString(), ...rest });
  const head = `${JSON.stringify({ status, headers }).slice(0, -1)},"body":"`;
  const tail = `",${JSON.stringify(rest).slice(1)}`;
  const object = new JsonPieces(function* () {
    yield head;
    for (const piece of body.pieces()) yield escapeJson(piece);
    yield tail;
  });
  return largeResult(object);
}

/** JSON can contain a lone surrogate; encoding it as UTF-8 would replace it with U+FFFD. */
function loneSurrogate({ body = '', query = {} }: RequestArguments): string | undefined {
  const isWhole = (text: unknown) => typeof text !== 'string' || text.isWellFormed();
  if (!isWhole(body)) return '`body` holds half of a surrogate pair; send the whole character';
  if (Object.entries(query).flat(2).every(isWhole)) return undefined;
  return '`query` holds half of a surrogate pair; send the whole character';
}

/** A message may quote a header name of the model; secrets of the user are removed from it. */
function cleaned(refusal: Refusal, { user }: Caller, { active }: PipelineParts): Refusal {
  const { text, count } = active.redactorFor(user).text(refusal.message);
  return count === 0 ? refusal : new Refusal(refusal.code, text, refusal);
}

/** The URL and method of invalid arguments, as far as the audit line can show them. */
function requestLine(args: unknown): RequestArguments {
  const { url, method } = (args ?? {}) as { url?: unknown; method?: unknown };
  return {
    url: typeof url === 'string' ? url : '',
    ...(typeof method === 'string' ? { method } : {}),
  };
}
