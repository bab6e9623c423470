/**
 * The client on the other side of a running call, as far as it can be asked for something.
 *
 * The two protocol eras ask differently. A client of 2025-11-25 gets a request of the server on the
 * stream of the call, which waits for the answer. A client of 2026-07-28 gets the result
 * `input_required`: the tool throws `InputRequired`, the client calls again with the answers, and
 * `inputs` are these.
 */
import { type Ability, NO_ABILITIES } from './abilities.ts';

/** A request of the server to the client, such as `elicitation/create`. */
export interface ClientRequest {
  readonly method: string;
  readonly params: object;
}

export type ClientAnswer = Readonly<Record<string, unknown>>;

export interface Inputs {
  /** By the names that `InputRequired` gave to its requests. As the client sent them. */
  readonly answers: Readonly<Record<string, ClientAnswer>>;
  /** What the `InputRequired` before carried; undefined in the first round. */
  readonly state: object | undefined;
}

export interface Peer {
  readonly abilities: readonly Ability[];
  /** Of a client that is asked by `InputRequired`. */
  readonly inputs?: Inputs;
  /**
   * Asks a client that is not asked by `InputRequired`. Undefined when the client answers with an
   * error, or the call is cancelled.
   */
  ask?(request: ClientRequest): Promise<ClientAnswer | undefined>;
  /** The call is over: answers that come later are ignored. */
  end?(): void;
  /** Sends a notification, where the client takes any. */
  notify(method: string, params: object): void;
}

export const SILENT_PEER: Peer = { abilities: NO_ABILITIES, notify: () => {} };

/** Thrown by a tool or a prompt, and only where the peer has `inputs`. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired';
  readonly requests: Readonly<Record<string, ClientRequest>>;
  /** Comes back in the next round, unaltered; the client cannot make one. */
  readonly state: object;

  constructor(requests: InputRequired['requests'], state: object = {}) {
    super('the client is asked for input');
    this.requests = requests;
    this.state = state;
  }
}
