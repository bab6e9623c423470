import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type Address,
  canonicalHost,
  cidrContains,
  classify,
  hostLiteral,
  isMetadata,
  parseAddress,
  parseCidr,
} from './address.ts';

/** Every blocked range: name, first and last address, and the neighbours that must pass. */
const ranges: [
  name: string,
  first: string,
  last: string,
  before: string | undefined,
  after: string | undefined,
][] = [
  ['unspecified', '0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
  ['private', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['carrier-nat', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['metadata', '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['link-local', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['private', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['reserved', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['documentation', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['reserved', '192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
  ['reserved', '192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
  ['transition', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['private', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['reserved', '192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
  ['benchmark', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['documentation', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['documentation', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['multicast', '224.0.0.0', '239.255.255.255', '223.255.255.255', undefined],
  ['reserved', '240.0.0.0', '255.255.255.255', undefined, undefined],
  [
    'reserved',
    '2001::',
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2000:ffff:ffff::',
    '2001:200::',
  ],
  [
    'documentation',
    '2001:db8::',
    '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db7:ffff::',
    '2001:db9::',
  ],
  ['transition', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff:ffff::', '2003::'],
  [
    'reserved',
    '2620:4f:8000::',
    '2620:4f:8000:ffff:ffff:ffff:ffff:ffff',
    '2620:4f:7fff:ffff::',
    '2620:4f:8001::',
  ],
  [
    'documentation',
    '3fff::',
    '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3ffe:ffff:ffff::',
    '3fff:1000::',
  ],
  ['reserved', '::2', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, '2000::'],
  ['reserved', '4000::', 'fbff:ffff::', '3fff:ffff:ffff::', undefined],
];

const single: [text: string, name: string][] = [
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['fc00::1', 'private'],
  ['fdff::1', 'private'],
  ['fe80::1', 'link-local'],
  ['febf::1', 'link-local'],
  ['fec0::1', 'reserved'],
  ['ff02::1', 'multicast'],
  ['::7f00:1', 'reserved'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['::ffff:8.8.8.8', 'public'],
  ['::ffff:0:8.8.8.8', 'reserved'],
  ['64:ff9b::7f00:1', 'loopback'],
  ['64:ff9b::10.1.2.3', 'private'],
  ['64:ff9b::8.8.8.8', 'public'],
  ['64:ff9b:1::808:808', 'reserved'],
  ['64:ff9b:0:0:1::808:808', 'reserved'],
  ['2002:7f00:1::', 'transition'],
  ['2a00:1450::5efe:10.0.0.1', 'private'],
  ['2a00:1450::200:5efe:127.0.0.1', 'loopback'],
  ['2a00:1450::5efe:8.8.8.8', 'public'],
  ['2a00:1450::5eff:10.0.0.1', 'public'],
  ['2a00:1450:4001:80e::200e', 'public'],
  ['2606:4700:4700::1111', 'public'],
];

function address(text: string): Address {
  const parsed = parseAddress(text);
  assert.ok(parsed, text);
  return parsed;
}

function isBlocked(parsed: Address): boolean {
  return classify(parsed) !== 'public';
}

function network(text: string) {
  const cidr = parseCidr(text);
  assert.ok(cidr, text);
  return cidr;
}

describe('address classes', () => {
  for (const [name, first, last, before, after] of ranges) {
    test(`${first} to ${last} is ${name} and its neighbours pass`, () => {
      assert.equal(classify(address(first)), name);
      assert.equal(classify(address(last)), name);
      for (const neighbour of [before, after]) {
        if (neighbour !== undefined)
          assert.equal(classify(address(neighbour)), 'public', neighbour);
      }
    });
  }

  for (const [text, name] of single) {
    test(`${text} is ${name}`, () => {
      assert.equal(classify(address(text)), name);
    });
  }

  test('an IPv4 address is judged alike plain, mapped and behind NAT64', () => {
    fc.assert(
      fc.property(ipv4(), (value) => {
        const expected = referenceBlockedIpv4(value);
        const dotted = dottedOf(value);
        for (const text of [dotted, `::ffff:${dotted}`, `64:ff9b::${dotted}`]) {
          assert.equal(isBlocked(address(text)), expected, text);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('an IPv6 address is judged as big-integer arithmetic judges it', () => {
    fc.assert(
      fc.property(ipv6(), (value) => {
        assert.equal(isBlocked(address(hextetsOf(value))), referenceBlockedIpv6(value));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('metadata addresses', () => {
  const plain = [
    ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '168.63.129.16'],
    ...['100.100.100.200', '192.0.0.192'],
  ];
  for (const text of plain) {
    const [a, b, c, d] = text.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
    const hex = `${a}${b}:${c}${d}`;
    const wrapped = [
      ...[`::ffff:${hex}`, `64:ff9b::${hex}`, `64:ff9b:1::${hex}`, `::${hex}`, `2002:${hex}::1`],
      `2a00::5efe:${hex}`,
    ];
    for (const form of [text, ...wrapped]) {
      test(`${form} is metadata (${text})`, () => {
        assert.equal(isMetadata(address(form)), true);
        assert.equal(classify(address(form)), 'metadata');
      });
    }
  }
  for (const text of ['fd00:ec2::254', 'fd00:0ec2:0:0::254', 'fd00:ec2::23', 'fd20:ce::254']) {
    test(`${text} is metadata`, () => assert.equal(isMetadata(address(text)), true));
  }
  for (const text of [
    '169.254.169.253',
    '169.254.170.3',
    '100.100.100.201',
    'fd00:ec2::255',
    '::1',
  ]) {
    test(`${text} is not metadata`, () => assert.equal(isMetadata(address(text)), false));
  }
});

describe('address spellings', () => {
  for (const text of [
    ...['', 'localhost', '127.1', '0x7f.0.0.1', '0177.0.0.1', '1.2.3.256', '1.2.3.4.', ' 1.2.3.4'],
    ...['fe80::1%eth0', '::1%1', '[::1]', '1::2::3', ':::', '::ffff:1.2.3', '1.2.3.4/32'],
  ]) {
    test(`"${text}" is not an address`, () => assert.equal(parseAddress(text), undefined));
  }

  test('text is the canonical spelling', () => {
    assert.equal(address('2001:0DB8:0:0::0001').text, '2001:db8::1');
    assert.equal(address('::FFFF:102:304').text, '1.2.3.4');
  });

  const literals: [host: string, text: string | undefined][] = [
    ['2130706433', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['0177.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['0', '0.0.0.0'],
    ['１２７.０.０.１', '127.0.0.1'],
    ['127。0。0。1', '127.0.0.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['127.0.0.1..', '127.0.0.1'],
    ['[::ffff:7f00:1]', '127.0.0.1'],
    ['[0:0::1]', '::1'],
    ['::1', '::1'],
    ['8.8.8.8', '8.8.8.8'],
    ['example.com', undefined],
    ['1.2.3.4.example', undefined],
    ['1.2.3.4.5', undefined],
    ['[::1]:80', undefined],
    ['127.0.0.1:80', undefined],
    ['x@127.0.0.1', undefined],
    ['127.0.0.1/x', undefined],
    ['[fe80::1%25eth0]', undefined],
    ['', undefined],
  ];
  for (const [host, text] of literals) {
    test(`the host "${host}" stands for ${text}`, () =>
      assert.equal(hostLiteral(host)?.text, text));
  }

  test('a host name is lower case, in its ASCII form, without trailing dots', () => {
    assert.equal(canonicalHost('BÜCHER.Example.'), 'xn--bcher-kva.example');
    assert.equal(canonicalHost('ｅxample.com'), 'example.com');
    assert.equal(canonicalHost('...'), undefined);
    assert.equal(canonicalHost('a'.repeat(256)), undefined);
  });
});

describe('networks', () => {
  const rows: [cidr: string, held: string[], outside: string[]][] = [
    [
      '10.0.0.0/8',
      ['10.0.0.0', '10.255.255.255', '::ffff:10.1.2.3'],
      ['9.255.255.255', '11.0.0.0', '::a01:203', '64:ff9b::a01:203'],
    ],
    ['192.168.1.5/24', ['192.168.1.0', '192.168.1.255'], ['192.168.0.255', '192.168.2.0']],
    ['192.168.1.5', ['192.168.1.5'], ['192.168.1.4', '192.168.1.6']],
    ['10.0.0.0/13', ['10.7.255.255'], ['10.8.0.0']],
    ['0.0.0.0/0', ['0.0.0.0', '255.255.255.255', '::ffff:1.2.3.4'], ['::', '2000::1']],
    ['::/0', ['::', '::1', 'ffff::'], ['1.2.3.4', '::ffff:1.2.3.4']],
    ['fd00::/8', ['fd00::', 'fdff:ffff::1'], ['fc00::', 'fe00::']],
    ['fd12:3456::1', ['fd12:3456::1'], ['fd12:3456::', 'fd12:3456::2']],
    ['::ffff:10.0.0.0/104', ['10.9.9.9', '::ffff:10.9.9.9'], ['11.0.0.0']],
    ['::ffff:10.0.0.1', ['10.0.0.1'], ['10.0.0.2']],
  ];
  for (const [text, held, outside] of rows) {
    test(`${text} holds ${held.join(' ')} and not ${outside.join(' ')}`, () => {
      for (const inside of held)
        assert.equal(cidrContains(network(text), address(inside)), true, inside);
      for (const other of outside)
        assert.equal(cidrContains(network(text), address(other)), false, other);
    });
  }

  test('host bits are cleared and shown so', () => {
    assert.equal(network('192.168.1.5/24').text, '192.168.1.0/24');
    assert.equal(network('fd12:3456::1/16').text, 'fd12::/16');
    assert.equal(network('::ffff:10.1.2.3/104').text, '10.0.0.0/8');
    assert.equal(network('::1').text, '::1/128');
  });

  for (const text of [
    ...['', '/8', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/08', '10.0.0.0/8/8', '10/8'],
    ...['::/129', 'fe80::%eth0/64', 'localhost/8', '10.0.0.0/8 ', '10.0.0.0/0x8'],
  ]) {
    test(`"${text}" is not a network`, () => assert.equal(parseCidr(text), undefined));
  }

  test('membership is what big-integer arithmetic says, near the edges too', () => {
    const anyBits = fc.nat({ max: 128 });
    fc.assert(
      fc.property(
        ipv6(),
        ipv6(),
        anyBits,
        fc.constantFrom(-1n, 0n, 1n),
        (base, far, bits, step) => {
          const shift = BigInt(128 - bits);
          const start = (base >> shift) << shift;
          const end = start + (1n << shift) - 1n;
          for (const value of [start + step, end + step, far]) {
            if (value < 0n || value > max6 || isMappedValue(value) || isMappedValue(base)) continue;
            const cidr = network(`${hextetsOf(base)}/${bits}`);
            assert.equal(
              cidrContains(cidr, address(hextetsOf(value))),
              value >= start && value <= end,
            );
          }
        },
      ),
    );
  });
});

const max6 = (1n << 128n) - 1n;

function dottedOf(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
}

function hextetsOf(value: bigint): string {
  const parts: string[] = [];
  for (let shift = 112n; shift >= 0n; shift -= 16n)
    parts.push(((value >> shift) & 0xffffn).toString(16));
  return parts.join(':');
}

function numberOf(text: string): bigint {
  return address(text).bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
}

function isMappedValue(value: bigint): boolean {
  return value >> 32n === 0xffffn;
}

const rows4 = ranges.filter(([, first]) => first.includes('.'));
const rows6 = ranges
  .filter(([, first]) => first.startsWith('2') || first.startsWith('3'))
  .filter(([, first]) => first.includes(':'));

/** Any address, half of them within three of the edge of a range. */
function nearEdges(rows: typeof ranges, top: bigint): fc.Arbitrary<bigint> {
  const edges = rows.flatMap(([, first, last]) => [numberOf(first), numberOf(last)]);
  const near = fc
    .tuple(fc.constantFrom(...edges), fc.bigInt({ min: -3n, max: 3n }))
    .map(([edge, step]) => edge + step)
    .filter((value) => value >= 0n && value <= top);
  return fc.oneof(near, fc.bigInt({ min: 0n, max: top }));
}

function ipv4(): fc.Arbitrary<bigint> {
  return nearEdges(rows4, (1n << 32n) - 1n);
}

function ipv6(): fc.Arbitrary<bigint> {
  const global = fc.bigInt({ min: 1n << 125n, max: (1n << 126n) - 1n });
  const isatap = fc
    .tuple(global, ipv4(), fc.constantFrom(0x5efen, 0x2005efen, 0x1005efen))
    .map(([high, low, id]) => ((high >> 64n) << 64n) | (id << 32n) | low);
  return fc.oneof(nearEdges(rows6, max6), global, isatap);
}

function within(value: bigint, rows: typeof ranges): boolean {
  return rows.some(([, first, last]) => value >= numberOf(first) && value <= numberOf(last));
}

function referenceBlockedIpv4(value: bigint): boolean {
  return within(value, rows4);
}

function referenceBlockedIpv6(value: bigint): boolean {
  if (isMappedValue(value) || value >> 32n === 0x64ff9bn << 64n)
    return referenceBlockedIpv4(value & 0xffffffffn);
  if (value >> 125n !== 1n || within(value, rows6)) return true;
  const id = (value >> 32n) & 0xffffffffn;
  return (id === 0x5efen || id === 0x2005efen) && referenceBlockedIpv4(value & 0xffffffffn);
}
