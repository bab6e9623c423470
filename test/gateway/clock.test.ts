/** What lasts for a time lasts no longer when the clock of the machine is set back. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { signIn, startGateway, submitLogin } from '../support/gateway/gateway.ts';
import { PASSWORD, PASSWORD_HASH } from '../support/gateway/signed-in.ts';

const CONFIG = JSON.stringify({
  server: { code_ttl: '1s', token_ttl: '2s' },
  users: [{ name: 'ada', password: PASSWORD_HASH }],
});

test('codes and tokens end in their time though the clock was set back', {
  timeout: 30_000,
}, async () => {
  const entry = new URL('./clock-set-back.ts', import.meta.url).pathname;
  const gateway = await startGateway({ config: CONFIG, entry });
  try {
    const { clientId } = await signIn(gateway.url, 'ada', PASSWORD);
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const page = `${gateway.url}/authorize?${query}`;
    const code = new URL(await submitLogin(page, 'ada', PASSWORD)).searchParams.get('code')!;
    const { accessToken } = await signIn(gateway.url, 'ada', PASSWORD);
    gateway.signal('SIGUSR2');
    const headers = { authorization: `Bearer ${accessToken}` };
    let status: number;
    do {
      status = (await fetch(`${gateway.url}/mcp`, { method: 'DELETE', headers })).status;
    } while (status !== 401);
    const grant = {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier: verifier,
    };
    const body = new URLSearchParams(grant);
    const answer = await fetch(`${gateway.url}/token`, { method: 'POST', body });
    assert.equal(answer.status, 400);
  } finally {
    await gateway.stop();
  }
});
