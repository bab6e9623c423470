import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inThread } from './heavy-thread.ts';

test('a note that takes too long is given up, and the next is worked on', async () => {
  const outline = (text: string, limitMs?: number) =>
    inThread({ name: 'outline', argument: { bytes: Buffer.from(text) } }, limitMs);
  await assert.rejects(outline('# A\n', 0), { code: 'too_large', message: /takes too long/ });
  const answer = await outline('# A\n');
  assert.ok('result' in answer);
});
