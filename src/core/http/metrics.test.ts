/** A key that is accepted is a key that can be presented: over a socket, as Prometheus does it. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { Secret } from '../secrets/secret.ts';
import { Metrics, metricsKeyProblem } from './metrics.ts';

const VISIBLE = String.fromCharCode(...Array.from({ length: 94 }, (_, n) => 0x21 + n));
const problemOf = (key: string) => metricsKeyProblem(new Secret('metrics key', key));

describe('a metrics key', () => {
  for (const [what, key] of [
    ['16 characters', 'x'.repeat(16)],
    ['every visible ASCII character', VISIBLE],
  ] as const) {
    test(`is accepted: ${what}`, () => assert.equal(problemOf(key), undefined));
  }

  test('is refused when it is shorter than 16 characters', () => {
    assert.equal(problemOf('x'.repeat(15)), 'must have at least 16 characters');
  });

  for (const [what, key] of [
    ['a space inside', 'correct horse battery'],
    ['a space at its end', 'correct-horse-battery '],
    ['a tab', 'correct\thorse-battery'],
    ['a second line', 'correct-horse-battery\nstaple'],
    ['a letter that is not ASCII', 'correct-horse-bättery'],
    ['a no-break space', 'correct\u00a0horse-battery'],
  ] as const) {
    test(`is refused with ${what}`, () => {
      assert.match(problemOf(key) ?? '', /^must be visible ASCII without spaces/);
    });
  }
});

describe('the route', () => {
  let app: FastifyInstance;
  let url: string;
  before(async () => {
    app = Fastify();
    (await Metrics.create('test', new Secret('metrics key', VISIBLE))).mount(app);
    await app.listen({ host: '127.0.0.1', port: 0 });
    url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/metrics`;
  });
  after(() => app.close());

  test('takes a key of every character that a key may have', async () => {
    const { status } = await fetch(url, { headers: { authorization: `Bearer ${VISIBLE}` } });
    assert.equal(status, 200);
  });

  test('takes no other key', async () => {
    const other = `${VISIBLE.slice(0, -1)}x`;
    const { status } = await fetch(url, { headers: { authorization: `Bearer ${other}` } });
    assert.equal(status, 401);
  });
});
