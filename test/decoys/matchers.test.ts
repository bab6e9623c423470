/**
 * What public scanner templates look for, row by row: a scanner that uses such a template must
 * record our answer as a find. The rows state facts about those templates in our own words.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type AskOptions,
  MCP_HEADERS,
  type Reply,
  rpc,
  startDecoys,
  type TestDecoys,
} from './support.ts';

let decoys: TestDecoys;
before(async () => {
  decoys = await startDecoys();
});
after(() => decoys.close());

interface Matcher {
  readonly looksFor: string;
  readonly targets: readonly string[];
  readonly ask?: AskOptions;
  readonly status?: number;
  readonly type?: RegExp;
  /** Every one must be found in the body. */
  readonly body: readonly RegExp[];
  /** None may be found. */
  readonly not?: readonly RegExp[];
  /** What the scanner takes out of the body. */
  readonly extracts?: RegExp;
}

const post = (body: string, headers: Record<string, string> = MCP_HEADERS): AskOptions => ({
  method: 'POST',
  headers,
  body,
});
const MCP_PATHS = ['/mcp', '/mcp/', '/sse', '/mcp/sse'];

const matchers: readonly Matcher[] = [
  {
    looksFor: 'a streamable MCP server that initialises for anybody',
    targets: MCP_PATHS,
    ask: post(
      rpc('initialize', {
        protocolVersion: '2024-11-05',
        capabilities: {},
        clientInfo: { name: 'scanner', version: '1.0' },
      }),
    ),
    type: /application\/json|text\/event-stream/,
    body: [/"protocolVersion"\s*:\s*"\d{4}-\d\d-\d\d"/, /serverInfo/, /capabilities/, /jsonrpc/],
    extracts: /"serverInfo"\s*:\s*\{[^}]*?"name"\s*:\s*"([^"]+)"/,
  },
  ...['tools', 'resources', 'prompts'].map((list) => ({
    looksFor: `an MCP server that lists its ${list} for anybody`,
    targets: MCP_PATHS,
    ask: post(rpc(`${list}/list`)),
    body: [/jsonrpc/, /result/, new RegExp(`"${list}"\\s*:\\s*\\[.*?\\]`)],
    extracts: /"name"\s*:\s*"([^"]+)"/,
  })),
  {
    looksFor: 'a list of tools with positional parameters',
    targets: MCP_PATHS,
    ask: post('{"jsonrpc":"2.0","method":"tools/list","params":[],"id":1}'),
    body: [/"tools"\s*:\s*\[.*?\]/],
  },
  {
    looksFor: 'a list of tools from a server that never asks who calls, without an Accept header',
    targets: ['/mcp', '/sse'],
    ask: post(rpc('tools/list'), { 'content-type': 'application/json' }),
    body: [/"jsonrpc"/, /"result"/, /"tools"|"inputSchema"/],
    not: [/"unauthorized"/i, /"Authentication required"/, /"code": ?-32/],
  },
  {
    looksFor: 'an MCP event stream, in its first hundred bytes',
    targets: ['/sse', '/mcp/sse'],
    type: /text\/event-stream/,
    body: [/^.{0,100}event: endpoint/s],
    extracts: /data: ([/?_=a-zA-Z0-9-]+)/,
  },
  {
    looksFor: 'an MCP server by its refusal of an odd Accept header',
    targets: MCP_PATHS,
    ask: post(rpc('ping'), { accept: 'text/html' }),
    status: 406,
    type: /application\/json/,
    body: [/Not Acceptable: Client must accept/],
  },
  {
    looksFor: 'vLLM without a key',
    targets: ['/v1/models'],
    type: /application\/json/,
    body: [/"object"\s*:\s*"list"/, /"owned_by"\s*:\s*"vllm/, /"max_model_len"/],
    extracts: /"id"\s*:\s*"([^"]+)"/,
  },
  {
    looksFor: 'anything that speaks like OpenAI',
    targets: ['/v1/models'],
    body: [/"object":\s*"list"/, /"object":\s*"model"/],
  },
  {
    looksFor: 'Ollama without authorisation',
    targets: ['/api/tags'],
    type: /application\/json/,
    body: [/"models"/, /"name"/, /"digest"/, /"gguf"|"parameter_size"|"quantization_level"/],
    extracts: /"name"\s*:\s*"([^"]+)"/,
  },
  {
    looksFor: 'models that Ollama runs',
    targets: ['/api/ps'],
    type: /application\/json/,
    body: [/"models"/, /"size_vram"/, /"expires_at"/],
  },
  {
    looksFor: 'settings of a coding assistant',
    targets: ['/.claude/settings.json', '/.claude/settings.local.json'],
    type: /application\/json|text\/plain/,
    body: [/"permissions"/, /"env"/, /"mcpServers"/],
    extracts: /"(?:allow|deny|ask)"\s*:\s*\[([^\]]+)\]/,
  },
  {
    looksFor: 'an mcp.json with commands and their arguments',
    targets: ['/.cursor/mcp.json', '/.mcp/mcp.json', '/.vscode/mcp.json', '/.assistant-a/mcp.json'],
    type: /application\/json/,
    body: [/"mcpServers"\s*:\s*\{/, /"command"\s*:\s*"[^"]+"/, /"args"\s*:\s*\[/],
    extracts: /(postgres(?:ql)?:\/\/[^:]+:[^@]+@[^"]+)/,
  },
  {
    looksFor: 'a credentials.json of an OAuth client',
    targets: ['/credentials.json', '/assets/credentials.json'],
    body: [/"client_secret":/, /"client_id":/],
  },
  {
    looksFor: 'the sign-in of a coding assistant',
    targets: ['/.claude/.credentials.json', '/.config/assistant-a/.credentials.json'],
    type: /application\/json/,
    body: [/"claudeAiOauth"/, /"accessToken"/, /"refreshToken"/],
    extracts: /"accessToken"\s*:\s*"([^"]+)"/,
  },
  {
    looksFor: 'a credentials file of AWS that is no HTML page',
    targets: ['/.aws/credentials'],
    body: [/aws_access_key_id\s*=\s*/, /(?:^|[^A-Za-z0-9+/])[a-zA-Z0-9+/]{40}(?:$|\n)/m],
    not: [/<html/i, /<body/i],
    extracts: /((?:A3T[A-Z0-9]|AKIA|ASIA)[A-Z0-9]{16})/,
  },
  {
    looksFor: 'records of other people behind ids',
    targets: ['/api/v1/users/1', '/api/v2/admin/2', '/api/v1/employees/3'],
    type: /application\/json/,
    body: [/"email"\s*:\s*"[^"@]+@[^"]+"/, /"password_hash"\s*:\s*"\$2[aby]\$/, /"role"/],
    extracts: /"api_key"\s*:\s*"([^"]+)"/,
  },
];

for (const { looksFor, targets, ask, status = 200, type, body, not = [], extracts } of matchers) {
  for (const target of targets) {
    test(`a template that looks for ${looksFor} finds it at ${target}`, async () => {
      const reply: Reply = await decoys.ask(target, ask);
      assert.equal(reply.status, status);
      if (type) assert.match(reply.headers['content-type'] ?? '', type);
      for (const pattern of body) assert.match(reply.body, pattern);
      for (const pattern of not) assert.doesNotMatch(reply.body, pattern);
      if (extracts) assert.ok(extracts.exec(reply.body)?.[1]);
    });
  }
}
