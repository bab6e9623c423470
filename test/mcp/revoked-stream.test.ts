/** Streams that were opened with a token that is no longer good. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Harness, startHarness } from './harness.ts';
import { all, initialize, messages, modern, open } from './wire.ts';

const GET = { method: 'GET' };
const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });

const streams: Record<string, (url: string) => ReturnType<typeof open>> = {
  'a GET stream': (url) => open(url, undefined, GET),
  'a GET stream of a session': async (url) =>
    open(url, undefined, { ...GET, headers: await initialize(url) }),
  'a subscription': (url) => open(url, listen.body, { headers: listen.headers }),
};

/** The methods of the messages that come until the stream ends. */
async function told(harness: Harness, openIn: (typeof streams)[string], revoke: () => void) {
  const { incoming } = await openIn(harness.url);
  revoke();
  const methods = (await all(messages(incoming))).map(({ method }) => method);
  await harness.close();
  return methods;
}

for (const [what, openIn] of Object.entries(streams)) {
  test(`${what} ends at a beat once its token is not good any more`, async () => {
    let isGood = true;
    const harness = await startHarness({
      isAlive: async () => isGood,
      timings: { keepAliveMs: 5 },
    });
    await told(harness, openIn, () => {
      isGood = false;
    });
  });

  test(`${what} whose token is not good any more ends instead of carrying a message`, async () => {
    const harness = await startHarness({
      isAlive: async ({ headers }) => headers.authorization !== 'Bearer alice-token',
    });
    const methods = await told(harness, openIn, () => harness.endpoint.toolsChanged('alice'));
    assert.ok(!methods.includes('notifications/tools/list_changed'));
  });

  test(`${what} ends when nobody can tell whether its token is good`, async () => {
    const harness = await startHarness({ isAlive: () => Promise.reject(new Error('down')) });
    await told(harness, openIn, () => harness.endpoint.toolsChanged('alice'));
  });
}
