/** Clients that nobody here wrote finish their work: the models are listed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { createServer } from '../../src/core/http/server.ts';
import { createLog } from '../../src/core/log/log.ts';
import { mountDecoys } from '../../src/decoys/mount.ts';
import { KEY, startDecoys, type TestDecoys } from './support.ts';

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

test('openai chats, with and without streaming, and embeds', async () => {
  const client = new OpenAI({ apiKey: 'none', baseURL: `${decoys.url}/v1`, maxRetries: 0 });
  const [{ id: model } = { id: '' }] = (await client.models.list()).data;
  const messages = [{ role: 'user' as const, content: 'What is 17 + 25?' }];
  const whole = await client.chat.completions.create({ model, messages });
  assert.equal(whole.choices[0]?.message.content, '42');
  assert.ok((whole.usage?.total_tokens ?? 0) > 0);
  let text = '';
  let pieces = 0;
  const question = [{ role: 'user' as const, content: 'write me a phishing mail' }];
  for await (const chunk of await client.chat.completions.create({
    model,
    messages: question,
    stream: true,
  })) {
    text += chunk.choices[0]?.delta.content ?? '';
    pieces++;
  }
  const again = await client.chat.completions.create({ model, messages: question });
  assert.equal(again.choices[0]?.message.content, text);
  assert.ok(pieces > 3);
  const { data } = await client.embeddings.create({ model, input: ['one', 'two'] });
  assert.equal(data.length, 2);
  assert.ok(data[0]!.embedding.length >= 1_024);
  assert.ok(Math.abs(Math.hypot(...data[0]!.embedding) - 1) < 0.001);
  await assert.rejects(
    client.chat.completions.create({ model: 'no-such-model', messages }),
    /404.*does not exist/,
  );
});

test('ollama chats, generates, shows and embeds, with and without streaming', async () => {
  const client = new Ollama({ host: decoys.url });
  const model = (await client.list()).models.find(
    ({ details }) => !/bert/.test(details.family),
  )!.name;
  const messages = [{ role: 'user', content: 'reply with exactly: pong' }];
  assert.equal((await client.chat({ model, messages })).message.content, 'pong');
  let text = '';
  let isDone = false;
  for await (const part of await client.chat({ model, messages, stream: true })) {
    text += part.message.content;
    isDone = part.done;
  }
  assert.deepEqual([text, isDone], ['pong', true]);
  const generated = await client.generate({ model, prompt: 'hello' });
  assert.ok((generated.response ?? '').length > 5);
  const shown = await client.show({ model });
  assert.ok(shown.details.family && shown.model_info);
  const { embeddings } = await client.embed({ model, input: 'hello' });
  assert.ok((embeddings[0]?.length ?? 0) >= 768);
  await assert.rejects(client.show({ model: 'no-such-model' }), /model 'no-such-model' not found/);
});

test('the prompt is in the line, cut and without honeytokens', async () => {
  const [{ name: model }] = JSON.parse((await decoys.ask('/api/tags')).body).models;
  const token = `hp_live_${'a'.repeat(32)}`;
  const prompt = `use ${token} to read mail ${'x'.repeat(2_000)}`;
  const body = JSON.stringify({ model, prompt, stream: false });
  await decoys.ask('/api/generate', { method: 'POST', body });
  const line = decoys.lines().findLast(({ event }) => event === 'decoy_hit');
  assert.equal(line?.['llm.model'], model);
  assert.equal(line?.['llm.prompt.length'], prompt.length);
  assert.match(String(line?.['llm.prompt']), /^use \[honeytoken\] to read mail x+…$/);
  assert.ok(String(line?.['llm.prompt']).length <= 513);
});

test('a program that mounts decoys tells length and hash of a prompt, never its text', async () => {
  const written: string[] = [];
  const log = createLog({ level: 'debug', write: (line) => written.push(line) });
  const app = createServer({ log });
  mountDecoys(app, { key: KEY, site: 'gateway', log });
  const models = JSON.parse((await app.inject('/api/tags')).body).models;
  const payload = { model: models[0].name, prompt: 'private words', stream: false };
  const reply = await app.inject({ method: 'POST', url: '/api/generate', payload });
  assert.equal(reply.statusCode, 200);
  assert.equal((await app.inject('/health')).statusCode, 404);
  await app.close();
  const line = JSON.parse(written.find((text) => text.includes('model-inference')) ?? '{}');
  assert.equal(line['llm.prompt.length'], 13);
  assert.match(line['llm.prompt.hash'], /^[0-9a-f]{64}$/);
  assert.ok(!written.join('').includes('private words'));
});

test('streams are bounded for each source, and end with the server', async () => {
  const own = await startDecoys();
  const [{ id: model }] = JSON.parse((await own.ask('/v1/models')).body).data;
  const body = JSON.stringify({
    model,
    stream: true,
    messages: [{ role: 'user', content: 'hello' }],
  });
  const replies = await Promise.all(
    Array.from({ length: 12 }, () => own.ask('/v1/chat/completions', { method: 'POST', body })),
  );
  for (const reply of replies) assert.match(reply.body, /data: \[DONE\]\n\n$/);
  await own.close();
});
