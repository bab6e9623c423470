/** Real MCP clients sign in to the gateway, see its tools and send a request through it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type GatewayProcess, startGateway } from '../support/gateway/gateway.ts';
import { PASSWORD, PASSWORD_HASH } from '../support/gateway/signed-in.ts';
import { startUpstream, type Upstream } from '../support/http/upstream.ts';
import { REAL_CLIENTS, type RealClient } from '../support/mcp/real-clients.ts';

const SECRET = 'sk-live-9f8e7d6c5b4a';
const ALICE = { name: 'alice', password: PASSWORD };

let upstream: Upstream;
let gateway: GatewayProcess;
before(async () => {
  upstream = await startUpstream();
  gateway = await startGateway({
    config: `
server:
  allow_networks: [127.0.0.0/8]
users:
  - name: ${ALICE.name}
    password: ${PASSWORD_HASH}
    secrets: {api_key: ${SECRET}}
    targets:
      - id: echo
        description: Reflects what it is sent.
        base_url: ${upstream.url}
        inject: {headers: {X-Api-Key: "\${api_key}"}}
`,
  });
});
after(async () => {
  await gateway.stop();
  await upstream.close();
});

for (const [name, connected] of REAL_CLIENTS) {
  test(`${name} signs in and calls a tool`, () => connected(gateway.url, ALICE, works));
}

async function works(client: RealClient): Promise<void> {
  assert.equal(client.getServerVersion()?.name, 'gatehouse-gateway');
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ['list_targets', 'http_request'],
  );
  const url = `${upstream.url}/x`;
  const answer = await client.callTool({ name: 'http_request', arguments: { url } });
  const { status, body, target } = answer.structuredContent as Record<string, unknown>;
  assert.deepEqual({ status, target }, { status: 200, target: 'echo' });
  assert.equal(upstream.received.at(-1)?.headers['x-api-key'], SECRET);
  assert.match(String(body), /"x-api-key":"\[REDACTED\]"/);
  const refused = await client.callTool({
    name: 'http_request',
    arguments: { url: 'https://example.com/' },
  });
  assert.equal(refused.isError, true);
}
