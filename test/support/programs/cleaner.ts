/** What cleans up after a test: its context, or `cleaner` for a suite or a process. */
export interface Cleaner {
  after(cleanup: () => unknown): void;
}

/** What was made last goes first. */
export function cleaner(): Cleaner & { clean(): Promise<void> } {
  const cleanups: (() => unknown)[] = [];
  return {
    after: (cleanup) => cleanups.push(cleanup),
    clean: async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    },
  };
}
