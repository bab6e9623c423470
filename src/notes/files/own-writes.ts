/**
 * The file versions that this server wrote, so that the watcher ignores its own events. A version
 * counts as ours only with the inode, size and time of our write: an external edit right after it
 * is still noticed.
 */
import { type Stamp, sameStamp } from './stored-file.ts';

const MAX_STAMPS = 10_000;

export class OwnWrites {
  readonly #stamps = new Map<string, Stamp | undefined>();
  #onForget: (path: string) => void = () => {};

  /** Called with a path whose version may no longer be ours. */
  onForget(listener: (path: string) => void): void {
    this.#onForget = listener;
  }

  /** The stamp is undefined for a path that we removed. */
  add(path: string, stamp: Stamp | undefined): void {
    this.#stamps.delete(path);
    this.#stamps.set(path, stamp);
    if (this.#stamps.size <= MAX_STAMPS) return;
    const [oldest] = this.#stamps.keys();
    this.#stamps.delete(oldest!);
  }

  /** Reports a path that a failed change had written. */
  forget(path: string): void {
    this.disown(path);
    this.#onForget(path);
  }

  /** Treats any later version of the path as foreign. */
  disown(path: string): void {
    this.#stamps.delete(path);
  }

  /** After a foreign version, later ones are foreign too, even one equal to ours. */
  has(path: string, stamp: Stamp | undefined): boolean {
    if (!this.#stamps.has(path)) return false;
    const own = this.#stamps.get(path);
    const same = own === undefined || stamp === undefined ? own === stamp : sameStamp(own, stamp);
    if (!same) this.#stamps.delete(path);
    return same;
  }
}
