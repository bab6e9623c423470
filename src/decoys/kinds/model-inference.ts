/**
 * What Ollama and vLLM answer beside their lists: versions, details, chats, completions and embeddings. A
 * client gets a short canned completion, in pieces where it wants them. What people try to use a stolen
 * model for is told: the prompt by the standalone decoys, elsewhere its length and hash alone.
 */
import { hash } from 'node:crypto';
import { maskedBeginning } from '../../core/honeytokens/mask.ts';
import type { Fields } from '../../core/log/log.ts';
import { type Answer, JSON_TYPE, jsonAnswer } from '../kit/answer.ts';
import { VULNERABILITY_SCAN } from '../kit/catalogue-entry.ts';
import type { Decoy, Kind, Kit } from '../kit/decoy.ts';
import { completionOf, countTokensOf, embeddingOf, tokensOf } from '../kit/inference.ts';
import { isoWithNanos, showModel } from '../kit/ollama-answers.ts';
import type { LocalModel } from '../persona/persona-models.ts';

const TAG = 'model-inference';
const OLLAMA_TYPE = 'application/json; charset=utf-8';
const MAX_PROMPT = 512;
const MAX_NAME = 128;
/** Numbers of all embeddings of one answer. */
const MAX_NUMBERS = 16_384;

type Json = Readonly<Record<string, unknown>>;

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
  const posts: Readonly<Record<string, (body: string) => Answer>> = {
    '/api/show': ollama((model) => jsonAnswer(showModel(model, persona), OLLAMA_TYPE)),
    '/api/chat': ollama((model, asked) => ollamaText(model, asked, promptOf(asked), true)),
    '/api/generate': ollama((model, asked) => ollamaText(model, asked, promptOf(asked), false)),
    '/api/embed': ollama((model, asked) => ollamaEmbeddings(model, asked)),
    '/api/embeddings': ollama((model, asked) =>
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
      if (path === '/api/version') {
        const version = { version: persona.ollamaVersion };
        return { tag: TAG, answer: () => jsonAnswer(version, OLLAMA_TYPE) };
      }
      // An honest monitor may ask a gateway or a notes server for it.
      if (path !== '/health' || site !== 'decoys') return undefined;
      return { tag: TAG, answer: () => ({ status: 200, headers: [], body: '', honeytokens: 0 }) };
    },
  };

  function ollama(answer: (model: LocalModel, asked: Json) => Answer): (body: string) => Answer {
    return (body) => {
      const asked = parse(body);
      if (asked === undefined) return problem(400, { error: 'invalid JSON in request body' });
      const name = text(asked.model ?? asked.name);
      if (name === '') return problem(400, { error: 'model is required' });
      const wanted = name.includes(':') ? name : `${name}:latest`;
      const model = local.find((known) => known.name === wanted);
      const found = model
        ? answer(model, asked)
        : problem(404, { error: `model '${name.slice(0, MAX_NAME)}' not found` });
      return { ...found, facts: factsOf(name, promptOf(asked)) };
    };
  }

  function openai(answer: (id: string, asked: Json) => Answer): (body: string) => Answer {
    return (body) => {
      const asked = parse(body);
      if (asked === undefined)
        return refusal(400, 'BadRequestError', 'There was an error parsing the body');
      const id = text(asked.model) || (served[0]?.id ?? '');
      const isKnown =
        served.some((model) => model.id === id) || local.some(({ name }) => name === id);
      const found = isKnown
        ? answer(id, asked)
        : refusal(404, 'NotFoundError', `The model \`${id.slice(0, MAX_NAME)}\` does not exist.`);
      return { ...found, facts: factsOf(id, promptOf(asked)) };
    };
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

function problem(status: number, value: object): Answer {
  return { ...jsonAnswer(value, OLLAMA_TYPE), status };
}

function refusal(status: number, type: string, message: string): Answer {
  const error = { object: 'error', message, type, param: null, code: status };
  return { ...jsonAnswer(error, JSON_TYPE), status };
}

function parse(body: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

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
