import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSearchedWhole, KnownTexts, partsOf, suspiciousParts } from './request-parts.ts';

const TOKEN = 'sk_live_honeypotABCDEFGHIJKLMNOPQRSTUVWX';

function placesIn(rawHeaders: string[]): string[] {
  const parts = suspiciousParts({ url: '/', rawHeaders }, new KnownTexts());
  return partsOf(parts).map(({ where }) => where);
}

function fields(count: number, name = 'X-Some'): string[] {
  return Array.from({ length: count }, () => [name, 'short']).flat();
}

test('every one of the first 64 fields is searched, of more only those with credentials', () => {
  assert.deepEqual(placesIn([...fields(63), 'X-Other', TOKEN]), ['header x-other']);
  assert.deepEqual(placesIn([...fields(64), 'X-Other', TOKEN]), []);
  for (const name of ['Authorization', 'COOKIE', 'x-Api-Key', 'mcp-session-id']) {
    const where = name === 'COOKIE' ? 'cookie' : `header ${name.toLowerCase()}`;
    assert.deepEqual(placesIn([...fields(900), name, TOKEN]), [where]);
    assert.deepEqual(placesIn([...fields(900, `${name.slice(0, -1)}z`), name, TOKEN]), [where]);
  }
});

test('fields behind the limit are few, whatever their names, and are told of', () => {
  const rawHeaders = fields(1_000, 'Cookie');
  assert.equal(placesIn(rawHeaders).length, 16);
  assert.equal(isSearchedWhole({ rawHeaders }), false);
  assert.deepEqual(
    placesIn([...rawHeaders, 'Authorization', TOKEN]).at(-1),
    'header authorization',
  );
});

test('a text that was found clean is not searched again', () => {
  const known = new KnownTexts();
  const request = { url: '/', rawHeaders: ['Authorization', TOKEN] };
  const parts = suspiciousParts(request, known);
  assert.notEqual(parts, '');
  known.addFirst(parts);
  assert.equal(suspiciousParts(request, known), '');
});

test('fields like those of the last clean request are not looked at, any other is', () => {
  const known = new KnownTexts();
  const places = (rawHeaders: string[]) =>
    partsOf(suspiciousParts({ url: '/', rawHeaders }, known)).map(({ where }) => where);
  const clean = ['Host', 'one.example', 'X-Some', 'of no more than this length'];
  assert.deepEqual(places(clean), []);
  assert.equal(known.lastClean, clean);
  for (let time = 0; time < 3; time++) {
    assert.deepEqual(places([...clean.slice(0, 3), TOKEN]), ['header x-some']);
    assert.deepEqual(places([...clean.slice(0, 2), TOKEN, clean[3]!]), [
      'header name',
      `header ${TOKEN.toLowerCase()}`,
    ]);
    assert.deepEqual(places([...clean, 'X-Other', TOKEN]), ['header x-other']);
    // What follows is searched unread.
    assert.deepEqual(places(['X-Other', TOKEN, ...clean]), ['header x-other', 'header x-some']);
    assert.deepEqual(places(['Authorization', TOKEN, 'Authorization', TOKEN]), [
      'header authorization',
      'header authorization',
    ]);
  }
  assert.equal(known.lastClean, clean);
});
