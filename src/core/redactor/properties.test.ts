/**
 * The redactor against a slow implementation that is obviously right.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Secret } from '../secret.ts';
import { formsOf } from './forms.ts';
import { Redactor } from './redactor.ts';

const lower = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes).map((byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte)) as Buffer;

function naive(body: Buffer, secrets: Secret[], marker: string): { clean: Buffer; count: number } {
  const removed: boolean[] = [];
  const joined: boolean[] = [];
  const folded = lower(body);
  for (const form of secrets.flatMap((secret) => formsOf(secret)).map(lower)) {
    let at = folded.indexOf(form);
    for (; at !== -1; at = folded.indexOf(form, at + 1)) {
      for (let index = at; index < at + form.length; index++) {
        removed[index] = true;
        // A byte that is not the first of a match belongs to what stands before it.
        if (index > at) joined[index] = true;
      }
    }
  }
  const out: Buffer[] = [];
  let count = 0;
  for (let index = 0; index < body.length; index++) {
    if (!removed[index]) out.push(body.subarray(index, index + 1));
    else if (!joined[index]) count += out.push(Buffer.from(marker)) && 1;
  }
  return { clean: Buffer.concat(out), count };
}

function* chunked(body: Buffer, sizes: readonly number[]): Generator<Buffer> {
  let at = 0;
  for (let turn = 0; at < body.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    yield body.subarray(at, at + size);
    at += size;
  }
}

/** Secrets, and a body made of their forms, pieces of their forms, and anything. */
function cases(unit: fc.Arbitrary<string>): fc.Arbitrary<{ values: string[]; body: Buffer }> {
  const value = fc.string({ unit, minLength: 8, maxLength: 14 });
  return fc.array(value, { minLength: 1, maxLength: 4 }).chain((values) => {
    const forms = values.flatMap((text) => formsOf(new Secret('s', text)));
    const form = fc.constantFrom(...forms);
    const piece = fc.oneof(
      { weight: 4, arbitrary: form },
      {
        weight: 4,
        arbitrary: fc
          .tuple(form, fc.nat(), fc.nat())
          .map(([bytes, a, b]) => bytes.subarray(a % bytes.length, b % (bytes.length + 1))),
      },
      { weight: 2, arbitrary: fc.string({ unit, maxLength: 20 }).map((text) => Buffer.from(text)) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 6 }) },
    );
    const body = fc.array(piece, { maxLength: 12 }).map((pieces) => Buffer.concat(pieces));
    return fc.record({ values: fc.constant(values), body });
  });
}

const UNITS: Record<string, fc.Arbitrary<string>> = {
  'two letters, which force overlaps': fc.constantFrom('a', 'b'),
  'one letter in both cases': fc.constantFrom('a', 'A'),
  'brackets of the marker': fc.constantFrom('[', ']', 'D', '█'),
  'base64 characters': fc.constantFrom('+', '/', 'A', 'w', '=', '_'),
  'escapes and what is escaped': fc.constantFrom(
    '\\',
    '"',
    'u',
    '0',
    '%',
    '2',
    '5',
    '&',
    '/',
    '\n',
  ),
  'any text': fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
};

describe('redaction equals the slow reference, however the body is cut', () => {
  for (const [name, unit] of Object.entries(UNITS)) {
    it(`with secrets of ${name}`, () => {
      const sizes = fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 6 });
      fc.assert(
        fc.property(cases(unit), sizes, ({ values, body }, sizes) => {
          const secrets = values.map((value) => new Secret('s', value));
          const redactor = Redactor.of(secrets);
          const { clean, count } = naive(body, secrets, redactor.marker);

          const whole = redactor.bytes(body);
          assert.deepEqual(Buffer.from(whole.bytes), clean);
          assert.equal(whole.count, count);

          const stream = redactor.stream();
          const parts = [...chunked(body, sizes)].map((chunk) => stream.push(chunk));
          parts.push(stream.end());
          assert.deepEqual(Buffer.concat(parts), clean);
          assert.equal(stream.count, count);
        }),
        { numRuns: name === 'any text' ? 40 : 150 },
      );
    });
  }

  it('and so does redaction of strings', () => {
    fc.assert(
      fc.property(cases(fc.constantFrom('a', 'b', '"')), ({ values, body }) => {
        const text = body.toString();
        const secrets = values.map((value) => new Secret('s', value));
        const redactor = Redactor.of(secrets);
        const { clean, count } = naive(Buffer.from(text), secrets, redactor.marker);
        if (text.length !== Buffer.byteLength(text)) return;
        assert.deepEqual(redactor.text(text), { text: clean.toString(), count });
      }),
      { numRuns: 150 },
    );
  });
});

describe('nothing that is left holds a secret', () => {
  it('in any text form, also together with the markers', () => {
    const unit = fc.constantFrom('[', ']', 'R', 'E', 'D', '█', 'a');
    fc.assert(
      fc.property(cases(unit), ({ values, body }) => {
        const redactor = Redactor.of(values.map((value) => new Secret('s', value)));
        const { bytes } = redactor.bytes(Buffer.from(body.toString()));
        assert.equal(redactor.bytes(bytes).count, 0);
      }),
      { numRuns: 300 },
    );
  });
});
