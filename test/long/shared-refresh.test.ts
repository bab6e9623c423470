/** A replica that is killed in the middle of a token request does not lose the sign-in. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { KEY } from '../support/gateway/door.ts';
import { CLIENT, startOAuthProvider } from '../support/gateway/oauth-provider.ts';
import { startUpstream } from '../support/http/upstream.ts';
import { PASSWORD_HASH } from '../support/oauth/password.ts';
import { startReplicas } from '../support/replicas/gateway-replicas.ts';
import { replicasMissing } from '../support/replicas/programs.ts';

test('the next replica waits for the lease, and spends the refresh token', {
  skip: replicasMissing(),
}, async () => {
  const [provider, upstream] = [await startOAuthProvider(), await startUpstream()];
  const directory = mkdtempSync(join(tmpdir(), 'shared-refresh-'));
  const tokenFile = join(directory, 'calendar.token');
  writeFileSync(tokenFile, await provider.refreshToken());

  // In front of the provider: keeps the first question, and hands on the others.
  const { promise: hasAsked, resolve: onAsked } = Promise.withResolvers<void>();
  let asked = 0;
  const front = createServer((request, response) => {
    asked += 1;
    if (asked === 1) return onAsked();
    const { method = 'POST', headers, url = '/' } = request;
    const passed = httpRequest(`${provider.url}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    request.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  const frontUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;

  const oauth2 = {
    ...{ grant: 'refresh_token', refresh_token: `file:${tokenFile}` },
    ...{ client_id: CLIENT.id, client_secret: CLIENT.secret, token_url: `${frontUrl}/token` },
  };
  const target = { id: 'calendar', description: 'd', base_url: upstream.url };
  const user = {
    ...{ name: 'ann', password: PASSWORD_HASH, keys: [{ name: 'laptop', key: KEY }] },
    secrets: { calendar: { oauth2 } },
    targets: [{ ...target, inject: { headers: { Authorization: 'Bearer ${calendar}' } } }],
  };
  const server = { allow_networks: ['127.0.0.0/8'], trusted_proxies: ['127.0.0.1'] };
  const gateway = await startReplicas({
    count: 2,
    config: JSON.stringify({ server, users: [user] }),
  });
  const [holder, other] = gateway.replicas;
  const call = (url: string) =>
    fetch(`${url}/via/calendar/x`, { headers: { authorization: `Bearer ${KEY}` } });

  const lost = call(holder!.url).catch(() => 'lost');
  await hasAsked;
  holder!.signal('SIGKILL');
  await holder!.exited;
  assert.equal(await lost, 'lost');

  assert.equal((await call(other!.url)).status, 200);
  assert.equal(asked, 2);
  const token = String(upstream.received.at(-1)!.headers.authorization).slice(7);
  assert.ok(await provider.accepts(token));

  await gateway.stop();
  front.closeAllConnections();
  front.close();
  await upstream.close();
  await provider.close();
  rmSync(directory, { recursive: true });
});
