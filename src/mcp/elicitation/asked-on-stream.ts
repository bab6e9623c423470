/** A client of 2025-11-25, which is asked by a request of the server on the stream of the call. */
import { randomUUID } from 'node:crypto';
import type { Ability } from './abilities.ts';
import type { ClientAnswer, Peer } from './peer.ts';

export interface AskedSession {
  readonly abilities: readonly Ability[];
  /** Requests that the client has not answered yet, by their ids. */
  readonly asked: Map<string | number, (answer: ClientAnswer | undefined) => void>;
}

export function askedOnStream(
  { abilities, asked }: AskedSession,
  call: { onCancelled(callback: () => void): void },
  send: (message: object) => void,
): Peer {
  const own = new Map<string, () => void>();
  const end = () => {
    for (const [id, giveUp] of own) {
      asked.delete(id);
      giveUp();
    }
    own.clear();
  };
  return {
    abilities,
    ask: (request) => {
      // Unique over all replicas: the answer may reach any of them.
      const id = randomUUID();
      return new Promise((resolve) => {
        if (own.size === 0) call.onCancelled(end);
        own.set(id, () => resolve(undefined));
        asked.set(id, resolve);
        send({ jsonrpc: '2.0', id, ...request });
      });
    },
    end,
    notify: (method, params) => send({ jsonrpc: '2.0', method, params }),
  };
}
