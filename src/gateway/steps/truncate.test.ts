import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Redactor } from '../../core/redactor/redactor.ts';
import { REDACTED, Secret } from '../../core/secrets/secret.ts';
import { truncate } from './truncate.ts';

describe('truncation', () => {
  const rows: [body: string, cap: number, kept: string, truncated: boolean][] = [
    ['', 5, '', false],
    ['12345', 5, '12345', false],
    ['123456', 5, '12345', true],
    // Never inside a marker.
    [`ab${REDACTED}cd`, 2, 'ab', true],
    [`ab${REDACTED}cd`, 3, 'ab', true],
    [`ab${REDACTED}cd`, 11, 'ab', true],
    [`ab${REDACTED}cd`, 12, `ab${REDACTED}`, true],
    [`ab${REDACTED}cd`, 13, `ab${REDACTED}c`, true],
    [`${REDACTED}${REDACTED}`, 9, '', true],
    [`${REDACTED}${REDACTED}`, 10, REDACTED, true],
    [`${REDACTED}${REDACTED}`, 19, REDACTED, true],
    // Never inside a character.
    ['aé', 2, 'a', true],
    ['a€', 2, 'a', true],
    ['a€', 3, 'a', true],
    ['a😀b', 4, 'a', true],
    ['a😀b', 5, 'a😀', true],
    ['😀', 3, '', true],
  ];
  for (const [body, cap, kept, truncated] of rows) {
    test(`of ${JSON.stringify(body)} at ${cap} leaves ${JSON.stringify(kept)}`, () => {
      assert.deepEqual(cut(Buffer.from(body), cap), { body: kept, truncated });
    });
  }

  test('keeps the longest beginning that splits neither a character nor a marker', () => {
    const piece = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constant(REDACTED));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.nat({ max: 60 }), (pieces, cap) => {
        const text = pieces.join('').toWellFormed();
        const { body, truncated, body_encoding } = cut(Buffer.from(text), cap);
        assert.equal(body_encoding, undefined);
        assert.equal(truncated, Buffer.byteLength(text) > cap);
        assert.equal(body, truncated ? longest(text, cap) : text);
      }),
      { numRuns: 1_000 },
    );
  });
});

function cut(bytes: Buffer, capBytes: number, marker = REDACTED) {
  const { body, ...rest } = truncate({ body: bytes, marker }, capBytes);
  return { body: body.toString(), ...rest };
}

test('the marker that the redactor really used is not split either', () => {
  assert.equal(cut(Buffer.from('a█▉▊b'), 5, '█▉▊').body, 'a');
  assert.equal(cut(Buffer.from('a█▉▊b'), 10, '█▉▊').body, 'a█▉▊');
});

test('a marker that the redactor may choose is not split where two of them touch', () => {
  const { marker } = Redactor.of([new Secret('s', '[REDACTED]')]);
  assert.notEqual(marker, REDACTED);
  const length = Buffer.byteLength(marker);
  const body = Buffer.from(`ab${marker}${marker}cd`);
  for (let cap = 2; cap < body.length; cap++) {
    const whole = Math.min(2, Math.floor((cap - 2) / length));
    const rest = 'cd'.slice(0, Math.max(0, cap - 2 - 2 * length));
    assert.equal(cut(body, cap, marker).body, `ab${marker.repeat(whole)}${rest}`, `${cap}`);
  }
});

/** The same by trying every beginning. */
function longest(text: string, cap: number): string {
  const markers = [...text.matchAll(/\[REDACTED\]/g)].map(({ index }) => index);
  let [kept, at] = ['', 0];
  for (const character of text) {
    at += character.length;
    const beginning = text.slice(0, at);
    const isInMarker = markers.some((start) => start < at && at < start + REDACTED.length);
    if (Buffer.byteLength(beginning) <= cap && !isInMarker) kept = beginning;
  }
  return kept;
}

describe('what is not text', () => {
  test('is given as base64, byte for byte', () => {
    const body = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff]);
    assert.deepEqual(cut(body, 6), {
      body: body.toString('base64'),
      body_encoding: 'base64',
      truncated: false,
    });
  });

  test('is cut at the cap in bytes, not in base64 characters', () => {
    const { body, truncated } = cut(Buffer.alloc(100, 0xff), 30);
    assert.deepEqual([Buffer.from(body, 'base64').length, truncated], [30, true]);
  });

  test('and text with a byte order mark or NUL stays text', () => {
    for (const text of ['\ufefftext', 'a\0b', '\u0007']) {
      assert.deepEqual(cut(Buffer.from(text), 100), { body: text, truncated: false });
    }
  });
});
