/** Reads the answer of an embeddings endpoint; whatever is wrong with it is one sentence. */
import { vectorProblem } from '../model/embedder.ts';

/** Longer vectors than any model gives. */
const MAX_DIMENSIONS = 8192;

/** The vectors in the order of the texts, or what is wrong. */
export function readEmbeddings(body: Buffer, count: number): Float32Array[] | string {
  let data: unknown;
  try {
    data = (JSON.parse(body.toString('utf8')) as { data?: unknown } | null)?.data;
  } catch {
    return 'the answer is not JSON';
  }
  if (!Array.isArray(data)) return 'the answer has no list "data"';
  if (data.length !== count) return `the answer has ${data.length} vectors for ${count} texts`;
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const [place, item] of data.entries()) {
    const { embedding, index = place } = (item ?? {}) as { embedding?: unknown; index?: unknown };
    const vector = vectorOf(embedding);
    if (typeof vector === 'string') return vector;
    if (typeof index !== 'number' || !(index in vectors) || vectors[index] !== undefined) {
      return 'the answer numbers its vectors wrongly';
    }
    if (vector.length !== (vectors.find((other) => other !== undefined) ?? vector).length) {
      return 'the vectors of one answer have different dimensions';
    }
    vectors[index] = vector;
  }
  return vectors as Float32Array[];
}

function vectorOf(embedding: unknown): Float32Array | string {
  if (!Array.isArray(embedding)) return 'a vector is not a list of numbers';
  if (embedding.length === 0 || embedding.length > MAX_DIMENSIONS) {
    return `a vector has ${embedding.length} dimensions`;
  }
  if (embedding.some((value) => typeof value !== 'number')) {
    return 'a vector holds a value that is not a finite number';
  }
  const vector = Float32Array.from(embedding);
  return vectorProblem(vector) ?? vector;
}
