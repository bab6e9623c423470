/**
 * A fixed room for texts on their way to another thread, which reads them where they are. What is
 * taken first is given back first.
 */
export class Ring {
  readonly room: SharedArrayBuffer;
  readonly bytes: Buffer;
  /** In the order in which they were taken; `isEnd` is what was left over at the end of the room. */
  readonly #taken: { readonly length: number; readonly isEnd: boolean }[] = [];
  #first = 0;
  #next = 0;
  #used = 0;

  constructor(capacity: number) {
    this.room = new SharedArrayBuffer(capacity);
    this.bytes = Buffer.from(this.room);
  }

  /** Where the bytes have their place, or -1. */
  take(length: number): number {
    const capacity = this.bytes.length;
    if (this.#used === 0) this.#first = this.#next = 0;
    const isWrapped = this.#used > 0 && this.#next <= this.#first;
    const free = (isWrapped ? this.#first : capacity) - this.#next;
    if (length <= free) return this.#place(length);
    if (isWrapped || length > this.#first) return -1;
    this.#taken.push({ length: free, isEnd: true });
    this.#used += free;
    this.#next = 0;
    return this.#place(length);
  }

  /** The bytes that were taken before all others. */
  giveBack(): void {
    for (;;) {
      const { length, isEnd } = this.#taken.shift()!;
      this.#used -= length;
      this.#first = isEnd ? 0 : this.#first + length;
      if (!isEnd) return;
    }
  }

  #place(length: number): number {
    const offset = this.#next;
    this.#taken.push({ length, isEnd: false });
    this.#used += length;
    this.#next += length;
    return offset;
  }
}
