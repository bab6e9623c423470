import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Refusal } from '../request/refusal.ts';
import type { RequestArguments } from '../request/request.ts';
import { parseRequest } from './parse-request.ts';

const url = 'https://api.example.com/';

test('a NUL in the query is refused, wherever it comes from', () => {
  for (const args of [
    { url: `${url}?a=%00` },
    { url, query: { 'a\u0000': 'b' } },
    { url, query: { a: 'b\u0000' } },
    { url, query: { a: ['b', 'c\u0000d'] } },
  ] satisfies RequestArguments[]) {
    assert.throws(
      () => parseRequest(args),
      (error: Refusal) =>
        error.code === 'invalid_url' && error.message === 'the query contains %00',
    );
  }
});

test('what else the query argument holds is encoded and sent', () => {
  const { query } = parseRequest({ url, query: { 'a%': '100%', 'é&': '\n' } }).url;
  assert.equal(query, 'a%25=100%25&%C3%A9%26=%0A');
});
