/** What the decoys answer: shapes, sizes, dates, and the same bytes for the same question. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CORPUS } from '../../src/decoys/catalogue.ts';
import { Honeytokens } from '../../src/decoys/tokens/honeytoken.ts';
import { KEY, NOW_MS, OTHER_KEY, startDecoys, type TestDecoys } from './support.ts';

const tokens = new Honeytokens({ key: KEY, site: 'decoys' });
const HOUR_MS = 3_600_000;

let decoys: TestDecoys;
before(async () => {
  decoys = await startDecoys();
});
after(() => decoys.close());

const json = async (target: string) => JSON.parse((await decoys.ask(target)).body);

for (const question of CORPUS) {
  const { method, target, status, expect } = question;
  test(`${method} ${target} answers as it should, within its limit, twice the same`, async () => {
    const first = await decoys.ask(target, question);
    const second = await decoys.ask(target, question);
    assert.equal(first.status, status);
    assert.match(first.body, expect);
    assert.ok(first.size <= (isBinary(first) ? 262_144 : 4_096));
    assert.equal(second.body, first.body);
    assert.equal(first.headers['set-cookie'], undefined);
    assert.equal(first.headers['x-powered-by'], undefined);
    assert.equal(first.headers.server, undefined);
    assert.equal(Number(first.headers['content-length']), first.size);
  });
}

for (const { method, target } of CORPUS) {
  if (method !== 'GET') continue;
  test(`HEAD ${target} has the headers of GET and no body`, async () => {
    const get = await decoys.ask(target);
    const head = await decoys.ask(target, { method: 'HEAD' });
    assert.equal(head.status, get.status);
    assert.deepEqual(undated(head.rawHeaders), undated(get.rawHeaders));
    assert.equal(head.body, '');
  });
}

/** A database or a dump is larger than a text. */
function isBinary({ headers }: Awaited<ReturnType<TestDecoys['ask']>>): boolean {
  return headers['content-type'] === 'application/octet-stream';
}

/** A second may pass between two answers. */
function undated(rawHeaders: readonly string[]): string[] {
  return rawHeaders.map((text, at) => (/^date$/i.test(rawHeaders[at - 1] ?? '') ? '' : text));
}

test('another key gives other names everywhere', async () => {
  const other = await startDecoys({ key: OTHER_KEY });
  const same: string[] = [];
  for (const question of CORPUS) {
    if (question.tag === 'ssrf-metadata-probe') continue;
    const [ours, theirs] = await Promise.all(
      [decoys, other].map((server) => server.ask(question.target, question)),
    );
    if (ours!.body === theirs!.body) same.push(question.target);
  }
  await other.close();
  // What every installation of that software says in the same words.
  assert.deepEqual([...new Set(same)], ['/api/show']);
});

test('a new day gives new tokens, and the old ones still open', async () => {
  const clock = { ms: NOW_MS };
  const server = await startDecoys({ clock });
  const before = (await server.ask('/.mcp/mcp.json')).body;
  clock.ms += 24 * HOUR_MS;
  const next = (await server.ask('/.mcp/mcp.json')).body;
  assert.notEqual(before, next);
  const token = /hp_live_[a-z2-7]{32}/.exec(before)?.[0] ?? '';
  assert.equal(tokens.open(token, clock.ms)?.day, '2026-11-15');
  await server.close();
});

