/**
 * Whether one answer gives a deployment away: of 3,000 keys, no value that our answers have in common with
 * more than one in a hundred is one that real servers do not have.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../../core/net/address.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { llmCompatModels } from '../kinds/llm-compat-models.ts';
import { localLlmTags } from '../kinds/local-llm-tags.ts';
import { mcpServerProbe } from '../kinds/mcp-server-probe.ts';
import { restApiIdor } from '../kinds/rest-api-idor.ts';
import type { Kind, Kit } from '../kit/decoy.ts';
import { Honeytokens } from '../tokens/honeytoken.ts';
import { Draw } from './draw.ts';
import { KNOWN_LOCAL, KNOWN_SERVED } from './known-models.ts';
import { createPersona } from './persona.ts';

const COUNT = 3_000;
const LIMIT = COUNT / 100;
const client = { address: parseAddress('203.0.113.7')!, learntFrom: 'socket' } as const;
/** No answer here holds one. */
const tokens = new Honeytokens({ key: new Secret('decoys key', 'a key for all'), site: 'decoys' });
const kits: Kit[] = Array.from({ length: COUNT }, (_, index) => {
  const key = new Secret('decoys key', `a key that is drawn: ${index}`);
  const draw = new Draw(key);
  return { draw, persona: createPersona(draw), tokens, site: 'decoys', now: () => 0 };
});

function answersOf(kind: Kind, path: string, method = 'GET', body = ''): string[] {
  return kits.map((kit) => {
    const probe = { method, path, query: '', headers: {}, client, day: 20_777 };
    return kind.create(kit).match(probe)!.answer(body).body;
  });
}

/** Every text and number in it, without the keys, which real servers have, too. */
function leavesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.values(value).flatMap(leavesOf);
}

/** In how many answers each value is. */
function shared(
  answers: readonly string[],
  valuesOf: (answer: string) => string[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const answer of answers) {
    for (const value of new Set(valuesOf(answer))) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

function common(
  answers: readonly string[],
  valuesOf = (text: string) => leavesOf(JSON.parse(text)),
) {
  return [...shared(answers, valuesOf)]
    .filter(([, count]) => count > LIMIT)
    .map(([value]) => value);
}

/** What vLLM writes for every model, and the lengths that its models and its operators choose. */
const OF_VLLM = [
  ...['list', 'model', 'vllm', 'null', 'model_permission', 'true', 'false', '*'],
  ...KNOWN_SERVED.flatMap(([id, length]) => [
    id,
    `/models/${id.split('/').at(-1)}`,
    String(length),
  ]),
  ...['4096', '8192', '16384', '20000', '24576', '32768'],
];
const OF_OLLAMA = [
  ...['', 'gguf', 'Q4_K_M', 'Q4_0', 'F16', 'MXFP4'],
  ...KNOWN_LOCAL.flatMap(({ name, sizeBytes, digest, family, parameterSize, contextLength }) =>
    [name, sizeBytes, digest, family, parameterSize, contextLength].map(String),
  ),
];
const OF_MCP = [
  ...[
    '2.0',
    '1',
    '2025-06-18',
    'true',
    'false',
    'object',
    'string',
    'integer',
    'query',
    'id',
    'text',
  ],
  ...['text/markdown', 'text/csv', 'application/json', 'text/plain'],
];
const OF_USERS = [...['42', 'sk_live_honeypot42', 'user', 'editor', 'viewer']];

const rpc = (method: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { protocolVersion: '2025-06-18' } });

for (const [what, answers, real] of [
  ['/v1/models', () => answersOf(llmCompatModels, '/v1/models'), OF_VLLM],
  ['/api/tags', () => answersOf(localLlmTags, '/api/tags'), OF_OLLAMA],
  ['/api/ps', () => answersOf(localLlmTags, '/api/ps'), OF_OLLAMA],
  ['a user', () => answersOf(restApiIdor, '/api/v1/users/42'), OF_USERS],
  ...['initialize', 'tools/list', 'prompts/list', 'resources/list'].map(
    (method) =>
      [method, () => answersOf(mcpServerProbe, '/mcp', 'POST', rpc(method)), OF_MCP] as const,
  ),
] as const) {
  test(`no value of ${what} recognises more than one in a hundred, but those of real servers`, () => {
    const known = new Set<string>(real);
    assert.deepEqual(
      common(answers()).filter((value) => !known.has(value)),
      [],
    );
  });
}

test('no five letters of a company name are those of more than one in a hundred', () => {
  const names = kits.map(({ persona }) => persona.company);
  const parts = (name: string) =>
    Array.from({ length: Math.max(0, name.length - 4) }, (_, at) => name.slice(at, at + 5));
  assert.deepEqual(common(names, parts), []);
  assert.ok(new Set(names).size > COUNT * 0.99);
});

test('no digest of a well-known model is another than the public one', () => {
  const digests = new Map(KNOWN_LOCAL.map(({ name, digest }) => [name, digest]));
  for (const { persona } of kits) {
    for (const { name, digest } of persona.models.local) {
      assert.equal(digest, digests.get(name) ?? digest);
    }
  }
});

test('what a refused tool says is hardly ever what another says', () => {
  const texts = kits.map(({ persona }) => persona.mcp.refusal);
  assert.deepEqual(
    common(texts, (text) => [text]),
    [],
  );
});
