/** The decoys within the gateway: before its 404, behind everything real, and what they betray. */
import { after } from 'node:test';
import { KEY, testMountedDecoys } from '../support/decoys/mounted-decoys.ts';
import { callTool, signIn, startGateway } from '../support/gateway/gateway.ts';
import { PASSWORD, PASSWORD_HASH } from '../support/gateway/signed-in.ts';
import { freePort } from '../support/programs/free-port.ts';

const USERS = `users: [{name: alice, password: "${PASSWORD_HASH}"}]`;

const plain = await startGateway({ config: USERS });
const metricsListen = `127.0.0.1:${await freePort()}`;
const metrics = `{listen: "${metricsListen}", key: key-of-the-metrics}`;
const trapped = await startGateway({
  config: `server: {decoys: {key: ${KEY}}, metrics: ${metrics}}\n${USERS}`,
});
after(async () => {
  await plain.stop();
  await trapped.stop();
});

async function callWith(text: string): Promise<void> {
  const { accessToken } = await signIn(trapped.url, 'alice', PASSWORD);
  const args = { url: 'https://example.com/', body: text };
  await callTool(trapped.url, accessToken, 'http_request', args);
}

testMountedDecoys(
  () => ({ plain, trapped, metricsUrl: `http://${metricsListen}`, callWith }),
  ['/', '/nothing', '/fetch', '/fetch?url=https://example.com', '/api/v1/cats/1'],
);
