/**
 * The times that other tests shorten, as they are: a call that runs over 10 s becomes a stream,
 * a silent stream is kept alive every 15 s, a client's document is waited for 5 s. A timer shows
 * that it was not too short; that it fires at all is shown by the event that the test awaits.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { parseCidr } from '../../src/core/net/address.ts';
import { createClientMetadataFetcher } from '../../src/oauth/fetch-client-metadata.ts';
import { all, initialize, items, open, toolCall } from '../mcp/wire.ts';
import { CALLBACK, CHALLENGE, startServer } from '../oauth/support.ts';
import { startSignedIn } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';

/** A timer may fire this much early, since both clocks are rounded. */
const ROUNDING_MS = 10;

const upstream = await startUpstream();
const target = { id: 't', description: 'd', base_url: upstream.url };
const running = await startSignedIn({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [{ name: 'alice', targets: [target] }],
});
after(async () => {
  await running.gateway.stop();
  await upstream.close();
});

describe('with the times of the program itself', { concurrency: true }, () => {
  test('a call that runs over 10 s becomes a stream, and its result comes on it', async () => {
    const asked = new Promise<ServerResponse>((resolve) => {
      upstream.routes.set('/slow', (_request, response) => resolve(response));
    });
    const startedAt = performance.now();
    const opened = open(
      `${running.gateway.url}/mcp`,
      toolCall('http_request', { url: `${upstream.url}/slow` }),
      { headers: { ...bearer(), accept: 'application/json, text/event-stream' } },
    );
    const response = await asked;
    const { incoming } = await opened;
    assertAfter(10_000, startedAt);
    assert.equal(incoming.headers['content-type'], 'text/event-stream');
    const stream = items(incoming);
    assert.deepEqual((await stream.next()).value, { comment: 'open' });
    response.end('late');
    const rest = await all(stream);
    assert.equal(rest.length, 1);
    assert.ok('message' in rest[0]!);
    assert.equal(JSON.parse(rest[0].message.result.content[0].text).body, 'late');
  });

  test('a stream on which nothing happens gets a comment after 15 s', async () => {
    const url = `${running.gateway.url}/mcp`;
    const session = await initialize(url, bearer());
    const headers = { ...bearer(), ...session, accept: 'text/event-stream' };
    const { incoming, outgoing } = await open(url, undefined, { method: 'GET', headers });
    const stream = items(incoming);
    assert.deepEqual((await stream.next()).value, { comment: 'open' });
    const openedAt = performance.now();
    assert.deepEqual((await stream.next()).value, { comment: 'keep-alive' });
    // The beat began before the first comment was read.
    assertAfter(14_500, openedAt);
    outgoing.destroy();
  });

  test("a client's document that never comes is given up after 5 s", async (t) => {
    const fixture = (name: string) =>
      readFileSync(new URL(`../oauth/fixtures/client.example.${name}.pem`, import.meta.url));
    const site = createServer({ key: fixture('key'), cert: fixture('cert') });
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    t.after(() => {
      site.closeAllConnections();
      site.close();
    });
    const asked = once(site, 'request') as Promise<[unknown, ServerResponse]>;
    const oauth = await startServer({
      fetchClientMetadata: createClientMetadataFetcher({
        own: { origins: [], listeners: [], localAddresses: [] },
        resolve: async () => ['127.0.0.1'],
        ca: fixture('cert').toString(),
        allowNetworks: [parseCidr('127.0.0.0/8')!],
      }),
    });
    t.after(() => oauth.close());
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: `https://client.example:${(site.address() as AddressInfo).port}/client.json`,
      redirect_uri: CALLBACK,
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    });
    const startedAt = performance.now();
    const page = fetch(`${oauth.url}/authorize?${query}`, { redirect: 'manual' });
    const [, unanswered] = await asked;
    await once(unanswered, 'close');
    assertAfter(5_000, startedAt);
    assert.equal((await page).status, 400);
    assert.match(String(oauth.lines('client_metadata_unreadable')[0]?.message), /timeout/i);
  });
});

function bearer(): { authorization: string } {
  return { authorization: `Bearer ${running.token('alice')}` };
}

function assertAfter(ms: number, startedAt: number): void {
  const elapsed = performance.now() - startedAt;
  assert.ok(elapsed >= ms - ROUNDING_MS, `${elapsed} ms`);
}
