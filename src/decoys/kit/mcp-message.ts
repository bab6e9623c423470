/**
 * The answers of the MCP decoy to each message, in both eras of the protocol. Lists are answered and
 * tool calls are refused. A protocol version that does not exist is never confirmed.
 */
import { maskTokens } from '../../core/honeytokens/mask.ts';
import type { McpServer } from '../persona/persona-mcp.ts';

const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
const MODERN_VERSION = '2026-07-28';
const DISCOVERED_VERSIONS = [MODERN_VERSION, LEGACY_VERSIONS[0]];

const META = 'io.modelcontextprotocol/';
const CAPABILITIES = {
  tools: { listChanged: false },
  prompts: { listChanged: false },
  resources: { subscribe: false, listChanged: false },
};
const TTL_MS = 300_000;
const MAX_ID_LENGTH = 128;
const MAX_ECHO = 64;

const PARSE_ERROR = { code: -32700, message: 'Parse error' };
const INVALID_REQUEST = { code: -32600, message: 'Invalid Request' };
const METHOD_NOT_FOUND = { code: -32601, message: 'Method not found' };

/** What goes back: a message and its HTTP status, or `undefined` for 202 without a body. */
interface McpReply {
  readonly status: number;
  readonly message: object | undefined;
  readonly opensSession?: true;
}

/** What the client says about itself, for the event line; honeytokens are masked. */
export interface McpFacts {
  readonly method?: string;
  readonly era?: 'legacy' | 'modern';
  readonly version?: string;
  readonly clientName?: string;
  readonly clientVersion?: string;
  readonly tool?: string;
}

type Json = Readonly<Record<string, unknown>>;
type Id = string | number;

export function answerMessage(
  server: McpServer,
  body: string,
  header: string | undefined,
): { reply: McpReply; facts: McpFacts } {
  let message: unknown;
  try {
    message = JSON.parse(body);
  } catch {
    return { reply: failure(400, null, PARSE_ERROR), facts: {} };
  }
  if (!isObject(message) || message.jsonrpc !== '2.0') {
    return { reply: failure(400, null, INVALID_REQUEST), facts: {} };
  }
  const facts = readFacts(message, header);
  return { reply: answer(server, message, facts, header), facts };
}

function answer(
  server: McpServer,
  message: Json,
  facts: McpFacts,
  header: string | undefined,
): McpReply {
  const { id, method } = message;
  if (id === undefined || typeof method !== 'string') {
    const isMessage = typeof method === 'string' || 'result' in message || 'error' in message;
    return isMessage ? { status: 202, message: undefined } : failure(400, null, INVALID_REQUEST);
  }
  if (!isId(id)) return failure(400, null, INVALID_REQUEST);
  const params = isObject(message.params) ? message.params : {};
  return facts.era === 'modern'
    ? answerModern(server, id, method, params, header)
    : answerLegacy(server, id, method, params);
}

function answerLegacy(server: McpServer, id: Id, method: string, params: Json): McpReply {
  if (method === 'initialize') {
    const { protocolVersion: asked } = params;
    const protocolVersion =
      LEGACY_VERSIONS.find((version) => version === asked) ?? LEGACY_VERSIONS[0];
    const result = { protocolVersion, capabilities: CAPABILITIES, serverInfo: server.info };
    return { ...success(id, result), opensSession: true };
  }
  if (method === 'ping') return success(id, {});
  return common(server, id, method, params) ?? failure(200, id, METHOD_NOT_FOUND);
}

