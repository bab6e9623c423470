import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseListen } from './listen.ts';

describe('a listen address', () => {
  const accepted: [text: string, host: string | undefined, port: number][] = [
    [':2019', undefined, 2019],
    [':0', undefined, 0],
    [':65535', undefined, 65535],
    ['127.0.0.1:2019', '127.0.0.1', 2019],
    ['0.0.0.0:80', '0.0.0.0', 80],
    ['localhost:2020', 'localhost', 2020],
    ['my_host-1.example:2021', 'my_host-1.example', 2021],
    ['[::1]:2019', '::1', 2019],
    ['[::]:2019', '::', 2019],
    ['[::ffff:127.0.0.1]:2019', '::ffff:127.0.0.1', 2019],
  ];
  for (const [text, host, port] of accepted) {
    test(`${text} is read`, () => assert.deepEqual(parseListen(text), { host, port }));
  }

  for (const text of [
    ...[
      '',
      ':',
      '2019',
      'localhost',
      'localhost:',
      ':65536',
      ':-1',
      ':+1',
      ':0x50',
      ':2019 ',
      ' :2019',
    ],
    ...['::1:2019', '[::1]', '[::1]2019', '[]:2019', '[localhost]:2019', '[127.0.0.1]:2019'],
    ...['[fe80::1%eth0]:2019', 'http://localhost:2019', 'a b:1', '*:2019', ':2019\n', ':100000'],
  ]) {
    test(`${JSON.stringify(text)} is refused`, () => assert.equal(parseListen(text), undefined));
  }
});
