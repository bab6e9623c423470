/** Resources, prompts and completion, where a program offers them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  conformancePrompts as prompts,
  conformanceResources as resources,
} from './conformance-fixtures.ts';
import { type Harness, startHarness } from './harness.ts';
import { INITIALIZE, rpc, send, sendModern } from './wire.ts';

let harness: Harness;
let url: string;
before(async () => {
  harness = await startHarness({
    prompts,
    resources: {
      ...resources,
      list: async (cursor, caller) =>
        cursor === undefined
          ? { resources: [{ uri: `test://${caller.user}`, name: 'first' }], nextCursor: 'more' }
          : { resources: [{ uri: `test://${cursor}`, name: 'second' }] },
    },
    complete: async ({ argument }) =>
      Array.from({ length: 101 }, (_, at) => `${argument.value}${at}`),
  });
  url = harness.url;
});
after(() => harness.close());

test('what is offered is declared', async () => {
  const { json } = await send(url, INITIALIZE);
  assert.deepEqual(json.result.capabilities, {
    tools: { listChanged: true },
    resources: { subscribe: true },
    prompts: {},
    completions: {},
  });
});

test('resources are listed page by page', async () => {
  const first = await send(url, rpc('resources/list'));
  assert.deepEqual(first.json.result, {
    resources: [{ uri: 'test://alice', name: 'first' }],
    nextCursor: 'more',
  });
  const second = await send(url, rpc('resources/list', { cursor: 'more' }));
  assert.deepEqual(second.json.result.resources, [{ uri: 'test://more', name: 'second' }]);
});

test('a resource is read, and never kept for longer than the read', async () => {
  const uri = 'test://static-text';
  const { json } = await sendModern(url, 'resources/read', { uri });
  assert.equal(json.result.contents[0].uri, uri);
  assert.equal(json.result.ttlMs, 0);
  assert.equal(json.result.cacheScope, 'private');
});

test('a resource that is not there has the code of each era', async () => {
  const uri = 'test://nope';
  const legacy = await send(url, rpc('resources/read', { uri }));
  assert.equal(legacy.json.error.code, -32002);
  assert.deepEqual(legacy.json.error.data, { uri });
  const modern = await sendModern(url, 'resources/read', { uri });
  assert.equal(modern.json.error.code, -32602);
  assert.deepEqual(modern.json.error.data, { uri });
});

test('the uri of a modern read is repeated in its header', async () => {
  const { json, status } = await send(
    url,
    rpc('resources/read', {
      uri: 'test://static-text',
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    }),
    {
      headers: {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'resources/read',
        'mcp-name': 'test://static-binary',
      },
    },
  );
  assert.equal(status, 400);
  assert.equal(json.error.code, -32020);
});

for (const [name, message] of [
  ['a read without a uri', rpc('resources/read', {})],
  ['a cursor that is no string', rpc('resources/list', { cursor: 1 })],
  ['an unknown prompt', rpc('prompts/get', { name: 'nope' })],
  ['a prompt without a name', rpc('prompts/get')],
  [
    'prompt arguments that are no strings',
    rpc('prompts/get', { name: 'test_simple_prompt', arguments: { a: 1 } }),
  ],
  ['a completion of nothing', rpc('completion/complete')],
  [
    'a completion of an unknown kind',
    rpc('completion/complete', { ref: { type: 'x' }, argument: { name: 'a', value: '' } }),
  ],
] as const) {
  test(`${name} is -32602`, async () => {
    const { status, json } = await send(url, message);
    assert.equal(status, 200);
    assert.equal(json.error.code, -32602);
  });
}

test('a prompt is filled in', async () => {
  const { json } = await send(
    url,
    rpc('prompts/get', {
      name: 'test_prompt_with_arguments',
      arguments: { arg1: 'a', arg2: 'b' },
    }),
  );
  assert.equal(json.result.messages[0].content.text, "Prompt with arguments: arg1='a', arg2='b'");
});

test('a completion gives the first hundred values and says that there are more', async () => {
  const ref = { type: 'ref/resource', uri: 'test://template/{id}/data' };
  const { json } = await send(
    url,
    rpc('completion/complete', { ref, argument: { name: 'id', value: 'v' } }),
  );
  const { values, total, hasMore } = json.result.completion;
  assert.equal(values.length, 100);
  assert.equal(values[0], 'v0');
  assert.deepEqual([total, hasMore], [101, true]);
});
