import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Target } from '../config/config.ts';
import { parseRequestUrl, type RequestUrl } from '../request/request-url.ts';
import { fingerprintOf } from './fingerprint.ts';

interface Fields {
  readonly user: string;
  readonly incarnation: string;
  readonly client: string;
  readonly target: string;
  readonly method: string;
  readonly query: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | undefined;
}

const KEY = createSecretKey(Buffer.alloc(32, 7));
const URL_OF = parseRequestUrl('https://api.example.com/v1') as RequestUrl;
const BASE: Fields = {
  ...{ user: 'ada', incarnation: '1', client: 'client a', target: 't', method: 'POST', query: '' },
  ...{ headers: [['a', '1']], body: 'x' },
};

function fingerprint(fields: Fields, key = KEY): string {
  const { target, query, headers, method, body } = fields;
  const request = {
    ...{ url: { ...URL_OF, query }, method, body, becameGet: false },
    headers: Object.fromEntries(headers),
  };
  return fingerprintOf(fields, { id: target } as Target, request, key);
}

describe('another fingerprint for', () => {
  for (const [what, change] of Object.entries({
    'another user': { user: 'bob' },
    'the user of that name who was added again': { incarnation: '2' },
    'another client': { client: 'client b' },
    'a key of the name of the client': { client: 'key a' },
    'another target': { target: 'u' },
    'another method': { method: 'PUT' },
    'another query': { query: 'a=1' },
    'no header': { headers: [] },
    'another value': { headers: [['a', '2']] },
    'a header more': { headers: [...BASE.headers, ['b', '']] },
    'no body': { body: undefined },
    'an empty body': { body: '' },
    'fields that are cut elsewhere': { user: 'ada1', incarnation: '' },
    'a header that is cut elsewhere': { headers: [['a1', '']] },
    'a body that looks like a header': { headers: [], body: 'a1x' },
  } as Record<string, Partial<Fields>>)) {
    test(what, () => assert.notEqual(fingerprint({ ...BASE, ...change }), fingerprint(BASE)));
  }

  test('another key', () => {
    const other = createSecretKey(Buffer.alloc(32, 8));
    assert.notEqual(fingerprint(BASE, other), fingerprint(BASE));
  });
});

test('the same for bytes as for text, and for headers in any order and case', () => {
  const one = fingerprint({
    ...BASE,
    headers: [
      ['X-A', '1'],
      ['x-b', '2'],
    ],
  });
  assert.equal(
    fingerprint({
      ...BASE,
      headers: [
        ['X-B', '2'],
        ['x-a', '1'],
      ],
    }),
    one,
  );
  const bytes = { ...BASE, body: Buffer.from('x') as unknown as string };
  assert.equal(fingerprint(bytes), fingerprint(BASE));
});

test('two requests have one fingerprint only if they are equal', () => {
  const short = fc.string({ maxLength: 2, unit: fc.constantFrom('a', '1', '\0') });
  const fields = fc.record({
    ...{ user: short, incarnation: short, client: short, target: short, method: short },
    query: fc.constantFrom('', 'a', 'a1'),
    headers: fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'a1', '1'), short), {
      selector: ([name]) => name,
      maxLength: 2,
    }),
    body: fc.option(short, { nil: undefined }),
  });
  const sorted = (one: Fields) => ({ ...one, headers: [...one.headers].sort() });
  fc.assert(
    fc.property(fields, fields, (one, other) => {
      const isEqual = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
      return (fingerprint(one) === fingerprint(other)) === isEqual;
    }),
  );
});
