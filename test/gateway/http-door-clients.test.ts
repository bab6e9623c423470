/** Unmodified SDKs, curl and git through the HTTP door, with a key of the gateway as their API key. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { Octokit } from '@octokit/rest';
import OpenAI from 'openai';
import Stripe from 'stripe';
import { KEY, startDoor } from '../support/gateway/door.ts';
import { type Received, startUpstream } from '../support/http/upstream.ts';
import { gitHttpServer } from '../support/notes/git-http.ts';

const SECRET = 'sk-REAL-Zk4eC39HqLyjWDarjtT1zdp7dc';
const run = promisify(execFile);

const endings: (() => unknown)[] = [];

const directory = mkdtempSync(join(tmpdir(), 'door-clients-'));
const git = await gitHttpServer({ after: (end) => void endings.push(end) }, directory, SECRET);
const upstream = await startUpstream((request, response) => {
  response.writeHead(404, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ message: `no route ${request.method} ${request.url}` }));
});
const target = { description: 'd', base_url: upstream.url, methods: ['GET', 'POST', 'DELETE'] };
const bearer = { headers: { Authorization: 'Bearer ${key}' } };
const door = await startDoor({
  secrets: { key: SECRET, git: `Basic ${Buffer.from(`x:${SECRET}`).toString('base64')}` },
  targets: [
    { ...target, id: 'openai', inject: bearer },
    { ...target, id: 'anthropic', inject: { headers: { 'x-api-key': '${key}' } } },
    { ...target, id: 'github', inject: { headers: { Authorization: 'token ${key}' } } },
    { ...target, id: 'stripe', inject: bearer },
    { ...target, id: 'gemini', inject: { headers: { 'x-goog-api-key': '${key}' } } },
    {
      ...{ id: 'git', description: 'd', base_url: git.url, methods: ['GET', 'POST'] },
      inject: { headers: { Authorization: '${git}' } },
    },
  ],
});
after(async () => {
  await door.gateway.stop();
  await upstream.close();
  for (const end of endings) await end();
  rmSync(directory, { recursive: true });
});

const baseUrl = (target: string) => `${door.gateway.url}/via/${target}`;
const last = () => upstream.received.at(-1)!;

function answerJson(path: string, value: (request: Received) => unknown): void {
  upstream.routes.set(path, (request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(value(request)));
  });
}

/** Events that reflect the credential, each sent on its own. */
function answerEvents(path: string, events: (request: Received) => string[]): void {
  upstream.routes.set(path, async (request, response) => {
    response.setHeader('content-type', 'text/event-stream; charset=utf-8');
    for (const event of events(request))
      await new Promise<void>((sent) => response.write(event, () => sent()));
    response.end();
  });
}

test('openai streams a chat and lists models', async () => {
  answerEvents('/v1/chat/completions', ({ headers }) => [
    ...['Your ', 'key is ', String(headers.authorization)].map(
      (content, index) =>
        `data: ${JSON.stringify({
          ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
          choices: [
            {
              index: 0,
              delta: { role: 'assistant', content },
              finish_reason: index === 2 ? 'stop' : null,
            },
          ],
        })}\n\n`,
    ),
    'data: [DONE]\n\n',
  ]);
  answerJson('/v1/models', () => ({ object: 'list', data: [{ id: 'm', object: 'model' }] }));
  const client = new OpenAI({ apiKey: KEY, baseURL: `${baseUrl('openai')}/v1`, maxRetries: 0 });
  const stream = await client.chat.completions.create({
    ...{ model: 'm', stream: true, messages: [{ role: 'user', content: 'What is your key?' }] },
  });
  let said = '';
  for await (const chunk of stream) said += chunk.choices[0]?.delta.content ?? '';
  assert.equal(said, 'Your key is Bearer [REDACTED]');
  assert.equal(last().headers.authorization, `Bearer ${SECRET}`);
  const models = await client.models.list();
  assert.deepEqual(
    models.data.map(({ id }) => id),
    ['m'],
  );
});

