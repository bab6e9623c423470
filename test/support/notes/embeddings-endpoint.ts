/** An HTTP server with the shape of OpenAI's embeddings, and the ways in which such servers fail. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cleaner } from '../programs/cleaner.ts';

export type Embed = (text: string, model: string) => Promise<readonly number[] | Float32Array>;
/** Answers instead of the model; returns false to let the model answer after all. */
export type Fault = (
  response: ServerResponse,
  asked: Asked,
  embedded: () => Promise<number[][]>,
) => unknown;

export interface Asked {
  readonly model: string;
  readonly input: readonly string[];
  readonly authorization: string | undefined;
}

export interface Endpoint {
  /** The base URL. */
  readonly url: string;
  readonly asked: Asked[];
  /** The texts of all requests. */
  texts(): string[];
  /** Each request takes the first and removes it. */
  readonly faults: Fault[];
  /** Resolves when so many requests have come. */
  reached(requests: number): Promise<void>;
}

export async function embeddingsEndpoint(
  context: Cleaner,
  embed: Embed = async (text) => bagOfWords(text),
): Promise<Endpoint> {
  const asked: Asked[] = [];
  const faults: Fault[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (request.method !== 'POST' || request.url !== '/v1/embeddings') {
      response.writeHead(404).end();
      return;
    }
    const one = { ...readAsked(request, chunks) };
    asked.push(one);
    for (const resume of waiting) resume();
    const embedded = async () => {
      const vectors: number[][] = [];
      for (const text of one.input) vectors.push([...(await embed(text, one.model))]);
      return vectors;
    };
    const fault = faults.shift();
    if (fault && fault(response, one, embedded) !== false) return;
    answer(response, one.model, await embedded());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    faults,
    texts: () => asked.flatMap(({ input }) => input),
    reached: async (requests) => {
      while (asked.length < requests) {
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    },
  };
}

function readAsked(request: IncomingMessage, chunks: readonly Buffer[]): Asked {
  const { model, input } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  return { model, input, authorization: request.headers.authorization };
}

export function answer(
  response: ServerResponse,
  model: string,
  vectors: readonly (readonly unknown[])[],
): void {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  const usage = { prompt_tokens: 1, total_tokens: 1 };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ object: 'list', data, model, usage }));
}

export function refuse(status: number, headers: Record<string, string> = {}): Fault {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message: `made to fail with ${status}` } }));
  };
}

const DIMENSIONS = 64;

/** Texts with common words are near each other; `feline` is taken for `cat`. */
export function bagOfWords(text: string, dimensions = DIMENSIONS): number[] {
  const vector = new Array<number>(dimensions).fill(0.01);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    let hash = 7;
    for (const character of SYNONYMS[word] ?? word) {
      hash = (hash * 31 + character.codePointAt(0)!) % 1_000_003;
    }
    vector[hash % dimensions]! += 1;
  }
  return vector;
}

const SYNONYMS: Record<string, string> = { feline: 'cat', felines: 'cat', cats: 'cat' };
