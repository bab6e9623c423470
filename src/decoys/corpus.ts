/**
 * One request, or a few, for each decoy, and what must come back: what `decoys selftest` asks.
 */
export interface Question {
  readonly tag: string;
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  /** What the body of the answer must match. */
  readonly expect: RegExp;
  /** Whether it is the MCP endpoint of a gateway or a notes server, where decoys are part of one. */
  readonly mayBeReal?: boolean;
}

const JSON_BODY = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const IDOR = ['users', 'accounts', 'admin', 'customers', 'employees'] as const;
const CREDENTIALS = ['/.assistant-a/.credentials.json', '/.config/assistant-a/credentials.json'];
const CONFIGURATIONS = [
  '/.assistant-a/settings.local.json',
  '/.assistant-b/mcp_config.json',
  '/.mcp/config.json',
  '/.vscode/mcp.json',
  '/.claude/settings.json',
  '/.cursor/mcp.json',
  '/.windsurf/mcp_config.json',
  '/.codex/config.json',
  '/.gemini/settings.json',
  '/.continue/config.json',
];
const MODELS = { '/api/tags': /"digest":"[0-9a-f]{64}"/, '/api/ps': /"size_vram":[0-9]+/ };
const PROXIES = ['/fetch', '/proxy', '/api/fetch', '/api/proxy'];

export const CORPUS: readonly Question[] = [
  get('aws-credentials', '/.aws/credentials', /^aws_access_key_id = AKIA[A-Z2-7]{16}$/m),
  ...CREDENTIALS.map((path) =>
    get('ai-assistant-credentials', path, /"accessToken": "hp_live_[a-z2-7]{32}"/),
  ),
  ...CONFIGURATIONS.map((path) =>
    get(
      'ai-assistant-config',
      path,
      /"REPO_HOST_PERSONAL_ACCESS_TOKEN": "hp_live_[a-z2-7]{32}".*postgresql:\/\//s,
    ),
  ),
  ...IDOR.map((resource) =>
    get(`rest-api-idor-${resource}`, `/api/v1/${resource}/42`, /"api_key":"sk_live_honeypot42"/),
  ),
  ...['/mcp', '/mcp/'].map((path) => ({ ...initialize(path), mayBeReal: true })),
  ...['/sse', '/mcp/sse'].map(initialize),
  get('llm-compat-models', '/v1/models', /^\{"object":"list","data":\[\{"id":/),
  ...Object.entries(MODELS).map(([path, expect]) => get('local-llm-tags', path, expect)),
  ...PROXIES.map((path) => ({
    ...get(
      'ssrf-metadata-probe',
      `${path}?url=http://169.254.169.254/latest/meta-data/`,
      /connect ECONNREFUSED 169\.254\.169\.254:80/,
    ),
    status: 502,
  })),
];

function get(tag: string, target: string, expect: RegExp): Question {
  return { tag, method: 'GET', target, status: 200, expect };
}

function initialize(target: string): Question {
  const params = {
    protocolVersion: '2025-03-26',
    capabilities: {},
    clientInfo: { name: 'selftest', version: '1.0.0' },
  };
  return {
    tag: 'mcp-server-probe',
    method: 'POST',
    target,
    headers: JSON_BODY,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    status: 200,
    expect: /"protocolVersion":"2025-03-26".*"serverInfo":/,
  };
}
