/** How far the index is: a bar on a terminal, lines in a pipe. */
import type { SemanticState } from '../embeddings/vault-embeddings.ts';
import type { IndexState } from '../index/note-index.ts';

export interface Screen {
  write(text: string): void;
  /** The width of the terminal; undefined for a pipe. */
  readonly columns: number | undefined;
}

const LINE_MS = 5_000;
const BAR = 30;
const CLEAR = '\r\x1b[2K';

export class Progress {
  readonly #screen: Screen;
  readonly #now: () => number;
  #toldMs = Number.NEGATIVE_INFINITY;
  #vault = '';
  #isDrawn = false;

  constructor(screen: Screen, now: () => number = () => performance.now()) {
    this.#screen = screen;
    this.#now = now;
  }

  show(vault: string, state: IndexState, isDone: boolean): void {
    const { indexed, onDisk, skipped } = state;
    if (isDone) {
      const left = skipped > 0 ? `, ${skipped} skipped` : '';
      this.say(`${vault}: ${indexed} of ${onDisk} notes indexed${left}`);
    } else if (this.#screen.columns !== undefined) {
      this.#draw(vault, indexed, onDisk);
    } else if (onDisk > 0 && this.#isTime(vault)) {
      this.say(`${vault}: ${indexed} of ${onDisk} notes`);
    }
  }

  /** How many sections can be found by meaning. */
  showMeaning(vault: string, { state, done, total, reason }: SemanticState): void {
    if (state === 'ready') this.say(`${vault}: ${done} sections embedded`);
    else if (state === 'failing')
      this.say(`${vault}: ${done} of ${total} sections embedded; ${reason}`);
    else if (this.#screen.columns !== undefined)
      this.#draw(vault, done, total, 'sections embedded');
    else if (total > 0 && this.#isTime(vault)) this.say(`${vault}: ${done} of ${total} sections`);
  }

  say(line: string): void {
    this.clear();
    this.#screen.write(`${line}\n`);
  }

  /** Erases the bar. */
  clear(): void {
    if (this.#isDrawn) this.#screen.write(CLEAR);
    this.#isDrawn = false;
  }

  #draw(vault: string, indexed: number, onDisk: number, what = 'notes'): void {
    const part = onDisk === 0 ? 0 : indexed / onDisk;
    const full = Math.round(part * BAR);
    const bar = `${'#'.repeat(full)}${'.'.repeat(BAR - full)}`;
    const text = `${vault} [${bar}] ${indexed} of ${onDisk} ${what}`;
    this.#screen.write(CLEAR + text.slice(0, Math.max(0, this.#screen.columns! - 1)));
    this.#isDrawn = true;
  }

  /** The first line of each vault, then one every few seconds. */
  #isTime(vault: string): boolean {
    const nowMs = this.#now();
    if (vault === this.#vault && nowMs - this.#toldMs < LINE_MS) return false;
    [this.#vault, this.#toldMs] = [vault, nowMs];
    return true;
  }
}
