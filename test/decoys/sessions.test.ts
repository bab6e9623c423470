/** The session id of the MCP decoy: who sends it back as told is a client, everybody else a thief. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { parseAddress } from '../../src/core/net/address.ts';
import { DAY_MS } from '../../src/core/time.ts';
import { Honeytokens, type Site } from '../../src/decoys/tokens/honeytoken.ts';
import { type AskOptions, KEY, NOW_MS, rpc, startDecoys, type TestDecoys } from './support.ts';

const DAY = Math.floor(NOW_MS / DAY_MS);
const PROXY = '127.0.0.1';
const V6 = '2001:db8:1:2::7';

let decoys: TestDecoys;
before(async () => {
  decoys = await startDecoys({ isTrustedProxy: (peer) => peer === PROXY });
});
after(() => decoys.close());

function session(to: string, { site = 'decoys' as Site, day = DAY } = {}): string {
  return new Honeytokens({ key: KEY, site }).seal('session', parseAddress(to)!, day);
}

/** Where the honeytokens of one request were told to be, and how many decoys it met. */
async function asked(target: string, options: AskOptions = {}, from = '203.0.113.7') {
  const seen = decoys.written.length;
  const headers = { ...options.headers, 'x-forwarded-for': from };
  await decoys.ask(target, { method: 'POST', body: rpc('ping'), ...options, headers });
  const lines = decoys.lines().slice(seen);
  return {
    told: lines.flatMap((line) => line['honeytoken.presented_in'] ?? []),
    hits: lines.filter(({ event }) => event === 'decoy_hit').length,
  };
}

const HIT = { told: [], hits: 1 };
const MINE = session('203.0.113.7');
const header = (token: string) => ({ headers: { 'mcp-session-id': token } });
const password = new Honeytokens({ key: KEY, site: 'decoys' }).seal(
  'configDatabase',
  parseAddress('203.0.113.7')!,
  DAY,
);

for (const [what, target, options, from] of [
  ['in the header', '/mcp', header(MINE)],
  ['in the header, to a separate path', '/mcp/sse', header(MINE)],
  ['in the address that the stream named', `/mcp?sessionId=${MINE}`, {}],
  ['in both', `/mcp?sessionId=${MINE}`, header(MINE)],
  ['in the header, from a neighbour in its /64', '/sse', header(session(V6)), '2001:db8:1:2::8'],
  ['a day later', '/mcp', header(session('203.0.113.7', { day: DAY - 1 }))],
] as const) {
  test(`a client that sends its session id back ${what} is a hit and no more`, async () => {
    assert.deepEqual(await asked(target, options, from), HIT);
  });
}

test('a client that opens a stream or ends its session is not reported as a use', async () => {
  for (const method of ['GET', 'DELETE']) {
    const { told } = await asked('/mcp', { ...header(MINE), method, body: '' });
    assert.deepEqual(told, []);
  }
});

for (const [what, target, options, where, from] of [
  ['from another address', '/mcp', header(MINE), 'header mcp-session-id', '203.0.113.8'],
  ['from another /64', '/mcp', header(session(V6)), 'header mcp-session-id', '2001:db8:1:3::7'],
  ['at another path', '/nothing', header(MINE), 'header mcp-session-id'],
  ['in another header', '/mcp', { headers: { 'x-api-key': MINE } }, 'header x-api-key'],
  ['in another parameter', `/mcp?token=${MINE}`, {}, 'url'],
  ['in a second parameter', `/mcp?sessionId=${MINE}&token=${MINE}`, {}, 'url'],
  ['in the body', '/mcp', { body: rpc('ping', { token: MINE }) }, 'body'],
  [
    'that another program gave out',
    '/mcp',
    header(session('203.0.113.7', { site: 'notes' })),
    'header mcp-session-id',
  ],
  ['that is a password', '/mcp', header(password), 'header mcp-session-id'],
  [
    'also as a bearer token',
    '/mcp',
    { headers: { 'mcp-session-id': MINE, authorization: `Bearer ${MINE}` } },
    'header authorization',
  ],
] as const) {
  test(`a session id ${what} is told`, async () => {
    assert.deepEqual((await asked(target, options, from)).told, [where]);
  });
}

test('the calls of a long session are not counted as repeated uses', async () => {
  const from = '203.0.113.9';
  const own = header(session(from));
  for (let call = 0; call < 100; call++) assert.deepEqual(await asked('/mcp', own, from), HIT);
  await setTimeout(1_100);
  assert.deepEqual(
    decoys.lines().filter(({ event }) => event === 'events_left_out'),
    [],
  );
});
