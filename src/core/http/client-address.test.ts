import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cidrContains, parseAddress, parseCidr } from '../net/address.ts';
import { clientOf, sourceOf } from './client-address.ts';

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
  ['a port from a proxy', '10.0.0.1', '203.0.113.7:5555', '203.0.113.7', 'x-forwarded-for'],
  ['a port after IPv6', '10.0.0.1', '[2001:db8::5]:443', '2001:db8::5', 'x-forwarded-for'],
  ['brackets and no port', '10.0.0.1', '[2001:db8::5]', '2001:db8::5', 'x-forwarded-for'],
  ['a port that is none', '10.0.0.1', '203.0.113.7:http', '10.0.0.1', 'socket'],
  ['a proxy with a port', '10.0.0.1', '203.0.113.7, 10.2.2.2:80', '203.0.113.7', 'x-forwarded-for'],
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

const same: [string, string, boolean][] = [
  ['203.0.113.7', '203.0.113.7', true],
  ['203.0.113.7', '203.0.113.8', false],
  ['203.0.113.7', '::ffff:203.0.113.7', true],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['fe80::1%eth0', 'fe80::2%eth1', true],
];
for (const [one, other, expected] of same) {
  test(`${one} and ${other} are ${expected ? 'one source' : 'two sources'}`, () => {
    assert.equal(sourceOf(one) === sourceOf(other), expected);
  });
}
