import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseStoreAddress } from './store-address.ts';

const HOST = { host: 'h', port: 6379 };

describe('a store address is read', () => {
  const rows: [text: string, expected: object][] = [
    ['redis://h', { kind: 'server', hosts: [HOST], db: 0, isTls: false, prefix: 'gatehouse:' }],
    ['redis://h:7000/3', { hosts: [{ host: 'h', port: 7000 }], db: 3 }],
    ['redis://[::1]:7000', { hosts: [{ host: '::1', port: 7000 }] }],
    ['rediss://h', { kind: 'server', isTls: true }],
    ['redis://h/0?prefix=home:', { prefix: 'home:' }],
    ['redis://ada:p%40ss@h', { username: 'ada', password: 'p@ss', text: 'redis://ada@h' }],
    [
      'redis://:secret-word@h/1',
      { username: undefined, password: 'secret-word', text: 'redis://h/1' },
    ],
    ['unix:///run/redis.sock', { kind: 'socket', name: '/run/redis.sock', hosts: [], db: 0 }],
    ['unix://ada:word@/run/redis.sock?db=2', { username: 'ada', password: 'word', db: 2 }],
    [
      'redis+sentinel://a,b:1,c/main/4',
      {
        kind: 'sentinel',
        hosts: [
          { host: 'a', port: 26379 },
          { host: 'b', port: 1 },
          { host: 'c', port: 26379 },
        ],
        name: 'main',
        db: 4,
      },
    ],
    ['rediss+sentinel://h/main', { kind: 'sentinel', isTls: true }],
    [
      'rediss+cluster://h,i:7001',
      { kind: 'cluster', isTls: true, hosts: [HOST, { host: 'i', port: 7001 }] },
    ],
  ];
  for (const [text, expected] of rows) {
    test(text, () => {
      const address = parseStoreAddress(text);
      assert.ok(address);
      for (const [name, value] of Object.entries(expected)) {
        const found: unknown = address[name as keyof typeof address];
        if (name === 'password') assert.ok(address.password?.equals(value));
        else assert.deepEqual(found, value, name);
      }
    });
  }
});

describe('what is no store address is refused', () => {
  for (const text of [
    ...['', 'redis', 'redis:', 'redis://', 'http://h', 'redis:/h', ' redis://h', 'redis://h\n'],
    ...[
      'redis://h:0',
      'redis://h:65536',
      'redis://h:x',
      'redis://h:',
      'redis://a,b',
      'redis://h/x',
    ],
    ...[
      'redis://h/1000',
      'redis://h/-1',
      'redis://h?db=1',
      'redis://h?prefix=',
      'redis://h?prefix=a b',
    ],
    ...[
      'redis://h?tls=true',
      'redis://h#x',
      'redis://a@b@c',
      'redis://a:%zz@h',
      'unix://h/x',
      'unix://',
    ],
    ...['unix:///x?db=x', 'unix+cluster:///x', 'redis+sentinel://h', 'redis+sentinel:///name'],
    ...[
      'redis+cluster://',
      'redis+cluster://h/1',
      'redis+other://h',
      `redis://h?prefix=${'x'.repeat(65)}`,
    ],
  ]) {
    test(JSON.stringify(text), () => assert.equal(parseStoreAddress(text), undefined));
  }
});
