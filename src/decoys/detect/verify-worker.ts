/**
 * The thread that searches requests for honeytokens: cryptography, decoding and inflating, as far as
 * strangers can cause them. Woken, it takes one request after the other, credentials before all else, until
 * nothing waits.
 *
 * Repeats are counted, not told: whoever sends one token a million times writes no million lines.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { TokenReader } from '../tokens/token-reader.ts';
import { codingOf, inflate } from './inflate.ts';
import { isOwnSession } from './own-session.ts';
import { RepeatedUses } from './repeated-uses.ts';
import { partsOf } from './request-parts.ts';
import { type Part, type Sighting, search } from './search.ts';
import { MAX_BODY_SEARCHED, QueueReader } from './search-queue.ts';
import type { Progress, VerifierData, WakeUp } from './verifier.ts';

/** In a flood, what was found and what was not searched. A message costs the main thread more than all else. */
const TELL_FOUND_MS = 20;
const TELL_MS = 1_000;

const { keys, site, rooms } = workerData as VerifierData;
const reader = new TokenReader(keys);
const repeated = new RepeatedUses();
const queues = rooms.map((room) => new QueueReader(room));

let found = queues.map(() => new Map<number, readonly Sighting[]>());
let hasFresh = false;
let repeats = 0;
let uncheckedCandidates = 0;

/** `nowMs` is the time of the main thread's clock. A flood may last. */
async function searchAll(nowMs: number): Promise<void> {
  const wokenMs = performance.now();
  let toldMs = wokenMs;
  for (;;) {
    const at = queues.findIndex((queue) => !queue.isEmpty);
    if (at < 0) break;
    await searchFirst(at, nowMs + performance.now() - wokenMs);
    if (performance.now() - toldMs < (hasFresh ? TELL_FOUND_MS : TELL_MS)) continue;
    tell(false);
    toldMs = performance.now();
  }
  tell(true);
}

async function searchFirst(at: number, nowMs: number): Promise<void> {
  const queue = queues[at]!;
  const { texts, body } = queue.first();
  const [source = '', mcpClient, coding, ...rest] = texts;
  const parts: Part[] = partsOf(rest);
  if (body.length > 0) parts.push(...(await partsOfBody(body, coding)));
  const { sightings, uncheckedCandidates: unchecked } = search(parts, reader, nowMs);
  uncheckedCandidates += unchecked;
  if (sightings.length > 0) {
    const client = mcpClient || undefined;
    const uses = sightings.filter((sighting) => !isOwnSession(sighting, parts, site, client));
    const fresh = uses.filter((sighting) => repeated.isFresh(sighting, source, nowMs));
    repeats += uses.length - fresh.length;
    hasFresh ||= fresh.length > 0;
    found[at]!.set(queue.number, fresh);
  }
  queue.next(sightings.length > 0);
}

async function partsOfBody(body: Buffer, coding: string | undefined): Promise<Part[]> {
  const part = { where: 'body', text: body.toString('latin1') };
  const encoding = codingOf(coding, body);
  if (encoding === undefined) return [part];
  const plain = await inflate(Buffer.from(body), encoding, MAX_BODY_SEARCHED);
  return [part, { where: 'body', text: plain.toString('latin1') }];
}

function tell(isDone: boolean): void {
  const progress: Progress = { isDone, found, repeats, uncheckedCandidates };
  parentPort?.postMessage(progress);
  found = queues.map(() => new Map());
  hasFresh = false;
  repeats = 0;
  uncheckedCandidates = 0;
}

parentPort?.on('message', ({ nowMs }: WakeUp) => searchAll(nowMs));
