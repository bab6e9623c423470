/** Shows at a terminal what the program waits for, and for how much longer. */
import type { CommandOutput } from './output.ts';

const EVERY_MS = 1_000;

interface Waiting {
  readonly end: () => void;
}

export function showWaiting(
  { status }: Pick<CommandOutput, 'status'>,
  what: string,
  patienceMs: number,
): Waiting {
  if (!status) return { end: () => {} };
  const untilMs = performance.now() + patienceMs;
  const show = () => status(`${what}; ${timeText(untilMs - performance.now())} left`);
  show();
  const timer = setInterval(show, EVERY_MS);
  return {
    end: () => {
      clearInterval(timer);
      status('');
    },
  };
}

function timeText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
