/**
 * Signals and uncaught exceptions: SIGTERM and SIGINT stop the program, SIGHUP reloads its
 * configuration. An uncaught exception is logged, cleaned of secrets like every line, and ends it with
 * code 1.
 */
import { describeError, type Log } from './log/log.ts';

interface ProcessEvents {
  /** Resolves with the name of the signal that asked to stop. */
  readonly stopped: Promise<string>;
  onHangUp(reload: () => void): void;
}

export function processEvents(log: Log): ProcessEvents {
  let reload = (): void => {};
  process.on('SIGHUP', () => reload());
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      try {
        log.always('error', 'internal_error', { message: describe(error), where: place(error) });
      } finally {
        process.exit(1);
      }
    });
  }
  const stopped = new Promise<string>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve(signal));
  });
  return {
    stopped,
    onHangUp: (callback) => {
      reload = callback;
    },
  };
}

/** Anything can be thrown, also a value whose conversion to text throws. */
function describe(error: unknown): string {
  try {
    return describeError(error);
  } catch {
    return 'something was thrown that cannot be described';
  }
}

/** The frames of a stack, without the message. */
function place(error: unknown): string[] | undefined {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return undefined;
  return error.stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, 8);
}
