/** kill -9 at any moment: what was acknowledged is there, and nothing is half there. */
import { describe, test } from 'node:test';
import { crashRounds } from '../support/notes/notes-crash.ts';

/** `test/long/notes-crash.test.ts` has 300. */
const ROUNDS = 2;

describe('the notes server, killed and started again', { concurrency: 2 }, () => {
  for (const git of [true, false]) {
    test(`${ROUNDS} times killed under load, git ${git ? 'on' : 'off'}`, async (context) => {
      const figures = await crashRounds(context, ROUNDS, git);
      context.diagnostic(JSON.stringify(figures));
    });
  }
});
