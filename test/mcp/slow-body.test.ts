/** A body that comes slowly: its token may be revoked before the last byte is there. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import { type Harness, startHarness } from './harness.ts';
import { JSON_TYPE, TOKEN } from './wire.ts';

const BODY = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

let harness: Harness;
let isRevoked = false;
let now = 0;
before(async () => {
  harness = await startHarness({
    now: () => now,
    authenticate: async (_request, reply) => {
      if (!isRevoked) return { user: 'alice', incarnation: '1', clientId: 'client' };
      reply.code(401).send({ error: 'unauthorized' });
      return undefined;
    },
  });
});
after(() => harness.close());

for (const [what, tookMs, revoked, status] of [
  ['a body that comes at once is served by the token it came with', 0, true, 200],
  ['a body that took its time is served while its token is good', 5_000, false, 200],
  ['a body that took its time is refused once its token is not good any more', 5_000, true, 401],
] as const) {
  test(what, async () => {
    isRevoked = false;
    const headers = { ...TOKEN, ...JSON_TYPE, 'content-length': BODY.length };
    const sent = request(harness.url, {
      method: 'POST',
      headers: { ...headers, expect: '100-continue' },
    });
    sent.flushHeaders();
    // Node says so in the same turn in which the token is judged.
    await once(sent, 'continue');
    isRevoked = revoked;
    now += tookMs;
    sent.end(BODY);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    assert.equal(answer.statusCode, status);
  });
}
