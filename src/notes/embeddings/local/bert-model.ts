/**
 * Makes an ONNX model of BERT weights: the published weights are safetensors, and the runtime reads
 * ONNX. Weights stay in half precision until the runtime has loaded them; it computes in single
 * precision. One text at a time, so that no padding has to be masked.
 */
import { FLOAT, FLOAT16, INT64, OnnxGraph } from './onnx-graph.ts';
import { Safetensors } from './safetensors.ts';

export interface BertConfig {
  readonly hidden_size: number;
  readonly num_hidden_layers: number;
  readonly num_attention_heads: number;
  readonly layer_norm_eps: number;
}

/** Inputs `input_ids`, `token_type_ids`, `position_ids`; output `last_hidden_state`. */
export function bertModel(file: Buffer, config: BertConfig): Uint8Array {
  const weights = new Safetensors(file);
  const prefix =
    weights
      .names()
      .find((name) => name.endsWith(WORDS))
      ?.slice(0, -WORDS.length) ?? '';
  const graph = new OnnxGraph();
  const half = (name: string) => {
    const { shape, bytes } = weights.tensor(prefix + name);
    return graph.weight(shape, FLOAT16, bytes);
  };
  const single = (input: string) => graph.add('Cast', [input], { to: FLOAT });
  /** Stored as (outputs, inputs). */
  const matrix = (name: string) =>
    graph.add('Transpose', [single(half(`${name}.weight`))], { perm: [1, 0] });
  const vector = (name: string) => single(half(name));
  const looked = (table: string, ids: string) => single(graph.add('Gather', [half(table), ids]));
  const normalized = (a: string, b: string, name: string) =>
    graph.add('SkipLayerNormalization', [a, b, vector(`${name}.weight`), vector(`${name}.bias`)], {
      epsilon: { float: config.layer_norm_eps },
    });
  const dense = (input: string, name: string) =>
    graph.add('Add', [graph.add('MatMul', [input, matrix(name)]), vector(`${name}.bias`)]);

  const places = graph.add('Add', [
    looked('embeddings.position_embeddings.weight', 'position_ids'),
    looked('embeddings.token_type_embeddings.weight', 'token_type_ids'),
  ]);
  let hidden = normalized(looked(WORDS, 'input_ids'), places, 'embeddings.LayerNorm');
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const at = `encoder.layer.${layer}`;
    const parts = ['query', 'key', 'value'].map((part) => `${at}.attention.self.${part}`);
    const attention = graph.add(
      'Attention',
      [
        hidden,
        graph.add('Concat', parts.map(matrix), { axis: 1 }),
        graph.add(
          'Concat',
          parts.map((part) => vector(`${part}.bias`)),
          { axis: 0 },
        ),
      ],
      { num_heads: config.num_attention_heads },
    );
    const attended = normalized(
      dense(attention, `${at}.attention.output.dense`),
      hidden,
      `${at}.attention.output.LayerNorm`,
    );
    const wide = graph.add('BiasGelu', [
      graph.add('MatMul', [attended, matrix(`${at}.intermediate.dense`)]),
      vector(`${at}.intermediate.dense.bias`),
    ]);
    hidden = normalized(dense(wide, `${at}.output.dense`), attended, `${at}.output.LayerNorm`);
  }
  graph.add('Identity', [hidden], {}, 'last_hidden_state');
  const shape = ['texts', 'tokens'];
  return graph.encode(
    ['input_ids', 'token_type_ids', 'position_ids'].map((name) => ({ name, type: INT64, shape })),
    [{ name: 'last_hidden_state', type: FLOAT, shape: [...shape, config.hidden_size] }],
  );
}

const WORDS = 'embeddings.word_embeddings.weight';
