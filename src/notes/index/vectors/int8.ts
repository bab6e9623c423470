/** Vectors as one byte per dimension. Only the direction counts, so the longest value becomes 127. */

const MAX = 127;

export function toInt8(vector: Float32Array): Int8Array {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  return Int8Array.from(vector, (value) => Math.round((value / largest) * MAX));
}
