/**
 * What Ollama and vLLM answer beside their lists: versions, details, chats, completions and embeddings. A
 * client gets a short canned completion, in pieces where it wants them. What people try to use a stolen
 * model for is told: the prompt by the standalone decoys, elsewhere its length and hash alone.
 */
import { hash } from 'node:crypto';
import { maskedBeginning } from '../../core/honeytokens/mask.ts';
import type { Fields } from '../../core/log/log.ts';
import { type Answer, jsonAnswer } from '../kit/answer.ts';
import { VULNERABILITY_SCAN } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind, Kit } from '../kit/decoy.ts';
import { completionOf, countTokensOf, embeddingOf, tokensOf } from '../kit/inference.ts';
import {
  type Json,
  methodNotAllowed,
  ollamaProblem,
  ollamaRefusal,
  parseAsGo,
  vllmBadJson,
  vllmRefusal,
} from '../kit/model-errors.ts';
import { isoWithNanos, showModel } from '../kit/ollama-answers.ts';
import type { LocalModel } from '../persona/persona-models.ts';

const TAG = 'model-inference';
const OLLAMA_TYPE = 'application/json; charset=utf-8';
const MAX_PROMPT = 512;
const MAX_NAME = 128;
/** Numbers of all embeddings of one answer. */
const MAX_NUMBERS = 16_384;

/** What Ollama calls the body of each path, which its errors name. */
const STRUCTS: Readonly<Record<string, string>> = {
  '/api/show': 'ShowRequest',
  '/api/chat': 'ChatRequest',
  '/api/generate': 'GenerateRequest',
  '/api/embed': 'EmbedRequest',
  '/api/embeddings': 'EmbeddingRequest',
};
/** These look for a model without a name; the others ask for one. */
const LOOKS_FOR_ANY = ['/api/generate', '/api/embed'];

export const modelInference: Kind = {
  tag: TAG,
  category: 'service-discovery',
  intention: 'use models at the cost of others',
  technique: VULNERABILITY_SCAN,
  references: ['https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html'],
  corpus: [
    {
      target: '/api/show',
      method: 'POST',
      body: '{"model":"no-such-model"}',
      status: 404,
      expect: /^\{"error":"model 'no-such-model' not found"\}$/,
    },
  ],
  create,
};

