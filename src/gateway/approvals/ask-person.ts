/**
 * How the person behind an MCP client is asked to open the approval page: by a request on the stream
 * of the call (2025-11-25), or by a multi round-trip result (2026-07-28). A client that accepts has
 * approved nothing: it reports that its user was shown the page.
 */
import { InputRequired, type Peer } from '../../mcp/elicitation/peer.ts';
import type { Refusal } from '../request/refusal.ts';

const MESSAGE =
  'The assistant wants to send a request that needs your approval. Open the page to see it and to decide.';
const INPUT = 'approval';

/**
 * Asks the person to open the page. Resolves with false if they decline. `ended` is aborted once the
 * answer no longer matters.
 */
export type AskPerson = (
  pending: { readonly id: string; readonly url: string },
  ended: AbortSignal,
) => Promise<boolean>;

/** Undefined if the client cannot ask, or is asked by the result of the call and has not answered yet. */
export function askPersonThrough(peer: Peer | undefined): AskPerson | undefined {
  if (!peer?.abilities.includes('elicitation.url')) return undefined;
  const { inputs, ask } = peer;
  if (inputs) {
    const isAccepted = inputs.answers[INPUT]?.action === 'accept';
    return isAccepted ? async ({ id }) => askedFor(peer) === id : undefined;
  }
  return (
    ask &&
    (async ({ id, url }, ended) => {
      const params = { mode: 'url', message: MESSAGE, elicitationId: id, url };
      const complete = () =>
        peer.notify('notifications/elicitation/complete', { elicitationId: id });
      ended.addEventListener('abort', complete, { once: true });
      return (await ask({ method: 'elicitation/create', params }))?.action === 'accept';
    })
  );
}

/** Throws `InputRequired` for a client of 2026-07-28 that can ask its user and has not yet done so. */
export function askInNextRound({ approval }: Refusal, peer: Peer): void {
  if (!approval?.url || !peer.inputs || !peer.abilities.includes('elicitation.url')) return;
  if (askedFor(peer) === approval.id) return;
  const params = { mode: 'url', message: MESSAGE, url: approval.url };
  throw new InputRequired(
    { [INPUT]: { method: 'elicitation/create', params } },
    { approval: approval.id },
  );
}

/** The id of the approval that the round before asked for. */
function askedFor({ inputs }: Peer): unknown {
  return (inputs?.state as { approval?: unknown } | undefined)?.approval;
}
