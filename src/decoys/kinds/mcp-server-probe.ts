/**
 * `/mcp`, `/mcp/`, `/sse`, `/mcp/sse`: an MCP server that real clients can connect to and list.
 * Where the gateway or notes serve a real `/mcp`, only the `sse` paths are decoys.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Fields } from '../../core/log/log.ts';
import { type Answer, JSON_TYPE } from '../kit/answer.ts';
import { VULNERABILITY_SCAN } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind, Kit } from '../kit/decoy.ts';
import { answerMessage, type McpFacts } from '../kit/mcp-message.ts';
import type { Probe } from '../kit/probe.ts';
import type { Site } from '../tokens/honeytoken.ts';

const TAG = 'mcp-server-probe';
const STREAM_TYPE = 'text/event-stream';
const STREAM_PATHS = ['/sse', '/mcp/sse'];
const ALL_PATHS = ['/mcp', '/mcp/', ...STREAM_PATHS];
const INITIALIZE = {
  protocolVersion: '2025-03-26',
  capabilities: {},
  clientInfo: { name: 'selftest', version: '1.0.0' },
};
const NOT_ACCEPTABLE =
  'Not Acceptable: Client must accept both application/json and text/event-stream';

export function mcpPaths(site: Site): readonly string[] {
  return site === 'decoys' ? ALL_PATHS : STREAM_PATHS;
}

export const mcpServerProbe: Kind = {
  tag: TAG,
  category: 'service-discovery',
  intention: 'find MCP servers that let anybody call their tools',
  technique: VULNERABILITY_SCAN,
  references: ['https://modelcontextprotocol.io/specification'],
  corpus: ALL_PATHS.map((target) => ({
    method: 'POST',
    target,
    headers: { 'content-type': JSON_TYPE, accept: `${JSON_TYPE}, ${STREAM_TYPE}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE }),
    expect: /"protocolVersion":"2025-03-26".*"serverInfo":/,
    mayBeReal: !STREAM_PATHS.includes(target),
  })),
  create,
};

function create({ persona, tokens, site }: Kit): Decoy {
  const paths = new Set(mcpPaths(site));
  return {
    methods: ['POST', 'GET'],
    match: (probe) => {
      const { method, path } = probe;
      if (!paths.has(path)) return undefined;
      if (method === 'POST')
        return { tag: TAG, readsBody: true, answer: (body) => post(probe, body) };
      const isStream = STREAM_PATHS.includes(path);
      return isStream ? { tag: TAG, answer: () => endpointEvent(probe) } : undefined;
    },
  };

  function post(probe: Probe, body: string): Answer {
    const { headers } = probe;
    const wanted = framing(headers.accept);
    const version = textOf(headers['mcp-protocol-version']);
    const { reply, facts } = answerMessage(persona.mcp, body, version);
    if (wanted === undefined) return { ...notAcceptable(), facts: fields(facts) };
    const { status, message, opensSession } = reply;
    if (message === undefined) return plain(202, [], '', facts);
    const session = opensSession ? ['Mcp-Session-Id', sessionId(probe)] : [];
    const json = JSON.stringify(message);
    const isStream = wanted === STREAM_TYPE && status === 200;
    const answerBody = isStream ? `event: message\ndata: ${json}\n\n` : json;
    const answerHeaders = ['Content-Type', isStream ? STREAM_TYPE : JSON_TYPE, ...session];
    return plain(status, answerHeaders, answerBody, facts, session.length / 2);
  }

  /** The stream of the oldest transport: it names where to post and ends. */
  function endpointEvent(probe: Probe): Answer {
    const endpoint = site === 'decoys' ? '/mcp' : probe.path;
    const body = `event: endpoint\ndata: ${endpoint}?sessionId=${sessionId(probe)}\n\n`;
    const headers = ['Content-Type', STREAM_TYPE, 'Cache-Control', 'no-cache'];
    return { status: 200, headers, body, honeytokens: 1, facts: { 'mcp.era': 'legacy' } };
  }

  function sessionId({ client, day }: Probe): string {
    return tokens.seal('session', client.address, day);
  }
}

/** JSON wherever it is accepted; the event stream where only that is; neither is 406. */
function framing(accept: IncomingHttpHeaders['accept']): string | undefined {
  if (accept === undefined || /\*\/\*|application\/(?:json|\*)/i.test(accept)) return JSON_TYPE;
  return /text\/(?:event-stream|\*)/i.test(accept) ? STREAM_TYPE : undefined;
}

function notAcceptable(): Answer {
  const error = { code: -32000, message: NOT_ACCEPTABLE };
  return plain(
    406,
    ['Content-Type', JSON_TYPE],
    JSON.stringify({ jsonrpc: '2.0', error, id: null }),
    {},
  );
}

function plain(
  status: number,
  headers: readonly string[],
  body: string,
  facts: McpFacts,
  honeytokens = 0,
): Answer {
  return { status, headers, body, honeytokens, facts: fields(facts) };
}

function fields(facts: McpFacts): Fields {
  return {
    'mcp.method': facts.method,
    'mcp.era': facts.era,
    'mcp.protocol_version': facts.version,
    'mcp.client.name': facts.clientName,
    'mcp.client.version': facts.clientVersion,
    'mcp.tool': facts.tool,
  };
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