function create(kit: Kit): Decoy {
  const { draw, persona, site, now } = kit;
  const { local, served } = persona.models;
  const isModelServer = persona.server === 'ollama' || persona.server === 'vllm';
  const posts: Readonly<Record<string, (body: string) => Answer>> = {
    '/api/show': ollama('/api/show', (model) => jsonAnswer(showModel(model, persona), OLLAMA_TYPE)),
    '/api/chat': ollama('/api/chat', (model, asked) =>
      ollamaText(model, asked, promptOf(asked), true),
    ),
    '/api/generate': ollama('/api/generate', (model, asked) =>
      ollamaText(model, asked, promptOf(asked), false),
    ),
    '/api/embed': ollama('/api/embed', (model, asked) => ollamaEmbeddings(model, asked)),
    '/api/embeddings': ollama('/api/embeddings', (model, asked) =>
      jsonAnswer(
        { embedding: embeddingOf(draw, promptOf(asked), model.embeddingLength) },
        OLLAMA_TYPE,
      ),
    ),
    '/v1/chat/completions': openai((id, asked) => openaiText(id, asked, true)),
    '/v1/completions': openai((id, asked) => openaiText(id, asked, false)),
    '/v1/embeddings': openai(openaiEmbeddings),
  };
  return {
    methods: ['GET', 'POST'],
    match: ({ method, path }) => {
      if (method === 'POST') {
        const answer = Object.hasOwn(posts, path) ? posts[path] : undefined;
        return answer && { tag: TAG, readsBody: true, answer };
      }
      if (Object.hasOwn(posts, path) && isModelServer) {
        return { tag: TAG, answer: () => methodNotAllowed(persona.server) };
      }
      const value = persona.server === 'vllm' ? OF_VLLM(persona.vllmVersion)[path] : undefined;
      if (value !== undefined) return { tag: TAG, answer: () => jsonAnswer(value) };
      if (path === '/api/version') {
        const version = { version: persona.ollamaVersion };
        return { tag: TAG, answer: () => jsonAnswer(version, OLLAMA_TYPE) };
      }
      // An honest monitor may ask a gateway or a notes server for it.
      if (path !== '/health' || site !== 'decoys') return undefined;
      return { tag: TAG, answer: () => ({ status: 200, headers: [], body: '', honeytokens: 0 }) };
    },
  };

  function ollama(
    path: string,
    answer: (model: LocalModel, asked: Json) => Answer,
  ): (body: string) => Answer {
    return (body) => {
      const parsed = parseAsGo(body, STRUCTS[path]!);
      if ('problem' in parsed) return ollamaProblem(400, parsed.problem);
      const { asked } = parsed;
      const name = text(asked.model ?? asked.name);
      if (name === '' && !LOOKS_FOR_ANY.includes(path)) {
        return ollamaProblem(400, 'model is required');
      }
      const wanted = name.includes(':') ? name : `${name}:latest`;
      const model = local.find((known) => known.name === wanted);
      const found = model
        ? answer(model, asked)
        : ollamaProblem(404, `model '${name.slice(0, MAX_NAME)}' not found`);
      return { ...found, facts: factsOf(name, promptOf(asked)) };
    };
  }

  function openai(answer: (id: string, asked: Json) => Answer): (body: string) => Answer {
    return (body) => {
      const isOllama = persona.server === 'ollama';
      const parsed = parseAsGo(body, 'ChatRequest');
      if ('problem' in parsed) {
        const { problem } = parsed;
        return isOllama ? ollamaRefusal(400, problem) : vllmBadJson(persona.vllmVersion, body);
      }
      const { asked } = parsed;
      const id = text(asked.model) || (isOllama ? '' : (served[0]?.id ?? ''));
      const isKnown =
        served.some((model) => model.id === id) || local.some(({ name }) => name === id);
      const found = isKnown ? answer(id, asked) : noSuchModel(id.slice(0, MAX_NAME), isOllama);
      return { ...found, facts: factsOf(id, promptOf(asked)) };
    };
  }

  function noSuchModel(id: string, isOllama: boolean): Answer {
    if (isOllama) return ollamaRefusal(404, `model '${id}' not found`);
    const message = `The model \`${id}\` does not exist.`;
    return vllmRefusal(persona.vllmVersion, 404, 'NotFoundError', message);
  }

  function ollamaText(model: LocalModel, asked: Json, prompt: string, isChat: boolean): Answer {
    const whole = completionOf(draw, prompt);
    const base = { model: model.name, created_at: isoWithNanos(now(), model.modifiedNanos) };
    const part = (content: string) =>
      isChat ? { message: { role: 'assistant', content } } : { response: content };
    const pieces = tokensOf(whole);
    const durations = durationsOf(prompt, pieces.length);
    const end = { done: true, done_reason: 'stop', ...durations };
    if (asked.stream === false) return jsonAnswer({ ...base, ...part(whole), ...end }, OLLAMA_TYPE);
    const chunks = pieces.map(
      (piece) => `${JSON.stringify({ ...base, ...part(piece), done: false })}\n`,
    );
    chunks.push(`${JSON.stringify({ ...base, ...part(''), ...end })}\n`);
    return streamed('application/x-ndjson', chunks);
  }

  function durationsOf(prompt: string, count: number): object {
    const perToken = 11_000_000 + draw.number('time of a token', 40_000_000);
    const load = 20_000_000 + draw.number(`load ${hash('sha256', prompt)}`, 60_000_000);
    const prompted = countTokensOf(prompt) + 8;
    return {
      total_duration: load + perToken * (count + 2),
      load_duration: load,
      prompt_eval_count: prompted,
      prompt_eval_duration: perToken * 2,
      eval_count: count,
      eval_duration: perToken * count,
    };
  }

  function ollamaEmbeddings(model: LocalModel, asked: Json): Answer {
    const inputs = inputsOf(asked);
    const fits = inputs.slice(0, Math.max(1, Math.floor(MAX_NUMBERS / model.embeddingLength)));
    const embeddings = fits.map((input) => embeddingOf(draw, input, model.embeddingLength));
    const count = inputs.reduce((sum, input) => sum + countTokensOf(input), 0);
    const times = { total_duration: 41_000_000 + count * 90_000, load_duration: 2_100_000 };
    return jsonAnswer(
      { model: model.name, embeddings, ...times, prompt_eval_count: count },
      OLLAMA_TYPE,
    );
  }

  function openaiText(model: string, asked: Json, isChat: boolean): Answer {
    const prompt = promptOf(asked);
    const content = completionOf(draw, prompt);
    const created = Math.floor(now() / 1000);
    const prefix = isChat ? 'chatcmpl-' : 'cmpl-';
    const id = prefix + draw.hex(`completion ${created} ${hash('sha256', prompt)}`, 32);
    const usage = usageOf(prompt, content);
    const ended = { logprobs: null, finish_reason: 'stop', stop_reason: null };
    if (asked.stream === true) {
      const object = isChat ? 'chat.completion.chunk' : 'text_completion';
      const event = (choice: object) =>
        `data: ${JSON.stringify({ id, object, created, model, choices: [{ index: 0, ...choice }] })}\n\n`;
      const open = { logprobs: null, finish_reason: null };
      const pieces = tokensOf(content).map((piece) =>
        event(isChat ? { delta: { content: piece }, ...open } : { text: piece, ...open }),
      );
      const first = isChat ? [event({ delta: { role: 'assistant', content: '' }, ...open })] : [];
      const last = event(isChat ? { delta: { content: '' }, ...ended } : { text: '', ...ended });
      return streamed('text/event-stream; charset=utf-8', [
        ...first,
        ...pieces,
        last,
        'data: [DONE]\n\n',
      ]);
    }
    const choice = isChat
      ? { index: 0, message: { role: 'assistant', content, tool_calls: [] }, ...ended }
      : { index: 0, text: content, ...ended, prompt_logprobs: null };
    const object = isChat ? 'chat.completion' : 'text_completion';
    return jsonAnswer({ id, object, created, model, choices: [choice], usage });
  }

  function openaiEmbeddings(model: string, asked: Json): Answer {
    const size = served.find(({ id }) => id === model)?.embeddingLength ?? 4_096;
    const inputs = inputsOf(asked);
    const fits = inputs.slice(0, Math.max(1, Math.floor(MAX_NUMBERS / size)));
    const data = fits.map((input, index) => {
      const numbers = embeddingOf(draw, input, size);
      const embedding = asked.encoding_format === 'base64' ? base64Of(numbers) : numbers;
      return { index, object: 'embedding', embedding };
    });
    const created = Math.floor(now() / 1000);
    const id = `embd-${draw.hex(`embedding ${created}`, 32)}`;
    const usage = usageOf(inputs.join(' '), '');
    return jsonAnswer({ id, object: 'list', created, model, data, usage });
  }

  /** Document bodies are no business of the programs that mount decoys. */
  function factsOf(model: string, prompt: string): Fields {
    return {
      'llm.model': maskedBeginning(model, MAX_NAME),
      ...(prompt !== '' && {
        'llm.prompt.length': prompt.length,
        'llm.prompt.hash': hash('sha256', prompt),
        ...(site === 'decoys' && { 'llm.prompt': maskedBeginning(prompt, MAX_PROMPT) }),
      }),
    };
  }
}