function answerModern(
  server: McpServer,
  id: Id,
  method: string,
  params: Json,
  header: string | undefined,
): McpReply {
  const version = claimedVersion(params);
  if (typeof version === 'string' && version !== MODERN_VERSION) {
    const data = { supported: DISCOVERED_VERSIONS, requested: version.slice(0, MAX_ECHO) };
    return failure(400, id, { code: -32022, message: 'Unsupported protocol version', data });
  }
  if (header !== undefined && header !== MODERN_VERSION) {
    const text = 'Header mismatch: MCP-Protocol-Version does not match the request';
    return failure(400, id, { code: -32020, message: text });
  }
  const about = { [`${META}serverInfo`]: server.info };
  if (method === 'server/discover') {
    const result = { supportedVersions: DISCOVERED_VERSIONS, capabilities: CAPABILITIES };
    return success(id, { resultType: 'complete', ...result, ...cached(), _meta: about });
  }
  const reply = common(server, id, method, params);
  if (reply === undefined) return failure(404, id, METHOD_NOT_FOUND);
  const { result } = reply.message as { result?: object };
  if (result === undefined) return reply;
  const lifetime = method.endsWith('/list') ? cached() : {};
  return success(id, { resultType: 'complete', ...result, ...lifetime, _meta: about });
}

/** The methods that both eras have. */
function common(server: McpServer, id: Id, method: string, params: Json): McpReply | undefined {
  switch (method) {
    case 'tools/list':
      return success(id, { tools: server.tools });
    case 'prompts/list':
      return success(id, { prompts: server.prompts });
    case 'resources/list':
      return success(id, { resources: server.resources });
    case 'resources/templates/list':
      return success(id, { resourceTemplates: [] });
    case 'tools/call':
      return callTool(server, id, params);
    case 'prompts/get':
    case 'resources/read':
      return failure(200, id, { code: -32603, message: server.refusal });
    default:
      return undefined;
  }
}

/** Invalid arguments give a result, not an error, as servers of the SDK do. */
function callTool(server: McpServer, id: Id, params: Json): McpReply {
  const name = String(params.name);
  const fields = server.toolFields.get(name);
  if (fields === undefined) return failure(200, id, { code: -32602, message: 'Unknown tool' });
  const given = isObject(params.arguments) ? params.arguments : {};
  const issues = fields.flatMap(([field, type]) => {
    const value = Object.hasOwn(given, field) ? given[field] : undefined;
    const isRight = type === 'string' ? typeof value === 'string' : Number.isInteger(value);
    if (isRight) return [];
    const received = value === undefined ? 'undefined' : typeof value;
    const message = value === undefined ? 'Required' : `Expected ${type}, received ${received}`;
    return [{ code: 'invalid_type', expected: type, received, path: [field], message }];
  });
  const text =
    issues.length === 0
      ? server.refusal
      : `MCP error -32602: Input validation error: Invalid arguments for tool ${name}: ${JSON.stringify(issues, null, 2)}`;
  return success(id, { content: [{ type: 'text', text }], isError: true });
}

function readFacts(message: Json, header: string | undefined): McpFacts {
  const params = isObject(message.params) ? message.params : {};
  const meta = isObject(params._meta) ? params._meta : {};
  const claimed = claimedVersion(params);
  const isModern =
    claimed !== undefined || header === MODERN_VERSION || message.method === 'server/discover';
  const client = isModern ? meta[`${META}clientInfo`] : params.clientInfo;
  const { name, version } = isObject(client) ? client : {};
  return {
    ...text('method', message.method),
    era: isModern ? 'modern' : 'legacy',
    ...text('version', isModern ? claimed : (params.protocolVersion ?? header)),
    ...text('clientName', name),
    ...text('clientVersion', version),
    ...(message.method === 'tools/call' && text('tool', params.name)),
  };
}

function claimedVersion({ _meta: meta }: Json): unknown {
  return isObject(meta) ? meta[`${META}protocolVersion`] : undefined;
}

/** Masked before it is cut, so that no part of a token is left at the end. */
function text(key: keyof McpFacts, value: unknown): McpFacts {
  return typeof value === 'string' ? { [key]: maskTokens(value).slice(0, MAX_ECHO) } : {};
}

function success(id: Id, result: object): McpReply {
  return { status: 200, message: { jsonrpc: '2.0', id, result } };
}

function failure(status: number, id: Id | null, error: object): McpReply {
  return { status, message: { jsonrpc: '2.0', id, error } };
}

function cached(): object {
  return { ttlMs: TTL_MS, cacheScope: 'public' };
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' ? id.length <= MAX_ID_LENGTH : Number.isFinite(id);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
