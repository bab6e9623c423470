import { timingSafeEqual } from 'node:crypto';

/** Compares two texts in constant time (CWE-208); a differing length is not hidden. */
export function isSameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
