/** The sign-ins of one user, for the person to see and to end. Nothing of another user is ever found. */
import type { CallingUser } from '../core/http/caller.ts';
import type { LastUses } from '../core/store/last-uses.ts';
import type { Store } from '../core/store/store.ts';
import type { Clients } from './clients.ts';
import { endSignIn } from './kept-clients.ts';
import { SIGN_INS, SIGN_INS_OF_USER, type SignIn } from './records.ts';
import type { SignInsOfUser } from './sign-in-limit.ts';

export interface ListedSignIn {
  readonly id: string;
  readonly clientId: string;
  /** What the client calls itself, made fit to show. */
  readonly clientName: string | undefined;
  /** When tokens were last handed out. */
  readonly renewedAt: number;
  /** To the minute. */
  readonly usedAt: number;
}

interface ListedSignInsOptions {
  readonly store: Store;
  readonly clients: Clients;
  readonly uses: LastUses;
  readonly now: () => number;
}

export class ListedSignIns {
  readonly #options: ListedSignInsOptions;

  constructor(options: ListedSignInsOptions) {
    this.#options = options;
  }

  /** The last used first. */
  async of(person: CallingUser): Promise<readonly ListedSignIn[]> {
    const { store, clients, uses } = this.#options;
    const listed = await store.get<SignInsOfUser>(SIGN_INS_OF_USER, person.user);
    const found = await Promise.all(
      (listed?.entries ?? []).map(async ({ signInId: id }) => {
        const signIn = await this.#find(person, id);
        // One whose code was never exchanged belongs to no app yet.
        if (!signIn?.refresh) return [];
        const { clientId, renewedAt } = signIn;
        const clientName = await clients.nameOf(clientId);
        const usedAt = Math.max(renewedAt, (await uses.of(id)) ?? 0);
        return [{ id, clientId, clientName, renewedAt, usedAt }];
      }),
    );
    return found.flat().sort((one, other) => other.usedAt - one.usedAt);
  }

  /** False where this person has no such sign-in. */
  async end(person: CallingUser, id: string): Promise<boolean> {
    const signIn = await this.#find(person, id);
    if (!signIn) return false;
    const { store, now } = this.#options;
    await endSignIn(store, { signInId: id, clientId: signIn.clientId }, now());
    return true;
  }

  async #find({ user, incarnation }: CallingUser, id: string): Promise<SignIn | undefined> {
    const signIn = await this.#options.store.get<SignIn>(SIGN_INS, id);
    return signIn?.user === user && signIn.incarnation === incarnation ? signIn : undefined;
  }
}