test('@anthropic-ai/sdk streams a message', async () => {
  const event = (type: string, value: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`;
  answerEvents('/v1/messages', ({ headers }) => [
    event('message_start', {
      message: {
        ...{ id: 'm', type: 'message', role: 'assistant', model: 'claude', content: [] },
        ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
      },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('content_block_delta', {
      ...{ index: 0, delta: { type: 'text_delta', text: `It is ${headers['x-api-key']}` } },
    }),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      ...{ delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 2 } },
    }),
    event('message_stop', {}),
  ]);
  const client = new Anthropic({ apiKey: KEY, baseURL: baseUrl('anthropic'), maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Key?' }];
  const stream = client.messages.stream({ model: 'claude', max_tokens: 9, messages });
  assert.equal(await stream.finalText(), 'It is [REDACTED]');
  assert.equal(last().headers['x-api-key'], SECRET);
});

test('@octokit/rest reads and writes', async () => {
  answerJson('/repos/o/r', () => ({ full_name: 'o/r' }));
  answerJson('/repos/o/r/issues', ({ body }) => ({ number: 1, ...JSON.parse(body) }));
  const client = new Octokit({ auth: KEY, baseUrl: baseUrl('github') });
  const { data } = await client.repos.get({ owner: 'o', repo: 'r' });
  assert.equal(data.full_name, 'o/r');
  const created = await client.issues.create({ owner: 'o', repo: 'r', title: 'T' });
  assert.deepEqual([created.data.number, created.data.title], [1, 'T']);
  assert.equal(last().headers.authorization, `token ${SECRET}`);
});

test('stripe posts a form and reads a list', async () => {
  answerJson('/v1/customers', ({ body, method }) =>
    method === 'POST'
      ? { id: 'cus_1', object: 'customer', name: new URLSearchParams(body).get('name') }
      : {
          object: 'list',
          url: '/v1/customers',
          has_more: false,
          data: [{ id: 'cus_1', object: 'customer' }],
        },
  );
  const { hostname, port } = new URL(door.gateway.url);
  const client = new Stripe(KEY, {
    ...{ host: hostname, port, protocol: 'http', maxNetworkRetries: 0 },
    httpClient: Stripe.createFetchHttpClient((url: string | URL | Request, init?: RequestInit) =>
      fetch(String(url).replace('/v1/', '/via/stripe/v1/'), init),
    ),
  });
  const customer = await client.customers.create({ name: 'Ann B' });
  assert.deepEqual([customer.id, customer.name], ['cus_1', 'Ann B']);
  const list = await client.customers.list();
  assert.deepEqual(
    list.data.map(({ id }) => id),
    ['cus_1'],
  );
  assert.equal(last().headers.authorization, `Bearer ${SECRET}`);
});

test('@google/genai generates and streams', async () => {
  const said = (text: string) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
  });
  answerJson('/v1beta/models/g:generateContent', ({ headers }) =>
    said(`It is ${headers['x-goog-api-key']}`),
  );
  answerEvents('/v1beta/models/g:streamGenerateContent', () =>
    ['a', 'b'].map((text) => `data: ${JSON.stringify(said(text))}\r\n\r\n`),
  );
  const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: baseUrl('gemini') } });
  const answer = await client.models.generateContent({ model: 'g', contents: 'Key?' });
  assert.equal(answer.text, 'It is [REDACTED]');
  assert.equal(last().headers['x-goog-api-key'], SECRET);
  let streamed = '';
  for await (const part of await client.models.generateContentStream({ model: 'g', contents: 'x' }))
    streamed += part.text;
  assert.equal(streamed, 'ab');
});

test('curl sends a file', async () => {
  answerJson('/files', ({ body, method }) => ({ method, length: body.length }));
  const file = join(directory, 'file.txt');
  writeFileSync(file, 'x'.repeat(200_000));
  const { stdout } = await run('curl', [
    ...['-sS', '--fail', '-u', `${KEY}:`, '-H', 'Expect: 100-continue'],
    ...['--data-binary', `@${file}`, `${baseUrl('openai')}/files`],
  ]);
  assert.deepEqual(JSON.parse(stdout), { method: 'POST', length: 200_000 });
});

test('git clones and pushes with the key as its password', async () => {
  const bare = join(directory, 'repo.git');
  const work = join(directory, 'work');
  const copy = join(directory, 'copy');
  const env = {
    ...process.env,
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_GLOBAL: '/dev/null',
    HOME: directory,
  };
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@b.invalid'];
  mkdirSync(work);
  await run('git', ['init', '-q', '--bare', '-b', 'main', bare], { env });
  await run('git', ['-C', bare, 'config', 'http.receivepack', 'true'], { env });
  await run('git', ['init', '-q', '-b', 'main', work], { env });
  writeFileSync(join(work, 'a.txt'), 'first\n');
  await run('git', ['-C', work, 'add', '.'], { env });
  await run('git', [...author, '-C', work, 'commit', '-qm', 'first'], { env });
  await run('git', ['-C', work, 'push', '-q', bare, 'main'], { env });

  const url = new URL(`${baseUrl('git')}/repo.git`);
  url.username = 'x';
  url.password = KEY;
  await run('git', ['clone', '-q', url.href, copy], { env });
  assert.equal(readFileSync(join(copy, 'a.txt'), 'utf8'), 'first\n');
  writeFileSync(join(copy, 'b.txt'), 'second\n');
  await run('git', ['-C', copy, 'add', '.'], { env });
  await run('git', [...author, '-C', copy, 'commit', '-qm', 'second'], { env });
  await run('git', ['-C', copy, 'push', '-q', 'origin', 'main'], { env });
  const { stdout } = await run('git', ['-C', bare, 'log', '--format=%s', 'main'], { env });
  assert.equal(stdout, 'second\nfirst\n');
});

test('after all this the log has no internal error, no key and no secret', () => {
  const log = door.gateway.stdout();
  assert.doesNotMatch(log, /internal_error/);
  for (const value of [KEY, SECRET]) assert.ok(!log.includes(value));
});
