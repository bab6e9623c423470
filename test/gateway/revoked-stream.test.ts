/** A sign-in that was ended because something spent was presented leaves no stream behind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStream, signIn, startGateway } from '../support/gateway/gateway.ts';
import { PASSWORD, PASSWORD_HASH } from '../support/gateway/signed-in.ts';

function config(description: string): string {
  const target = { id: 't', description, base_url: 'https://api.example.com' };
  return JSON.stringify({ users: [{ name: 'ada', password: PASSWORD_HASH, targets: [target] }] });
}

test('the streams of a sign-in end with it, those of others hear of a change', async () => {
  const gateway = await startGateway({ config: config('one') });
  try {
    const stolen = await signIn(gateway.url, 'ada', PASSWORD);
    const other = await signIn(gateway.url, 'ada', PASSWORD);
    const streams = [
      await openStream(gateway.url, stolen.accessToken),
      await openStream(gateway.url, other.accessToken),
    ] as const;
    const refresh = (refresh_token: string) =>
      fetch(`${gateway.url}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          client_id: stolen.clientId,
          refresh_token,
        }),
      });
    const second = await refresh(stolen.refreshToken);
    const { refresh_token } = (await second.json()) as { refresh_token: string };
    assert.equal((await refresh(refresh_token)).status, 200);
    assert.equal((await refresh(stolen.refreshToken)).status, 400);
    gateway.writeConfig(config('two'));
    assert.deepEqual(await streams[1].next(), {
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
    });
    assert.equal(await streams[0].next(), undefined);
    streams[1].close();
  } finally {
    await gateway.stop();
  }
});
