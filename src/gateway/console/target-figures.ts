/** What the recent calls of one user say of a target: its last status, how often it failed, how fast it was. */
import type { RecentCall } from '../../core/recent-calls/recent-calls.ts';

const MAX_PLOTTED = 40;

export interface TargetFigures {
  readonly last: RecentCall;
  /** Refused by the gateway, or answered with 400 or more. */
  readonly failedShare: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Oldest first. */
  readonly plotted: readonly { readonly durationMs: number; readonly isFailed: boolean }[];
}

/** Of calls that are newest first; those that matched no target are under the empty name. */
export function figuresByTarget(calls: readonly RecentCall[]): Map<string, TargetFigures> {
  const byTarget = Map.groupBy(calls, ({ target }) => target ?? '');
  return new Map([...byTarget].map(([target, own]) => [target, figuresOf(own)]));
}

export function isFailed({ refusal, status = 0 }: RecentCall): boolean {
  return refusal !== undefined || status >= 400;
}

function figuresOf(calls: readonly RecentCall[]): TargetFigures {
  const sorted = calls.map(({ durationMs }) => durationMs).sort((one, other) => one - other);
  const quantile = (share: number) =>
    sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return {
    last: calls[0]!,
    failedShare: calls.filter(isFailed).length / calls.length,
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
    plotted: calls
      .slice(0, MAX_PLOTTED)
      .map((call) => ({ durationMs: call.durationMs, isFailed: isFailed(call) }))
      .reverse(),
  };
}
