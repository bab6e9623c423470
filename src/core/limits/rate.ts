/**
 * Rate limits such as `10/m`, by token buckets. A bucket holds `count` tokens and refills continuously,
 * `count` per period. The store keeps the buckets.
 */
const PERIOD_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };
const FORM = /^([1-9]\d{0,8})\/([smh])$/;

export const RATE_FORM = 'a rate such as "10/s", "60/m" or "1000/h"';

export interface Rate {
  readonly count: number;
  readonly periodMs: number;
  /** The text it was read from, as `list_targets` shows it. */
  readonly text: string;
}

export interface Bucket {
  tokens: number;
  /** When `tokens` was true, in milliseconds. */
  at: number;
}

export type Take = { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number };

export function parseRate(text: string): Rate | undefined {
  const match = FORM.exec(text);
  if (!match) return undefined;
  return { count: Number(match[1]), periodMs: PERIOD_MS[match[2]!]!, text };
}

export function fullBucket(rate: Rate, now: number): Bucket {
  return { tokens: rate.count, at: now };
}

/** The bucket after a change of its rate, with no more tokens than before. */
export function rebased(bucket: Bucket, from: Rate, to: Rate, now: number): Bucket {
  refill(bucket, from, now);
  return { tokens: Math.min(to.count, bucket.tokens), at: bucket.at };
}

/** Takes one token if there is one; refills first. Changes the bucket in place. */
export function takeFrom(bucket: Bucket, rate: Rate, now: number): Take {
  refill(bucket, rate, now);
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return { ok: true };
  }
  return { ok: false, retryAfterMs: Math.ceil((1 - bucket.tokens) * (rate.periodMs / rate.count)) };
}

/** Returns a token; the bucket holds at most `count`. */
export function returnTo(bucket: Bucket, rate: Rate, now: number): void {
  refill(bucket, rate, now);
  bucket.tokens = Math.min(rate.count, bucket.tokens + 1);
}

/** Whether the bucket equals a new one, so that it can be dropped. */
export function isFull(bucket: Bucket, rate: Rate, now: number): boolean {
  refill(bucket, rate, now);
  return bucket.tokens >= rate.count;
}

function refill(bucket: Bucket, rate: Rate, now: number): void {
  const elapsed = Math.max(0, now - bucket.at);
  bucket.tokens = Math.min(rate.count, bucket.tokens + (elapsed * rate.count) / rate.periodMs);
  bucket.at = Math.max(bucket.at, now);
}
