/**
 * Writes ONNX models: the protocol buffers of a graph, as far as an encoder model needs them. Field
 * numbers are those of `onnx.proto3` (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3).
 */

export const FLOAT = 1;
export const INT64 = 7;
export const FLOAT16 = 10;

export type AttributeValue = number | readonly number[] | { readonly float: number };

export interface GraphValue {
  readonly name: string;
  readonly type: number;
  /** A name is a size that is known only when the model runs. */
  readonly shape: readonly (number | string)[];
}

const CONTRIBUTED = 'com.microsoft';
const IR_VERSION = 8;
const OPSET = 17;

export class OnnxGraph {
  readonly #nodes: Piece[] = [];
  readonly #weights: Piece[] = [];
  #names = 0;

  /** A constant; `bytes` are the elements in row order, little endian. */
  weight(shape: readonly number[], type: number, bytes: Uint8Array): string {
    const name = `w${this.#names++}`;
    const fields = [...shape.map((size) => integer(1, size)), integer(2, type), text(8, name)];
    this.#weights.push(message(5, [...fields, field(9, bytes)]));
    return name;
  }

  /** Adds an operator and returns the name of its output. */
  add(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, AttributeValue>> = {},
    output = `n${this.#names++}`,
  ): string {
    const values = Object.entries(attributes).map(([name, value]) => attribute(name, value));
    const domain = RUNTIME_OPERATORS.has(operator) ? [text(7, CONTRIBUTED)] : [];
    this.#nodes.push(
      message(1, [
        ...inputs.map((input) => text(1, input)),
        text(2, output),
        text(4, operator),
        ...values,
        ...domain,
      ]),
    );
    return output;
  }

  /** The model file. */
  encode(inputs: readonly GraphValue[], outputs: readonly GraphValue[]): Uint8Array {
    const graph = [
      ...this.#nodes,
      text(2, 'graph'),
      ...this.#weights,
      ...inputs.map((value) => valueInfo(11, value)),
      ...outputs.map((value) => valueInfo(12, value)),
    ];
    const opset = (domain: string, version: number) =>
      message(8, [text(1, domain), integer(2, version)]);
    const model = [
      integer(1, IR_VERSION),
      message(7, graph),
      opset('', OPSET),
      opset(CONTRIBUTED, 1),
    ];
    return Buffer.concat(model.flatMap(({ chunks }) => chunks));
  }
}

/** Operators of ONNX Runtime that join what the standard spells out in many small ones. */
const RUNTIME_OPERATORS = new Set(['Attention', 'BiasGelu', 'SkipLayerNormalization']);

/** Encoded fields. The chunks are joined once, because weights are large. */
interface Piece {
  readonly chunks: readonly Uint8Array[];
  readonly length: number;
}

function attribute(name: string, value: AttributeValue): Piece {
  if (typeof value === 'number') {
    return message(5, [text(1, name), integer(3, value), integer(20, 2)]);
  }
  if ('float' in value) {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value.float);
    const float = { chunks: [tag(2, 5), bytes], length: 1 + bytes.length };
    return message(5, [text(1, name), float, integer(20, 1)]);
  }
  return message(5, [text(1, name), ...value.map((item) => integer(8, item)), integer(20, 7)]);
}

function valueInfo(number: number, { name, type, shape }: GraphValue): Piece {
  const sizes = shape.map((size) =>
    message(1, [typeof size === 'number' ? integer(1, size) : text(2, size)]),
  );
  const tensor = message(1, [integer(1, type), message(2, sizes)]);
  return message(number, [text(1, name), message(2, [tensor])]);
}

function message(number: number, parts: readonly Piece[]): Piece {
  const chunks = parts.flatMap((part) => part.chunks);
  return delimited(
    number,
    chunks,
    parts.reduce((sum, part) => sum + part.length, 0),
  );
}

function text(number: number, value: string): Piece {
  return field(number, Buffer.from(value));
}

function field(number: number, bytes: Uint8Array): Piece {
  return delimited(number, [bytes], bytes.length);
}

function delimited(number: number, chunks: readonly Uint8Array[], length: number): Piece {
  const head = Buffer.concat([tag(number, 2), varint(length)]);
  return { chunks: [head, ...chunks], length: head.length + length };
}

function integer(number: number, value: number): Piece {
  const bytes = Buffer.concat([tag(number, 0), varint(value)]);
  return { chunks: [bytes], length: bytes.length };
}

function tag(number: number, wireType: number): Buffer {
  return varint(number * 8 + wireType);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
