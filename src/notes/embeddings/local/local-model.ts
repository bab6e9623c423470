/**
 * Runs a sentence encoder on one thread: tokens, model, mean of the token vectors, length 1. One text
 * at a time, so that nothing is padded and a vector does not depend on its neighbours.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bertModel } from './bert-model.ts';
import { entryUrl, RUNTIME, TOKENIZERS, WEIGHTS } from './optional-packages.ts';

/** What is used of `onnxruntime-node`. */
interface Runtime {
  readonly InferenceSession: {
    create(model: Uint8Array, options: object): Promise<Session>;
  };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, shape: readonly number[]) => unknown;
}

interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(inputs: Record<string, unknown>): Promise<Record<string, Output>>;
}

interface Output {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

interface TokenizerModule {
  readonly Tokenizer: new (definition: object, config: object) => Tokenizer;
}

interface Tokenizer {
  encode(text: string): { readonly ids: readonly number[] };
}

/** What the packages of weights export. */
interface Manifest {
  readonly id: string;
  readonly maxTokens: number;
  readonly weightsPath: string;
  readonly tokenizerPath: string;
  readonly configPath: string;
}

interface ModelFiles {
  readonly name: string;
  readonly model: Uint8Array;
  readonly tokenizer: object;
  readonly maxTokens: number;
}

/** The most that the models of this kind were trained for is 512; a mean over more says less. */
const MAX_TOKENS = 256;
const ONE_THREAD = { intraOpNumThreads: 1, interOpNumThreads: 1, executionMode: 'sequential' };

export class LocalModel {
  readonly name: string;
  readonly #runtime: Runtime;
  readonly #session: Session;
  readonly #tokenizer: Tokenizer;
  readonly #maxTokens: number;

  private constructor(files: ModelFiles, runtime: Runtime, session: Session, tokenizer: Tokenizer) {
    this.name = files.name;
    this.#maxTokens = files.maxTokens;
    this.#runtime = runtime;
    this.#session = session;
    this.#tokenizer = tokenizer;
  }

  /** The model of the optional package, or of a folder with `model.onnx` and `tokenizer.json`. */
  static async load(folder: string | undefined): Promise<LocalModel> {
    const files = folder === undefined ? await packagedModel() : modelIn(folder);
    const { default: runtime } = (await import(entryUrl(RUNTIME))) as { default: Runtime };
    const { Tokenizer } = (await import(entryUrl(TOKENIZERS))) as TokenizerModule;
    const session = await runtime.InferenceSession.create(files.model, ONE_THREAD);
    return new LocalModel(files, runtime, session, new Tokenizer(files.tokenizer, {}));
  }

  tokens(text: string): number[] {
    const ids = this.#tokenizer.encode(text).ids;
    if (ids.length <= this.#maxTokens) return [...ids];
    return [...ids.slice(0, this.#maxTokens - 1), ids.at(-1)!];
  }

  async embed(text: string): Promise<Float32Array> {
    const ids = this.tokens(text);
    const inputs = Object.fromEntries(
      this.#session.inputNames.map((name) => [name, this.#input(name, ids)]),
    );
    const outputs = await this.#session.run(inputs);
    const output = outputs[this.#session.outputNames.at(OUTPUT)!]!;
    return normalized(output.dims.length === 2 ? output.data : meanOf(output));
  }

  #input(name: string, ids: readonly number[]): unknown {
    const numberOf = INPUTS[name];
    if (numberOf === undefined) throw new Error(`the model wants ${name}, which is not known here`);
    const values = BigInt64Array.from(ids, (id, place) => BigInt(numberOf(id, place)));
    return new this.#runtime.Tensor('int64', values, [1, ids.length]);
  }
}

const OUTPUT = 0;
const INPUTS: Readonly<Record<string, (id: number, place: number) => number>> = {
  input_ids: (id) => id,
  attention_mask: () => 1,
  token_type_ids: () => 0,
  position_ids: (_, place) => place,
};

async function packagedModel(): Promise<ModelFiles> {
  const { default: manifest } = (await import(entryUrl(WEIGHTS))) as { default: Manifest };
  return {
    name: manifest.id,
    model: bertModel(
      readFileSync(manifest.weightsPath),
      JSON.parse(readFileSync(manifest.configPath, 'utf8')),
    ),
    tokenizer: readTokenizer(manifest.tokenizerPath),
    maxTokens: Math.min(manifest.maxTokens, MAX_TOKENS),
  };
}

/** Named by its content, too: another model may be put into the same folder. */
function modelIn(folder: string): ModelFiles {
  const model = readFileSync(join(folder, 'model.onnx'));
  const content = createHash('sha256').update(model).digest('hex').slice(0, 16);
  return {
    name: `${basename(folder)}-${content}`,
    model,
    tokenizer: readTokenizer(join(folder, 'tokenizer.json')),
    maxTokens: MAX_TOKENS,
  };
}

/** Padding and truncation are ours: the published file pads every text to 128 tokens. */
function readTokenizer(file: string): object {
  return { ...JSON.parse(readFileSync(file, 'utf8')), padding: null, truncation: null };
}

function meanOf({ data, dims }: Output): Float32Array {
  const width = dims.at(-1)!;
  const sum = new Float32Array(width);
  for (const [index, value] of data.entries()) sum[index % width]! += value;
  return sum;
}

function normalized(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
