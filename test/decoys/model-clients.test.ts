/** Clients that nobody here wrote finish their work: the models are listed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { startDecoys, type TestDecoys } from './support.ts';

let decoys: TestDecoys;
before(async () => {
  decoys = await startDecoys();
});
after(() => decoys.close());

test('openai lists the models', async () => {
  const client = new OpenAI({ apiKey: 'none', baseURL: `${decoys.url}/v1`, maxRetries: 0 });
  const ids: string[] = [];
  for await (const model of client.models.list()) {
    assert.deepEqual([model.object, model.owned_by], ['model', 'vllm']);
    ids.push(model.id);
  }
  assert.ok(ids.length > 0);
});

test('ollama lists the models and shows the running ones', async () => {
  const client = new Ollama({ host: decoys.url });
  const { models: stored } = await client.list();
  const { models: running } = await client.ps();
  assert.ok(stored.length >= 3 && running.length > 0);
  for (const { name, digest } of running) {
    assert.equal(stored.find((model) => model.name === name)?.digest, digest);
  }
});
