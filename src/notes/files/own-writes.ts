/**
 * Which versions of which files are our own, so that the watcher does not report to us what we have
 * just done. A version is taken for ours only if inode, size and time are those we saw when it was
 * put in place, so an edit that follows at once is still noticed.
 */
import { type Stamp, sameStamp } from './stored-file.ts';

const MAX_REMEMBERED = 10_000;

export class OwnWrites {
  readonly #stamps = new Map<string, Stamp | undefined>();
  #forgotten: (path: string) => void = () => {};

  /** Whom to tell that a path which was ours may be anybody's. */
  onForgotten(listener: (path: string) => void): void {
    this.#forgotten = listener;
  }

  /** Undefined for a path that we have removed. */
  add(path: string, stamp: Stamp | undefined): void {
    this.#stamps.delete(path);
    this.#stamps.set(path, stamp);
    if (this.#stamps.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#stamps.keys();
    this.#stamps.delete(oldest!);
  }

  /** For what a change had written before it failed. */
  forget(path: string): void {
    this.#stamps.delete(path);
    this.#forgotten(path);
  }

  /** Another version is somebody else's, and what follows it is so, too, even one like ours. */
  has(path: string, stamp: Stamp | undefined): boolean {
    if (!this.#stamps.has(path)) return false;
    const own = this.#stamps.get(path);
    const same = own === undefined || stamp === undefined ? own === stamp : sameStamp(own, stamp);
    if (!same) this.#stamps.delete(path);
    return same;
  }
}