function usageOf(prompt: string, content: string): object {
  const prompted = countTokensOf(prompt) + 8;
  const completed = content === '' ? 0 : countTokensOf(content);
  return {
    prompt_tokens: prompted,
    total_tokens: prompted + completed,
    completion_tokens: completed,
    prompt_tokens_details: null,
  };
}

function streamed(type: string, chunks: readonly string[]): Answer {
  const headers = ['Content-Type', type];
  return { status: 200, headers, body: '', honeytokens: 0, stream: { chunks } };
}

/** What vLLM tells beside its models. */
const OF_VLLM = (version: string): Readonly<Record<string, object | undefined>> => ({
  '/version': { version },
  '/load': { server_load: 0 },
});

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What is asked: the last message, the prompt, or the input. */
function promptOf(asked: Json): string {
  const { messages, prompt, input } = asked;
  if (Array.isArray(messages)) {
    const last = messages.at(-1) as { content?: unknown } | undefined;
    const content = last?.content;
    if (!Array.isArray(content)) return text(content);
    return content.map((part) => text((part as { text?: unknown } | null)?.text)).join('\n');
  }
  if (prompt !== undefined)
    return Array.isArray(prompt) ? prompt.map(text).join('\n') : text(prompt);
  return inputsOf({ input }).join('\n');
}

function inputsOf({ input }: Json): string[] {
  return Array.isArray(input) ? input.map(text) : [text(input)];
}

/** As four bytes each, little-endian. */
function base64Of(numbers: readonly number[]): string {
  const floats = Float32Array.from(numbers);
  return Buffer.from(floats.buffer).toString('base64');
}
