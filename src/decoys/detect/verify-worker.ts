/**
 * The thread that searches requests for honeytokens: cryptography, decoding and inflating, as far as
 * strangers can cause them. It answers a batch of jobs at once, in their order.
 *
 * Repeats are counted, not told: whoever sends one token a million times writes no million lines.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { TokenReader } from '../tokens/token-reader.ts';
import { codingOf, inflate } from './inflate.ts';
import { isOwnSession } from './own-session.ts';
import { RepeatedUses } from './repeated-uses.ts';
import { partsOf } from './request-parts.ts';
import { type Part, type Sighting, search } from './search.ts';
import { type Credentials, MAX_BODY_SEARCHED } from './search-queue.ts';
import type { BatchResult, CredentialsBatch, JobBatch, VerifierData } from './verifier.ts';

const { keys, site, room } = workerData as VerifierData;
const reader = new TokenReader(keys);
const repeated = new RepeatedUses();
const bytes = Buffer.from(room);

/** Whose request it is, see `Job`. */
type Asked = Pick<Credentials, 'id' | 'source' | 'mcpClient'>;

/** What a batch holds, as far as it was searched. */
class Findings {
  readonly #nowMs: number;
  readonly #found: [number, readonly Sighting[]][] = [];
  readonly #dirty: number[] = [];
  #repeats = 0;
  #uncheckedCandidates = 0;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  add({ id, source, mcpClient }: Asked, parts: readonly Part[]): void {
    const { sightings, uncheckedCandidates } = search(parts, reader, this.#nowMs);
    this.#uncheckedCandidates += uncheckedCandidates;
    if (sightings.length === 0) return;
    this.#dirty.push(id);
    const uses = sightings.filter((sighting) => !isOwnSession(sighting, parts, site, mcpClient));
    const fresh = uses.filter((sighting) => repeated.isFresh(sighting, source, this.#nowMs));
    this.#repeats += uses.length - fresh.length;
    if (fresh.length > 0) this.#found.push([id, fresh]);
  }

  tell(isOfCredentials: boolean): void {
    parentPort?.postMessage({
      isOfCredentials,
      found: this.#found,
      dirty: this.#dirty,
      repeats: this.#repeats,
      uncheckedCandidates: this.#uncheckedCandidates,
    } satisfies BatchResult);
  }
}

async function searchJobs(batch: JobBatch): Promise<void> {
  const { nowMs, ids, offsets, headLengths, bodyLengths, codings, sources, mcpClients } = batch;
  const findings = new Findings(nowMs);
  for (const [at, id] of ids.entries()) {
    searchWaitingCredentials();
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
    findings.add({ id, source: sources[at]!, mcpClient: mcpClients[at] }, parts);
  }
  findings.tell(false);
}

function searchCredentials({ nowMs, credentials }: CredentialsBatch): void {
  const findings = new Findings(nowMs);
  for (const asked of credentials) findings.add(asked, partsOf(asked.head));
  findings.tell(true);
}

/** While jobs are searched, nothing but credentials comes. */
function searchWaitingCredentials(): void {
  const received = receiveMessageOnPort(parentPort!);
  if (received) searchCredentials(received.message);
}

parentPort?.on('message', async (batch: JobBatch | CredentialsBatch) => {
  if ('credentials' in batch) searchCredentials(batch);
  else await searchJobs(batch);
});
