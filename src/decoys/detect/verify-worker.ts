/**
 * The thread that searches requests for honeytokens: cryptography, decoding and inflating, as far as
 * strangers can cause them. It answers a batch of jobs at once, in their order.
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
import { type Credentials, MAX_BODY_SEARCHED } from './search-queue.ts';
import type { Batch, BatchResult, VerifierData } from './verifier.ts';

const { keys, site, room } = workerData as VerifierData;
const reader = new TokenReader(keys);
const repeated = new RepeatedUses();
const bytes = Buffer.from(room);

/** Whose request it is, see `Job`. */
type Asked = Pick<Credentials, 'id' | 'source' | 'mcpClient'>;

async function answer(batch: Batch): Promise<BatchResult> {
  const { nowMs, credentials, ids, offsets, headLengths, bodyLengths, codings } = batch;
  const found: [number, readonly Sighting[]][] = [];
  const dirty: number[] = [];
  let repeats = 0;
  let uncheckedCandidates = 0;
  const judge = (asked: Asked, parts: readonly Part[]): void => {
    const { id, source, mcpClient } = asked;
    const findings = search(parts, reader, nowMs);
    uncheckedCandidates += findings.uncheckedCandidates;
    if (findings.sightings.length === 0) return;
    dirty.push(id);
    const uses = findings.sightings.filter(
      (sighting) => !isOwnSession(sighting, parts, site, mcpClient),
    );
    const fresh = uses.filter((sighting) => repeated.isFresh(sighting, source, nowMs));
    repeats += uses.length - fresh.length;
    if (fresh.length > 0) found.push([id, fresh]);
  };
  for (const asked of credentials) judge(asked, partsOf(asked.head));
  for (const [at, id] of ids.entries()) {
    const bodyAt = offsets[at]! + headLengths[at]!;
    const bodyLength = bodyLengths[at]!;
    const parts: Part[] = partsOf(bytes.toString('latin1', offsets[at]!, bodyAt));
    if (bodyLength > 0) {
      const body = bytes.subarray(bodyAt, bodyAt + bodyLength);
      parts.push({ where: 'body', text: body.toString('latin1') });
      const encoding = codingOf(codings[at], body);
      if (encoding !== undefined) {
        // The room may be written anew while the inflating goes on.
        const plain = await inflate(Buffer.from(body), encoding, MAX_BODY_SEARCHED);
        parts.push({ where: 'body', text: plain.toString('latin1') });
      }
    }
    judge({ id, source: batch.sources[at]!, mcpClient: batch.mcpClients[at] }, parts);
  }
  return { found, dirty, repeats, uncheckedCandidates };
}

parentPort?.on('message', async (batch: Batch) => {
  parentPort?.postMessage(await answer(batch));
});
