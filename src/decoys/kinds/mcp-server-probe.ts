/**
 * `/mcp`, `/mcp/`, `/sse`, `/mcp/sse`: an MCP server that real clients can connect to and list.
 * Where the gateway or notes serve a real `/mcp`, only the `sse` paths are decoys.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Fields } from '../../core/log/log.ts';
import { type Answer, JSON_TYPE, MAX_BODY_BYTES } from '../kit/answer.ts';
import { VULNERABILITY_SCAN } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind, Kit } from '../kit/decoy.ts';
import { answerMessage, type McpFacts } from '../kit/mcp-message.ts';
import { isSession, newSession } from '../kit/mcp-session.ts';
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
const NAMED = /^sessionId=([^&]{1,100})$/;
const NO_SESSION = 'Bad Request: Mcp-Session-Id header is required';
const STREAM_NOT_ACCEPTABLE = 'Not Acceptable: Client must accept text/event-stream';
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

function create(kit: Kit): Decoy {
  const { persona, site } = kit;
  const paths = new Set(mcpPaths(site));
  return {
    methods: ['POST', 'GET', 'DELETE'],
    match: (probe) => {
      const { method, path } = probe;
      if (!paths.has(path)) return undefined;
      if (method === 'POST') {
        const answer = (body: string) => post(probe, body);
        return { tag: TAG, readsBody: true, maxBodyBytes: MAX_BODY_BYTES, answer };
      }
      if (STREAM_PATHS.includes(path)) {
        return method === 'DELETE' ? undefined : { tag: TAG, answer: () => endpointEvent(probe) };
      }
      return { tag: TAG, answer: () => (method === 'DELETE' ? end(probe) : listen(probe)) };
    },
  };

  function post(probe: Probe, body: string): Answer {
    const { headers } = probe;
    const wanted = framing(headers.accept);
    const version = textOf(headers['mcp-protocol-version']);
    const { reply, facts } = answerMessage(persona.mcp, body, version);
    if (wanted === undefined)
      return { ...refusal(406, -32000, NOT_ACCEPTABLE), facts: fields(facts) };
    const { status, message, opensSession } = reply;
    const channel = NAMED.exec(probe.query)?.[1];
    const id = textOf(headers['mcp-session-id']) ?? channel;
    if (!opensSession && facts.era !== 'modern' && id !== undefined && !isSession(kit, id)) {
      return { ...refusal(404, -32001, 'Session not found'), facts: fields(facts) };
    }
    if (message === undefined) return withDelivery(plain(202, [], '', facts), channel, '');
    const session = opensSession ? ['Mcp-Session-Id', newSession(kit, probe)] : [];
    const json = JSON.stringify(message);
    const event = `event: message\ndata: ${json}\n\n`;
    const isStream = wanted === STREAM_TYPE && status === 200;
    const answerHeaders = ['Content-Type', isStream ? STREAM_TYPE : JSON_TYPE, ...session];
    const answer = plain(status, answerHeaders, isStream ? event : json, facts, session.length / 2);
    return withDelivery(answer, channel, event);
  }

  /** The stream of the oldest transport: it names where to post, and replies come through it. */
  function endpointEvent(probe: Probe): Answer {
    const endpoint = site === 'decoys' ? '/mcp' : probe.path;
    const channel = newSession(kit, probe);
    const body = `event: endpoint\ndata: ${endpoint}?sessionId=${channel}\n\n`;
    return { ...STREAM, body, honeytokens: 1, stream: { staysOpen: true, channel } };
  }

  /** The stream on which a server could speak first; ours never does. */
  function listen({ headers }: Probe): Answer {
    if (!/text\/(?:event-stream|\*)|\*\/\*/i.test(headers.accept ?? '')) {
      return refusal(406, -32000, STREAM_NOT_ACCEPTABLE);
    }
    return withSession(headers, () => ({ ...STREAM, body: '', stream: { staysOpen: true } }));
  }

  function end({ headers }: Probe): Answer {
    return withSession(headers, () => plain(200, [], '', {}));
  }

  function withSession(headers: IncomingHttpHeaders, answer: () => Answer): Answer {
    const id = textOf(headers['mcp-session-id']);
    if (id === undefined) return refusal(400, -32000, NO_SESSION);
    return isSession(kit, id) ? answer() : refusal(404, -32001, 'Session not found');
  }
}

const STREAM: Answer = {
  status: 200,
  headers: ['Content-Type', STREAM_TYPE, 'Cache-Control', 'no-cache, no-transform'],
  body: '',
  honeytokens: 0,
  facts: { 'mcp.era': 'legacy' },
};

function withDelivery(answer: Answer, channel: string | undefined, text: string): Answer {
  return channel === undefined ? answer : { ...answer, delivery: { channel, text } };
}

/** JSON wherever it is accepted; the event stream where only that is; neither is 406. */
function framing(accept: IncomingHttpHeaders['accept']): string | undefined {
  if (accept === undefined || /\*\/\*|application\/(?:json|\*)/i.test(accept)) return JSON_TYPE;
  return /text\/(?:event-stream|\*)/i.test(accept) ? STREAM_TYPE : undefined;
}

function refusal(status: number, code: number, message: string): Answer {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  return plain(status, ['Content-Type', JSON_TYPE], body, {});
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
