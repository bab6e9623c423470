import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cidrContains, parseAddress, parseCidr } from '../core/address.ts';
import { clientOf } from './client.ts';

const trusted = ['10.0.0.0/8', 'fd00::/8'].map((text) => parseCidr(text)!);
const isTrustedProxy = (peer: string) =>
  trusted.some((cidr) => cidrContains(cidr, parseAddress(peer)!));

const rows: readonly [
  what: string,
  peer: string | undefined,
  forwarded: string | undefined,
  address: string,
  learntFrom: string,
][] = [
  ['no header', '203.0.113.7', undefined, '203.0.113.7', 'socket'],
  ['a stranger who forges', '203.0.113.7', '8.8.8.8', '203.0.113.7', 'socket'],
  ['a trusted proxy', '10.0.0.1', '203.0.113.7', '203.0.113.7', 'x-forwarded-for'],
  ['a forger behind it', '10.0.0.1', '8.8.8.8, 203.0.113.7', '203.0.113.7', 'x-forwarded-for'],
  ['two proxies', '10.0.0.1', '8.8.8.8, 203.0.113.7, 10.9.9.9', '203.0.113.7', 'x-forwarded-for'],
  ['proxies only', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3', 'x-forwarded-for'],
  ['nonsense from a proxy', '10.0.0.1', 'unknown', '10.0.0.1', 'socket'],
  ['nonsense before the client', '10.0.0.1', 'x, 203.0.113.7', '203.0.113.7', 'x-forwarded-for'],
  ['an empty header', '10.0.0.1', '', '10.0.0.1', 'socket'],
  ['IPv6', 'fd00::1', '2001:db8::5', '2001:db8::5', 'x-forwarded-for'],
  ['a mapped peer', '::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7', 'x-forwarded-for'],
  ['a link-local peer', 'fe80::1%eth0', undefined, 'fe80::1', 'socket'],
  ['no peer at all', undefined, undefined, '0.0.0.0', 'socket'],
];

for (const [what, peer, forwarded, address, learntFrom] of rows) {
  test(`the client with ${what} is ${address}`, () => {
    const client = clientOf(peer, forwarded, isTrustedProxy);
    assert.deepEqual([client.address.text, client.learntFrom], [address, learntFrom]);
  });
}

test('without trusted proxies the header is never read', () => {
  assert.equal(clientOf('10.0.0.1', '203.0.113.7', undefined).address.text, '10.0.0.1');
});
