/**
 * The resources whose changes one stream or session has subscribed to.
 *
 * Guarantees: the number and the length of the URIs are limited; each is watched once, until the stream
 * or the session ends.
 */
import type { Caller } from '../core/http/caller.ts';
import { INVALID_PARAMS, RpcError } from './jsonrpc.ts';
import type { ResourceProvider } from './provider.ts';

export const MAX_SUBSCRIPTIONS = 256;
const MAX_URI_LENGTH = 4_000;

export type WatchResource = NonNullable<ResourceProvider<Caller>['watch']>;

export class Subscriptions {
  readonly #unwatch = new Map<string, () => void>();
  #hasEnded = false;

  /** False where there can be no such resource. `updated` gets the URI as it was given. */
  add(uri: string, watch: WatchResource, updated: (uri: string) => void): boolean {
    if (this.#unwatch.has(uri)) return true;
    if (uri.length > MAX_URI_LENGTH) return false;
    if (this.#unwatch.size >= MAX_SUBSCRIPTIONS) {
      const message = `at most ${MAX_SUBSCRIPTIONS} resources can be subscribed to at a time; unsubscribe from others first`;
      throw new RpcError(INVALID_PARAMS, message);
    }
    if (this.#hasEnded) return false;
    const unwatch = watch(uri, () => updated(uri));
    if (unwatch === undefined) return false;
    this.#unwatch.set(uri, unwatch);
    return true;
  }

  remove(uri: string): void {
    this.#unwatch.get(uri)?.();
    this.#unwatch.delete(uri);
  }

  end(): void {
    this.#hasEnded = true;
    for (const unwatch of this.#unwatch.values()) unwatch();
    this.#unwatch.clear();
  }
}

export function resourceUpdated(uri: string): { method: string; params: { uri: string } } {
  return { method: 'notifications/resources/updated', params: { uri } };
}
