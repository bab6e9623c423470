/** Which decoy answers which request, and which requests none answers: the table of docs/decoys.md. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { CORPUS, entryOf } from '../../src/decoys/catalogue.ts';
import { rpc, startDecoys, type TestDecoys } from './support.ts';

let decoys: TestDecoys;
before(async () => {
  decoys = await startDecoys();
});
after(() => decoys.close());

const PROBE = '?url=http://169.254.169.254/';
const INITIALIZE = rpc('initialize', { protocolVersion: '2025-03-26' });

const matches: readonly (readonly [target: string, tag: string, methods: string])[] = [
  ['/.aws/credentials', 'aws-credentials', 'GET HEAD'],
  ['/.assistant-a/.credentials.json', 'ai-assistant-credentials', 'GET HEAD'],
  ['/.config/assistant-a/.credentials.json', 'ai-assistant-credentials', 'GET HEAD'],
  ['/.config/assistant-a/credentials.json', 'ai-assistant-credentials', 'GET HEAD'],
  ['/credentials.json', 'ai-assistant-credentials', 'GET'],
  ['/.credentials.json', 'ai-assistant-credentials', 'GET'],
  ['/a/b/c/d/credentials.json', 'ai-assistant-credentials', 'GET'],
  ['/.claude/.credentials.json', 'ai-assistant-credentials', 'GET HEAD'],
  ['/.aws/credentials.json', 'ai-assistant-credentials', 'GET'],
  ['/.mcp/credentials.json', 'ai-assistant-credentials', 'GET'],
  ['/.claude/.credentials.json', 'ai-assistant-config', 'POST PUT'],
  ...[
    '/.assistant-a/mcp.json',
    '/.assistant-a/settings.local.json',
    '/.assistant-b/mcp_config.json',
    '/.assistant-b/anything',
    '/.mcp/config.json',
    '/.vscode/mcp.json',
    '/.claude/settings.json',
    '/.cursor/mcp.json',
    '/.windsurf/mcp_config.json',
    '/.codex/config.toml',
    '/.gemini/settings.json',
    '/.continue/config.json',
  ].map((path) => [path, 'ai-assistant-config', 'GET HEAD POST PUT DELETE OPTIONS PATCH'] as const),
  ...['users', 'accounts', 'admin', 'customers', 'employees'].map(
    (resource) => [`/api/v1/${resource}/42`, `rest-api-idor-${resource}`, 'GET HEAD'] as const,
  ),
  ['/api/v2/users/1', 'rest-api-idor-users', 'GET'],
  ['/api/v999/users/1', 'rest-api-idor-users', 'GET'],
  ['/api/v1/users/999999999999999', 'rest-api-idor-users', 'GET'],
  ['/mcp', 'mcp-server-probe', 'POST GET HEAD DELETE'],
  ['/mcp/', 'mcp-server-probe', 'POST GET DELETE'],
  ['/sse', 'mcp-server-probe', 'POST GET HEAD'],
  ['/mcp/sse', 'mcp-server-probe', 'POST GET HEAD'],
  ['/v1/models', 'llm-compat-models', 'GET HEAD POST PUT DELETE OPTIONS'],
  ['/api/tags', 'local-llm-tags', 'GET HEAD POST'],
  ['/api/ps', 'local-llm-tags', 'GET HEAD POST'],
  ...['/fetch', '/proxy', '/api/fetch', '/api/proxy'].map(
    (path) => [`${path}${PROBE}`, 'ssrf-metadata-probe', 'GET HEAD'] as const,
  ),
  ['/fetch?uri=http://169.254.169.254/', 'ssrf-metadata-probe', 'GET'],
  ['/fetch?path=169.254.169.254/latest', 'ssrf-metadata-probe', 'GET'],
  ['/fetch?dest=http://metadata.google.internal/', 'ssrf-metadata-probe', 'GET'],
  ['/fetch?a=b&url=http%3A%2F%2F169.254.169.254%2F', 'ssrf-metadata-probe', 'GET'],
  ['/fetch?url=http://example.com/&url=http://169.254.169.254/', 'ssrf-metadata-probe', 'GET'],
  // One decoding, any case, double slashes, a whole URL as the target.
  ['/.AWS/Credentials', 'aws-credentials', 'GET'],
  ['//.aws//credentials', 'aws-credentials', 'GET'],
  ['/%2eaws%2Fcredentials', 'aws-credentials', 'GET'],
  ['/.Claude/SETTINGS.json', 'ai-assistant-config', 'GET'],
  ['/%61pi/v1/users/%34%32', 'rest-api-idor-users', 'GET'],
  ['/API//V1/Users/42', 'rest-api-idor-users', 'GET'],
  ['/V1/Models', 'llm-compat-models', 'GET'],
  ['/MCP', 'mcp-server-probe', 'POST'],
  ['//mcp', 'mcp-server-probe', 'POST'],
  ['/v1/models?limit=1', 'llm-compat-models', 'GET'],
  ['http://example.test/v1/models', 'llm-compat-models', 'GET'],
];

for (const [target, tag, methods] of matches) {
  for (const method of methods.split(' ')) {
    test(`${method} ${target} is ${tag}`, async () => {
      const seen = decoys.written.length;
      const isPost = method === 'POST';
      const reply = await decoys.ask(target, { method, ...(isPost && { body: INITIALIZE }) });
      assert.notEqual(reply.status, 404);
      const [line, ...more] = decoys.lines().slice(seen);
      assert.deepEqual([line?.event, line?.tag, more.length], ['decoy_hit', tag, 0]);
    });
  }
}

/** The rows of the table of docs/decoys.md. A row without a tag belongs to the tag above it. */
const documented = readFileSync(new URL('../../docs/decoys.md', import.meta.url), 'utf8')
  .split('\n')
  .map((line) =>
    /^\| (?:`([a-z-]+?)(?:-<\w+>)?`|) ?\| (GET|POST|DELETE|any) \| (.*?) \| .* \|$/.exec(line),
  )
  .filter((row) => row !== null)
  .map(([, tag, methods, paths], at, rows) => ({
    tag: tag ?? rows.slice(0, at).findLast(([, above]) => above !== undefined)![1],
    methods: methods!,
    paths: paths!,
  }));

