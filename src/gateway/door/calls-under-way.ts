/**
 * The calls through the HTTP door that are under way, so that those of a removed key can be ended.
 *
 * An array, since V8 links each table that a Map or Set has outgrown to the next one: entries that come
 * and go then stay in memory until the next full collection, with the whole request behind each. With
 * a Map, the door and its pools took a tenth more CPU per request.
 */
import type { ServerResponse } from 'node:http';
import type { DoorKey } from '../config/config.ts';

export interface CallUnderWay {
  readonly key: DoorKey;
  readonly client: ServerResponse;
  place: number;
}

export class CallsUnderWay {
  readonly #calls: CallUnderWay[] = [];

  add(key: DoorKey, client: ServerResponse): CallUnderWay {
    const call = { key, client, place: this.#calls.length };
    this.#calls.push(call);
    return call;
  }

  /** The last call takes its place. */
  remove({ place }: CallUnderWay): void {
    const last = this.#calls.pop()!;
    if (last.place === place) return;
    this.#calls[place] = last;
    last.place = place;
  }

  [Symbol.iterator](): Iterator<CallUnderWay> {
    return this.#calls[Symbol.iterator]();
  }
}
