/** The same as in test/notes/crash.test.ts, for an hour nobody waits for. */
import { describe, test } from 'node:test';
import { crashRounds } from '../support/notes/notes-crash.ts';

const ROUNDS = Number(process.env.NOTES_CRASH_ROUNDS ?? 300);

describe('the notes server, killed and started again', { concurrency: 2 }, () => {
  for (const git of [true, false]) {
    const rounds = Math.ceil(ROUNDS / 2);
    test(`${rounds} times killed under load, git ${git ? 'on' : 'off'}`, async (context) => {
      const figures = await crashRounds(context, rounds, git);
      context.diagnostic(JSON.stringify(figures));
    });
  }
});
