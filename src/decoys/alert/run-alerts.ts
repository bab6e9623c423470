/**
 * Reads and sends at the same time: a receiver that does not answer never holds up the log. The state
 * is saved with the alerts that wait before anything is sent, and again after each message.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '../../core/log/log.ts';
import { AlertQueue, type Message } from './alert-queue.ts';
import type { AlertSource } from './reader.ts';
import type { SavedState, StateFile } from './state-file.ts';
import { ComeBackLater, RefusedMessage, type Target } from './target.ts';

const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 5 * 60_000;
const MAX_COME_BACK_MS = 60 * 60_000;
/** Of a message that the receiver refuses as such; any other failure is tried without end. */
const MAX_REFUSALS = 3;
/** When the log has ended: how often it is tried before the alerts are left for the next run. */
const MAX_LAST_TRIES = 3;
const SAVE_EVERY_MS = 1_000;

export interface AlertRun {
  readonly source: AlertSource;
  readonly target: Target;
  readonly file: StateFile;
  readonly loaded: SavedState;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  readonly now?: () => number;
  /** Shorter in tests. */
  readonly firstRetryMs?: number;
}

/** False when alerts are left for the next run. */
export async function runAlerts(run: AlertRun): Promise<boolean> {
  const { source, file, loaded, signal, now = Date.now } = run;
  const queue = new AlertQueue(now(), loaded.queue);
  const wake = new Wake();
  let [isAtEnd, hasEnded, savedMs] = [false, false, 0];
  const save = () => {
    savedMs = now();
    file.save({ version: 1, ...source.state, queue: queue.state });
  };
  // Alerts and position are one: what a crash takes of both is read again.
  const saveNowAndThen = () => {
    if (now() - savedMs >= SAVE_EVERY_MS) save();
  };
  const onStop = () => wake.up();
  signal.addEventListener('abort', onStop);
  const reading = source
    .read(
      (alerts) => {
        for (const alert of alerts) queue.add(alert, now());
        saveNowAndThen();
        wake.up();
      },
      () => {
        isAtEnd = true;
        saveNowAndThen();
        wake.up();
      },
    )
    .finally(() => {
      hasEnded = true;
      wake.up();
    });
  // Its failure comes out at the end, where it is awaited.
  reading.catch(() => {});
  const sender = new Sender(run);
  try {
    while (!signal.aborted) {
      // What a log holds already is told together.
      const message = isAtEnd || hasEnded ? queue.next(now(), hasEnded) : undefined;
      if (message === undefined) {
        if (hasEnded) break;
        await wake.wait(isAtEnd ? untilMs(queue.wakeMs(now()), now()) : undefined);
        continue;
      }
      save();
      const outcome = await sender.send(message);
      if (outcome === 'done') queue.delivered(message);
      else if (hasEnded && sender.failures >= MAX_LAST_TRIES) break;
      else await sender.pause();
      save();
    }
    if (signal.aborted) await reading.catch(() => {});
    else await reading;
    save();
  } finally {
    signal.removeEventListener('abort', onStop);
  }
  if (queue.waiting > 0) run.say(`${queue.waiting} alerts wait for the next run`);
  return queue.waiting === 0 || signal.aborted;
}

class Sender {
  readonly #run: AlertRun;
  #refusals = 0;
  #waitMs = 0;
  failures = 0;

  constructor(run: AlertRun) {
    this.#run = run;
  }

  /** `done` also for a message that the receiver will never take, which is said. */
  async send(message: Message): Promise<'done' | 'failed'> {
    const { target, say, firstRetryMs = FIRST_RETRY_MS } = this.#run;
    try {
      await target.send(message);
      if (this.failures > 0) say(`alerts are sent again: ${target.name}`);
      [this.failures, this.#refusals] = [0, 0];
      return 'done';
    } catch (error) {
      this.failures++;
      if (error instanceof RefusedMessage && ++this.#refusals >= MAX_REFUSALS) {
        this.#refusals = 0;
        say(`an alert was refused and is left out: ${describeError(error)}`);
        return 'done';
      }
      const backoffMs = Math.min(MAX_RETRY_MS, firstRetryMs * 2 ** Math.min(this.failures - 1, 20));
      const askedMs =
        error instanceof ComeBackLater ? Math.min(error.afterMs, MAX_COME_BACK_MS) : 0;
      this.#waitMs = Math.max(backoffMs, askedMs);
      const again = `trying again in ${Math.ceil(this.#waitMs / 1_000)} s`;
      say(`an alert cannot be sent to ${target.name}: ${describeError(error)}; ${again}`);
      return 'failed';
    }
  }

  async pause(): Promise<void> {
    await sleep(this.#waitMs, undefined, { signal: this.#run.signal }).catch(() => {});
  }
}

/** Wakes whoever waits, or who waits next. */
class Wake {
  #wake: (() => void) | undefined;
  #isUp = false;

  up(): void {
    this.#isUp = true;
    this.#wake?.();
  }

  async wait(ms: number | undefined): Promise<void> {
    if (!this.#isUp) {
      await new Promise<void>((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#wake = undefined;
    this.#isUp = false;
  }
}

function untilMs(atMs: number | undefined, nowMs: number): number | undefined {
  return atMs === undefined ? undefined : Math.max(0, Math.min(atMs - nowMs, 2 ** 31 - 1));
}
