/** Nobody can get a protected address into a blocklist, nor fill the memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cidrContains, parseAddress, parseCidr } from '../../core/net/address.ts';
import { type EventLine, eventLine } from '../event-log/event-lines.ts';
import { SourceCollector } from './sources.ts';

const TS = '2026-11-15T10:00:00.000Z';

function line(event: string, fields: object): EventLine {
  const made = eventLine({ ts: TS, event, ...fields });
  assert.ok(made !== undefined && made !== 'other');
  return made;
}

const hit = (ip: string, fields: object = {}) =>
  line('decoy_hit', { tag: 'aws-credentials', 'source.ip': ip, ...fields });

test('no list holds an address that is allowed, signed in or of this machine', () => {
  const octet = fc.integer({ min: 0, max: 3 });
  const ipv4 = fc
    .tuple(fc.constantFrom(10, 127, 203), octet, octet)
    .map((part) => `${part.join('.')}.1`);
  const ipv6 = fc.tuple(octet, octet).map(([a, b]) => `2001:db8:${a}::${b + 1}`);
  const ip = fc.oneof(ipv4, ipv6, fc.constantFrom('::1', '::2', '::ffff:127.0.0.1'));
  const bits = fc.integer({ min: 8, max: 128 });
  const network = fc.tuple(ip, bits).map(([text, length]) => {
    return parseCidr(`${text}/${Math.min(length, text.includes(':') ? 128 : 32)}`)!;
  });
  fc.assert(
    fc.property(
      fc.array(ip),
      fc.array(ip),
      fc.array(network, { maxLength: 3 }),
      (hits, users, allow) => {
        const collector = new SourceCollector({ sinceMs: undefined, minHits: 1, allow });
        for (const each of hits) collector.add(hit(each));
        for (const each of users) collector.add(line('login_success', { ip: each }));
        const blocked = collector.result().sources.map(({ address }) => parseCidr(address)!);
        const isProtected = (text: string) =>
          blocked.some((range) => cidrContains(range, parseAddress(text)!));
        for (const each of [...users, '127.0.0.1', '::1']) assert.ok(!isProtected(each), each);
        for (const each of hits) {
          const address = parseAddress(each)!;
          if (allow.some((range) => cidrContains(range, address)))
            assert.ok(!isProtected(each), each);
        }
      },
    ),
  );
});

test('a flood of invented sources is forgotten before one that came more often', () => {
  const collector = new SourceCollector({ sinceMs: undefined, minHits: 2, allow: [] }, 100);
  collector.add(hit('1.1.1.1'));
  collector.add(hit('1.1.1.1'));
  for (let at = 0; at < 10_000; at++) collector.add(hit(`2001:db8:0:${at.toString(16)}::1`));
  const { sources, leftOut } = collector.result();
  assert.deepEqual(
    sources.map(({ address }) => address),
    ['1.1.1.1'],
  );
  assert.ok(leftOut >= 9_900 && leftOut <= 10_000, `${leftOut}`);
});
