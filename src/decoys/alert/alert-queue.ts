/**
 * Decides which alerts are sent, and when.
 *
 * Prevents alert fatigue, by which a stranger makes noise until the operator turns the alerts off or
 * misses the one that matters: repeats are counted instead of sent, messages have a rate limit, alerts
 * that wait are sent together, and when too many wait, the least urgent are dropped first and counted.
 */
import { type Alert, SEVERITIES, type Severity } from './alert.ts';

const MINUTE_MS = 60_000;
/** Repeats within this time after an alert are counted, and reported once at its end. */
const SAME_NEWS_MS = 60 * MINUTE_MS;
const MAX_KNOWN = 2_000;
const MAX_WAITING = 1_000;
const MAX_IN_DIGEST = 20;
/** Up to so many alerts are sent one by one; more are sent together. */
const MAX_SINGLE = 3;
const MAX_BURST = 10;
const REFILL_MS = MINUTE_MS;

/** One alert, or several together. */
export interface Message {
  /** The most urgent first. */
  readonly alerts: readonly Alert[];
  /** How many more there are, by severity. */
  readonly others: Readonly<Record<Severity, number>>;
}

interface Known {
  readonly alert: Alert;
  readonly sinceMs: number;
  repeats: number;
}

export interface QueueState {
  readonly waiting: readonly Alert[];
  readonly known: readonly Known[];
  readonly dropped: Readonly<Record<Severity, number>>;
  readonly budget: number;
  readonly refilledMs: number;
}

export class AlertQueue {
  #waiting: Alert[];
  readonly #known: Map<string, Known>;
  #dropped: Record<Severity, number>;
  #budget: number;
  #refilledMs: number;

  constructor(nowMs: number, state?: QueueState) {
    this.#waiting = [...(state?.waiting ?? [])];
    this.#known = new Map((state?.known ?? []).map((known) => [known.alert.key, { ...known }]));
    this.#dropped = { ...none(), ...state?.dropped };
    this.#budget = state?.budget ?? MAX_BURST;
    // A clock that was set back must not stop the refill.
    this.#refilledMs = Math.min(state?.refilledMs ?? nowMs, nowMs);
  }

  get state(): QueueState {
    return {
      waiting: this.#waiting,
      known: [...this.#known.values()],
      dropped: this.#dropped,
      budget: this.#budget,
      refilledMs: this.#refilledMs,
    };
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  add(alert: Alert, nowMs: number): void {
    const known = this.#known.get(alert.key);
    if (known && nowMs - known.sinceMs < SAME_NEWS_MS) {
      known.repeats++;
      return;
    }
    if (known && known.repeats > 0) this.#wait({ ...known.alert, repeats: known.repeats });
    this.#know(alert, nowMs);
    this.#wait(alert);
  }

  /** The next message; `delivered` removes it. The last one, at the end of a log, has no rate limit. */
  next(nowMs: number, isLast = false): Message | undefined {
    this.#addRepeats(nowMs);
    this.#refill(nowMs);
    const hasDropped = SEVERITIES.some((severity) => this.#dropped[severity] > 0);
    if ((this.#waiting.length === 0 && !hasDropped) || (this.#budget < 1 && !isLast))
      return undefined;
    if (this.#waiting.length <= MAX_SINGLE && !hasDropped && !isLast) {
      return { alerts: [this.#waiting[0]!], others: none() };
    }
    const sorted = this.#waiting.toSorted(byUrgency);
    const others = { ...this.#dropped };
    for (const { severity } of sorted.slice(MAX_IN_DIGEST)) {
      // The next message has them.
      if (severity !== 'high' || isLast) others[severity]++;
    }
    return { alerts: sorted.slice(0, MAX_IN_DIGEST), others };
  }

  /** Removes the alerts that the message has or counts. */
  delivered({ alerts, others }: Message): void {
    this.#budget = Math.max(0, this.#budget - 1);
    const sent = new Set(alerts);
    const left = { ...others };
    for (const severity of SEVERITIES) {
      const fromDropped = Math.min(left[severity], this.#dropped[severity]);
      this.#dropped[severity] -= fromDropped;
      left[severity] -= fromDropped;
    }
    const isCounted = ({ severity }: Alert) => left[severity] > 0 && left[severity]-- > 0;
    this.#waiting = this.#waiting.filter((alert) => !sent.has(alert) && !isCounted(alert));
  }

  /** When there may be something to send without another alert. */
  wakeMs(nowMs: number): number | undefined {
    if (this.#waiting.length > 0) return this.#refilledMs + REFILL_MS;
    const ends = [...this.#known.values()]
      .filter(({ repeats }) => repeats > 0)
      .map(({ sinceMs }) => sinceMs + SAME_NEWS_MS);
    return ends.length === 0 ? undefined : Math.max(nowMs, Math.min(...ends));
  }

  #know(alert: Alert, nowMs: number): void {
    // A map keeps the order of insertion: the first is the oldest.
    this.#known.delete(alert.key);
    if (this.#known.size >= MAX_KNOWN) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(alert.key, { alert, sinceMs: nowMs, repeats: 0 });
  }

  #wait(alert: Alert): void {
    const isFull = this.#waiting.length >= MAX_WAITING;
    if (isFull && alert.severity === 'low') {
      this.#dropped.low++;
      return;
    }
    this.#waiting.push(alert);
    if (!isFull) return;
    // The latest of the least urgent.
    for (const least of SEVERITIES) {
      const at = this.#waiting.findLastIndex(({ severity }) => severity === least);
      if (at === -1) continue;
      this.#waiting.splice(at, 1);
      this.#dropped[least]++;
      return;
    }
  }

  #addRepeats(nowMs: number): void {
    for (const [key, { alert, sinceMs, repeats }] of this.#known) {
      if (nowMs - sinceMs < SAME_NEWS_MS && nowMs >= sinceMs) continue;
      if (repeats > 0) {
        this.#know(alert, nowMs);
        this.#wait({ ...alert, repeats });
      } else this.#known.delete(key);
    }
  }

  #refill(nowMs: number): void {
    const minutes = Math.floor((nowMs - this.#refilledMs) / REFILL_MS);
    if (minutes < 0) this.#refilledMs = nowMs;
    if (minutes <= 0) return;
    this.#budget = Math.min(MAX_BURST, this.#budget + minutes);
    this.#refilledMs += minutes * REFILL_MS;
  }
}

function byUrgency(a: Alert, b: Alert): number {
  return SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) || a.timeMs - b.timeMs;
}

function none(): Record<Severity, number> {
  return { low: 0, medium: 0, high: 0 };
}
