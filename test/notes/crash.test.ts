/** kill -9 at any moment: what was acknowledged is there, and nothing is half there. */
import { describe, test } from 'node:test';
import { crashRounds } from '../support/notes/notes-crash.ts';

/** `test/long/notes-crash.test.ts` has 300 of each. */
const ROUNDS = [
  ['on', 2],
  ['off', 1],
] as const;

describe('the notes server, killed and started again', { concurrency: 2 }, () => {
  for (const [git, rounds] of ROUNDS) {
    test(`${rounds} times killed under load, git ${git}`, async (context) => {
      const figures = await crashRounds(context, rounds, git === 'on');
      context.diagnostic(JSON.stringify(figures));
    });
  }
});
