/**
 * How a program ends and what may happen to it meanwhile: SIGTERM and SIGINT ask it to stop,
 * SIGHUP to read its configuration again, and an exception nobody caught is logged, cleaned
 * like every line, and ends it with code 1. Nothing is ever printed raw.
 */
import { describeError, type Log } from './log/log.ts';

export interface ProcessEvents {
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

/** Anything can be thrown, also what has no text. */
function describe(error: unknown): string {
  try {
    return describeError(error);
  } catch {
    return 'something was thrown that cannot be described';
  }
}

/** The lines of a stack that name places in the code, without the message. */
function place(error: unknown): string[] | undefined {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return undefined;
  return error.stack
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, 8);
}
