import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSearchedWhole, KnownTexts, partsOf, suspicionOf } from './request-parts.ts';

const TOKEN = 'sk_live_honeypotABCDEFGHIJKLMNOPQRSTUVWX';

function placesIn(rawHeaders: string[], known = new KnownTexts()): string[] {
  const suspicion = suspicionOf({ url: '/', rawHeaders }, known);
  return partsOf(suspicion?.texts ?? []).map(({ where }) => where);
}

function fields(count: number, name = 'X-Some', value = 'short'): string[] {
  return Array.from({ length: count }, () => [name, value]).flat();
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
  const rawHeaders = [...fields(64), ...fields(1_000, 'Cookie', 'a value of some length')];
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
  const suspicion = suspicionOf(request, known);
  assert.equal(suspicion?.suspect, TOKEN);
  known.add(TOKEN);
  assert.equal(suspicionOf(request, known), undefined);
  const two = { url: '/', rawHeaders: [...request.rawHeaders, 'X-Other', `${TOKEN} `] };
  assert.equal(suspicionOf(two, known)?.suspect, `${TOKEN} `);
});

test('fields like those of the last clean request are not looked at, any other is', () => {
  const known = new KnownTexts();
  const places = (rawHeaders: string[]) => placesIn(rawHeaders, known);
  const clean = ['Host', 'one.example', 'X-Some', 'of no more than this length'];
  assert.deepEqual(places(clean), []);
  assert.equal(known.lastClean, clean);
  for (let time = 0; time < 3; time++) {
    assert.deepEqual(places([...clean.slice(0, 3), TOKEN]), ['header x-some']);
    assert.deepEqual(places([...clean.slice(0, 2), TOKEN, clean[3]!]), [
      'header name',
      `header ${TOKEN.toLowerCase()}`,
    ]);
    // With one suspicious text, the whole request is searched.
    assert.deepEqual(places([...clean, 'X-Other', TOKEN]), ['header x-some', 'header x-other']);
    assert.deepEqual(places(['X-Other', TOKEN, ...clean]), ['header x-other', 'header x-some']);
    assert.deepEqual(places(['Authorization', TOKEN, 'Authorization', TOKEN]), [
      'header authorization',
      'header authorization',
    ]);
  }
  assert.equal(known.lastClean, clean);
});
