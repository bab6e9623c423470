/** Wakes the calls that wait for a decision, on whichever replica it was made. */
import type { SharedStore } from '../../core/store/shared-store.ts';

const TOPIC = 'approval-decided';
/** A message that is published while the store is out of reach is lost, so waiting calls also poll. */
const LOOK_AGAIN_MS = 5_000;

export class DecisionsHeard {
  readonly #shared: SharedStore | undefined;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(shared: SharedStore | undefined) {
    this.#shared = shared;
    shared?.onPublished(TOPIC, ([id]) => this.#wake(id!));
  }

  tell(id: string): void {
    if (this.#shared) this.#shared.publish(TOPIC, [id]);
    else this.#wake(id);
  }

  /** Resolves at the next decision about the request, after a while, or when it is aborted. */
  next(id: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const own = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, own.add(resolve));
    signal.addEventListener('abort', () => resolve());
    if (signal.aborted) resolve();
    const timer = this.#shared && setTimeout(resolve, LOOK_AGAIN_MS);
    return promise.finally(() => {
      clearTimeout(timer);
      own.delete(resolve);
      if (own.size === 0) this.#waiting.delete(id);
    });
  }

  #wake(id: string): void {
    for (const resolve of this.#waiting.get(id) ?? []) resolve();
  }
}
