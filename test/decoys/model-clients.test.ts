/** Clients that nobody here wrote finish their work: models are listed, files are read. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadSharedConfigFiles } from '@smithy/shared-ini-file-loader';
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

test('a reader of AWS credential files reads ours', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'decoys-aws-'));
  const filepath = join(directory, 'credentials');
  writeFileSync(filepath, (await decoys.ask('/.aws/credentials')).body);
  const configFilepath = join(directory, 'config');
  const { credentialsFile } = await loadSharedConfigFiles({ filepath, configFilepath });
  rmSync(directory, { recursive: true, force: true });
  assert.match(credentialsFile.default?.aws_access_key_id ?? '', /^AKIA[A-Z2-7]{16}$/);
  assert.match(credentialsFile.default?.aws_secret_access_key ?? '', /^[A-Za-z0-9+/]{40}$/);
  assert.match(credentialsFile.default?.region ?? '', /^[a-z]{2}-[a-z]+-\d$/);
});
