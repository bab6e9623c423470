/**
 * Reads and sends concurrently, so that a slow receiver never delays the reading. The state, with the
 * alerts that wait, is saved before and after each message.
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
/** After so many refusals a message is dropped; other failures are retried forever. */
const MAX_REFUSALS = 3;
/** At the end of a log: attempts before the alerts are left for the next run. */
const MAX_LAST_TRIES = 3;
const SAVE_EVERY_MS = 1_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

interface AlertRun {
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
  let wake = new AbortController();
  let [isAtEnd, hasEnded, savedMs] = [false, false, 0];
  const save = () => {
    savedMs = now();
    file.save({ version: 1, ...source.state, queue: queue.state });
  };
  // Alerts and position are saved together, so that a crash loses neither.
  const saveNowAndThen = () => {
    if (now() - savedMs >= SAVE_EVERY_MS) save();
  };
  const onStop = () => wake.abort();
  signal.addEventListener('abort', onStop);
  const reading = source
    .read(
      (alerts) => {
        for (const alert of alerts) queue.add(alert, now());
        saveNowAndThen();
        wake.abort();
      },
      () => {
        isAtEnd = true;
        saveNowAndThen();
        wake.abort();
      },
    )
    .finally(() => {
      hasEnded = true;
      wake.abort();
    });
  // Awaited at the end, where a failure is thrown.
  reading.catch(() => {});
  const sender = new Sender(run);
  try {
    while (!signal.aborted) {
      // Sends nothing before the end, so that alerts of the past are sent together.
      const message = isAtEnd || hasEnded ? queue.next(now(), hasEnded) : undefined;
      if (message === undefined) {
        if (hasEnded) break;
        const ms = isAtEnd ? sleepMs(queue.wakeMs(now()), now()) : MAX_TIMER_MS;
        await sleep(ms, undefined, { signal: wake.signal }).catch(() => {});
        wake = new AbortController();
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

  /** `done` also for a message that is dropped, which is reported. */
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

/** How long to sleep: until the queue has something to send, or another part wakes the loop. */
function sleepMs(wakeMs: number | undefined, nowMs: number): number {
  return Math.max(0, Math.min((wakeMs ?? Number.POSITIVE_INFINITY) - nowMs, MAX_TIMER_MS));
}
