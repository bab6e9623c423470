/**
 * How long a test waits for what must happen before it says that it did not. It is longer than a
 * machine with much else to do stands still; what goes well never waits for it.
 */
export const PATIENCE_MS = 300_000;