function isDocumented(tag: string, path: string, method: string): boolean {
  const rows = documented.filter((row) => row.tag === tag);
  assert.ok(rows.length > 0, `docs/decoys.md has no row for ${tag}`);
  const wanted = method === 'HEAD' ? 'GET' : method;
  return rows
    .filter(({ paths }) => rows.length === 1 || paths.includes(`\`${path}\``))
    .some(({ methods }) => methods === 'any' || methods === wanted);
}

for (const question of CORPUS) {
  const [path = '', query] = question.target.split('?');
  const { tag } = entryOf(question.tag)!;

  async function tagOf(method: string, target: string): Promise<unknown> {
    const seen = decoys.written.length;
    await decoys.ask(target, { ...(method.startsWith('P') && question), method });
    return decoys.lines()[seen]?.tag;
  }

  test(`${question.target} is ${tag} with the documented methods and with no other`, async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const isAnswered = (await tagOf(method, question.target)) === question.tag;
      assert.equal(isAnswered, isDocumented(tag, path, method), method);
    }
  });

  test(`${question.target} is ${tag} after one decoding, in any case, with double slashes`, async () => {
    const encoded = `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`;
    for (const spelling of [path.toUpperCase(), path.replaceAll('/', '//'), encoded]) {
      const target = query === undefined ? spelling : `${spelling}?${query}`;
      assert.equal(await tagOf(question.method, target), question.tag, target);
    }
  });
}

const falls: readonly [methods: string, target: string][] = [
  ['POST PUT DELETE OPTIONS', '/.aws/credentials'],
  ['POST', '/credentials.json'],
  ['POST PUT DELETE', '/api/v1/users/42'],
  ['PUT OPTIONS', '/mcp'],
  ['PUT DELETE', '/sse'],
  ['POST PUT', `/fetch${PROBE}`],
  ['GET', '/'],
  ['GET', '/.aws/'],
  ['GET', '/.aws/other'],
  ['GET', '/.claude/anything.json'],
  ['GET', '/.cursor/settings.json'],
  ['GET', '/.git/'],
  ['GET', '/.git/objects/00/0000000000000000000000000000000000000000'],
  ['GET', '/.env.anything'],
  ['GET', '/anything/.env'],
  ['GET', '/actuator/anything'],
  ['GET', '/api/v1/anything'],
  ['GET', '/wp-anything.php'],
  ['GET', '/anything.sql'],
  ['GET', '/x/.aws/credentials'],
  ['GET', '/xcredentials.json'],
  ['GET', '/credentials.json/'],
  ['GET', '/.assistant-a/'],
  ['GET', '/.assistant-a'],
  ['GET', '/.assistant-a/a/b.json'],
  ['GET', '/.claude/.'],
  ['GET', '/.claude/..'],
  ['GET', '/.claude/%2e%2E'],
  ['GET', '/x/.claude/settings.json'],
  ['GET', '/.vscode/settings.json'],
  ['GET', '/api/v1/users'],
  ['GET', '/api/v1/users/'],
  ['GET', '/api/v1/users/abc'],
  ['GET', '/api/v1/users/-1'],
  ['GET', '/api/v1/users/1.5'],
  ['GET', '/api/v1/users/1234567890123456'],
  ['GET', '/api/v1/users/42/'],
  ['GET', '/api/v1/orders/42'],
  ['GET', '/api/vx/users/42'],
  ['GET', '/api/users/42'],
  ['POST', '/mcp/x'],
  ['GET', '/v1/models/'],
  ['GET', '/v1/model'],
  ['GET', '/api/tag'],
  ['GET', '/fetch'],
  ['GET', '/proxy'],
  ['GET', '/api/fetch'],
  ['GET', '/api/proxy'],
  ['GET', '/fetch?url='],
  ['GET', '/fetch?url=http://example.com/'],
  ['GET', '/fetch?q=http://169.254.169.254/'],
  ['GET', '/other?url=http://169.254.169.254/'],
  ['GET', '/%252eaws/credentials'],
  ['GET', '/.aws/credentials%00'],
];

for (const [methods, target] of falls) {
  for (const method of methods.split(' ')) {
    test(`${method} ${target} is the plain 404`, async () => {
      const seen = decoys.written.length;
      const reply = await decoys.ask(target, { method });
      assert.equal(reply.status, 404);
      assert.equal(reply.body, method === 'HEAD' ? '' : '404 page not found\n');
      assert.equal(decoys.written.length, seen);
    });
  }
}