test('a user has exactly the six fields, each as docs/decoys.md says', async () => {
  const user = await json('/api/v1/users/42');
  assert.deepEqual(Object.keys(user), [
    'id',
    'email',
    'role',
    'password_hash',
    'api_key',
    'created_at',
  ]);
  assert.equal(user.id, 42);
  assert.match(user.email, /^user42@[a-z]+\.internal$/);
  assert.ok(user.role.length > 0);
  assert.match(user.password_hash, /^\$2b\$12\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{31}$/);
  assert.equal(user.password_hash.length, 60);
  assert.equal(user.api_key, 'sk_live_honeypot42');
  assert.match(user.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.ok(Date.parse(user.created_at) < NOW_MS);
});

test('ids are canonical integers, and users differ in everything', async () => {
  assert.equal((await json('/api/v1/users/007')).api_key, 'sk_live_honeypot7');
  const big = await json('/api/v1/users/999999999999999');
  assert.deepEqual([big.id, big.api_key], [999999999999999, 'sk_live_honeypot999999999999999']);
  assert.ok(Date.parse(big.created_at) < NOW_MS);
  const users = await Promise.all(
    Array.from({ length: 100 }, (_, id) => json(`/api/v1/employees/${id + 1}`)),
  );
  for (const field of ['email', 'password_hash', 'created_at', 'api_key'] as const) {
    assert.equal(new Set(users.map((user) => user[field])).size, users.length, field);
  }
});

test('the AWS file is INI with a key id that names the reader', async () => {
  const { body, headers } = await decoys.ask('/.aws/credentials');
  const lines = body.split('\n');
  assert.equal(lines[0], '[default]');
  const values = Object.fromEntries(lines.slice(1, -1).map((line) => line.split(' = ')));
  assert.match(values.aws_secret_access_key, /^[A-Za-z0-9+/]{40}$/);
  assert.match(values.region, /^[a-z]{2}-[a-z]+-\d$/);
  assert.equal(tokens.open(values.aws_access_key_id, NOW_MS)?.address, '127.0.0.1');
  assert.match(headers['content-type'] ?? '', /^text\/plain/);
});

test('the credentials hold different honeytokens that expire hours ahead', async () => {
  const { claudeAiOauth: oauth, installed } = await json('/.assistant-a/.credentials.json');
  assert.equal(installed, undefined);
  assert.equal(tokens.open(oauth.accessToken, NOW_MS)?.place.field, 'accessToken');
  assert.equal(tokens.open(oauth.refreshToken, NOW_MS)?.place.field, 'refreshToken');
  assert.ok(oauth.expiresAt > NOW_MS + HOUR_MS && oauth.expiresAt < NOW_MS + 48 * HOUR_MS);
  assert.ok(oauth.refreshTokenExpiresAt > oauth.expiresAt);
  assert.deepEqual(oauth.scopes.slice(0, 2), ['user:inference', 'user:profile']);
  assert.equal(typeof oauth.subscriptionType, 'string');
  assert.equal(typeof oauth.rateLimitTier, 'string');
});

test('credentials.json also holds a client, whose secret is a honeytoken', async () => {
  const { installed } = await json('/credentials.json');
  assert.equal(tokens.open(installed.client_secret, NOW_MS)?.place.field, 'client_secret');
  for (const field of ['client_id', 'auth_uri', 'token_uri']) {
    assert.match(installed[field], /\.internal(?:\/|$)/);
  }
});

test('the configuration holds the repository token and a database password', async () => {
  const { body } = await decoys.ask('/.assistant-b/mcp.json');
  const { mcpServers } = JSON.parse(body);
  assert.equal(body, `${JSON.stringify(JSON.parse(body), null, 2)}\n`);
  const servers: { command: string; args: string[]; env: Record<string, string> }[] =
    Object.values(mcpServers);
  const token = servers.map(({ env }) => env.REPO_HOST_PERSONAL_ACCESS_TOKEN).find(Boolean);
  assert.match(token ?? '', /^hp_live_/);
  assert.equal(tokens.open(token ?? '', NOW_MS)?.address, '127.0.0.1');
  const text = servers.flatMap(({ args }) => args).find((arg) => arg.startsWith('postgresql://'));
  const database = new URL(text ?? '');
  assert.equal(tokens.open(database.password, NOW_MS)?.place.field, 'database password');
  assert.match(database.hostname, /\.internal$/);
});

test('settings also have permissions, and the editor its own servers', async () => {
  const settings = await json('/.claude/settings.local.json');
  assert.ok(Array.isArray(settings.permissions.allow) && Array.isArray(settings.permissions.deny));
  assert.ok(settings.mcpServers);
  const editor = await json('/.vscode/mcp.json');
  assert.ok(editor.servers && Array.isArray(editor.inputs) && editor.mcpServers);
});

test('files carry a date and a tag, and are not sent again to who has them', async () => {
  const { headers } = await decoys.ask('/.claude/settings.json');
  const modified = Date.parse(headers['last-modified'] ?? '');
  assert.ok(modified < NOW_MS && modified > NOW_MS - 48 * HOUR_MS);
  assert.match(headers.etag ?? '', /^"[0-9a-f]+-[0-9a-f]+"$/);
  for (const condition of [
    { 'if-none-match': headers.etag! },
    { 'if-modified-since': headers['last-modified']! },
  ]) {
    const again = await decoys.ask('/.claude/settings.json', { headers: condition });
    assert.deepEqual([again.status, again.body], [304, '']);
    assert.equal(again.headers.etag, headers.etag);
  }
  const changed = await decoys.ask('/.claude/settings.json', {
    headers: { 'if-none-match': '"0-0"' },
  });
  assert.equal(changed.status, 200);
});

test('the running models are some of the stored ones, with equal digests', async () => {
  const { models: stored } = await json('/api/tags');
  const { models: running } = await json('/api/ps');
  assert.ok(running.length > 0 && running.length <= stored.length);
  for (const model of running) {
    const known = stored.find(({ name }: { name: string }) => name === model.name);
    assert.equal(model.digest, known.digest);
    assert.deepEqual(model.details, known.details);
    assert.equal(model.modified_at, undefined);
    assert.ok(Date.parse(model.expires_at) > NOW_MS);
    assert.ok(model.size_vram > 0 && model.context_length > 0);
  }
  for (const { modified_at, digest, size, details } of stored) {
    assert.match(modified_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}(?:Z|[+-]\d\d:\d\d)$/);
    assert.ok(Date.parse(modified_at) < NOW_MS);
    assert.match(digest, /^[0-9a-f]{64}$/);
    assert.ok(Number.isInteger(size));
    assert.deepEqual([details.parent_model, details.format], ['', 'gguf']);
  }
  assert.equal(
    new Set(stored.map(({ modified_at }: { modified_at: string }) => modified_at)).size,
    stored.length,
  );
});

test('a model of the listing has what vLLM gives it', async () => {
  const { object, data } = await json('/v1/models');
  assert.equal(object, 'list');
  for (const model of data) {
    assert.deepEqual(Object.keys(model), [
      'id',
      'object',
      'created',
      'owned_by',
      'root',
      'parent',
      'max_model_len',
      'permission',
    ]);
    assert.equal(model.owned_by, 'vllm');
    assert.ok(model.created * 1000 < NOW_MS);
    assert.match(model.permission[0].id, /^modelperm-[0-9a-f]{32}$/);
  }
});

for (const [value, message] of [
  ['http://169.254.169.254/', 'connect ECONNREFUSED 169.254.169.254:80'],
  ['http://2852039166:8080/SECRET', 'connect ECONNREFUSED 169.254.169.254:8080'],
  ['http://x@[::ffff:a9fe:a9fe]/SECRET', 'connect ECONNREFUSED 169.254.169.254:80'],
  ['http://MetaData.google.internal./SECRET', 'getaddrinfo ENOTFOUND metadata.google.internal'],
] as const) {
  test(`a fetch of ${value} fails in the canonical words alone`, async () => {
    const reply = await decoys.ask(`/fetch?url=${encodeURIComponent(value)}`);
    assert.equal(reply.status, 502);
    assert.equal(JSON.parse(reply.body).message, message);
    assert.doesNotMatch(reply.body, /SECRET/);
  });
}

test('every name in every answer is under .internal, or is this machine', async () => {
  for (const question of CORPUS) {
    const { body } = await decoys.ask(question.target, question);
    for (const [, host] of body.matchAll(/[a-z]+:\/\/(?:[^@/"\s]*@)?([a-z0-9.-]+)/gi)) {
      assert.match(host!, /\.internal$|^localhost$/, `${host} in ${question.target}`);
    }
  }
});
