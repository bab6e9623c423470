/**
 * The redactor against the plainest search for its forms, and against random spellings of signs.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { Secret } from '../secrets/secret.ts';
import { formsOf } from './forms.ts';
import { Matcher } from './matcher.ts';
import { compilePatterns } from './patterns.ts';
import { Redactor } from './redactor.ts';
import { TextScanner } from './text-scanner.ts';

const lower = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes).map((byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte)) as Buffer;

/** Which bytes of the body belong to a form of a secret, found in the plainest way. */
function bytesOfForms(body: Buffer, secrets: Secret[]): Set<number> {
  const found = new Set<number>();
  const folded = lower(body);
  for (const form of secrets.flatMap((secret) => formsOf(secret)).map(lower)) {
    let at = folded.indexOf(form);
    for (; at !== -1; at = folded.indexOf(form, at + 1)) {
      for (let index = at; index < at + form.length; index++) found.add(index);
    }
  }
  return found;
}

/** Which bytes the redactor would remove. */
function bytesRemoved(body: Buffer, secrets: Secret[]): Set<number> {
  const removed = new Set<number>();
  const add = (start: number, end: number): void => {
    for (let index = start; index < end; index++) removed.add(index);
  };
  new TextScanner({ add }, new Matcher(compilePatterns(secrets))).read(
    body,
    0,
    body.length,
    0,
    true,
  );
  return removed;
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

describe('redaction, however the body is cut', () => {
  for (const [name, unit] of Object.entries(UNITS)) {
    it(`removes every form of secrets of ${name}, and alike in pieces`, () => {
      const sizes = fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 6 });
      fc.assert(
        fc.property(cases(unit), sizes, ({ values, body }, sizes) => {
          const secrets = values.map((value) => new Secret('s', value));
          const removed = bytesRemoved(body, secrets);
          for (const index of bytesOfForms(body, secrets)) assert.ok(removed.has(index));

          const redactor = Redactor.of(secrets);
          const whole = redactor.bytes(body);
          const kept = [...body.keys()].filter((index) => !removed.has(index));
          assert.equal(
            whole.bytes.length,
            kept.length + whole.count * Buffer.byteLength(redactor.marker),
          );

          const stream = redactor.stream();
          const parts = [...chunked(body, sizes)].map((chunk) => stream.push(chunk));
          parts.push(stream.end());
          assert.deepEqual(Buffer.concat(parts), Buffer.from(whole.bytes));
          assert.equal(stream.count, whole.count);
        }),
        { numRuns: propertyRuns(name === 'any text' ? 20 : 100) },
      );
    });
  }
});

/** How single signs are escaped, written here by other means than the redactor reads them. */
const hexOf = (char: string, width: number): string =>
  char.codePointAt(0)!.toString(16).padStart(width, '0');
const SPELLINGS: readonly ((sign: string) => string)[] = [
  (sign) => sign,
  (sign) => `\\${sign}`,
  (sign) => `\\u${hexOf(sign, 4)}`,
  (sign) => `\\u${hexOf(sign, 4).toUpperCase()}`,
  (sign) => `\\x${hexOf(sign, 2)}`,
  (sign) => `\\u{${hexOf(sign, 1)}}`,
  (sign) => `\\U${hexOf(sign, 8)}`,
  (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`,
  (sign) => `%${hexOf(sign, 2).toUpperCase()}`,
  (sign) => `%${hexOf(sign, 2)}`,
  (sign) => `=${hexOf(sign, 2).toUpperCase()}`,
  (sign) => `&#${sign.charCodeAt(0)};`,
  (sign) => `&#x${hexOf(sign, 6)};`,
  (sign) => ('"\'$%{}'.includes(sign) ? sign + sign : sign),
];
const HTML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const LAYERS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => text.replace(/[<>&"]/g, (sign) => HTML[sign]!),
  (text) => encodeURIComponent(text),
];

/** A value, and each of its signs in one of the spellings, with a layer around. */
const spelled = fc
  .tuple(
    fc.string({
      unit: fc.constantFrom(...'abcXYZ0123456789"\'\\/+=&<>%$#@!.-_~:;*()[]{}|^` '),
      minLength: 8,
      maxLength: 24,
    }),
    fc.array(fc.constantFrom(...SPELLINGS), { minLength: 1, maxLength: 8 }),
    fc.constantFrom(...LAYERS),
  )
  // The first of several readings of the last sign ends a match, so the last is a letter here.
  .filter(([value]) => value.trim() === value && /[A-Za-z0-9]$/.test(value))
  .map(([value, spellings, layer]) => {
    let turn = 0;
    const escaped = value.replace(/[^A-Za-z0-9]/g, (sign) =>
      spellings[turn++ % spellings.length]!(sign),
    );
    return { value, text: layer(escaped) };
  });

describe('a secret whose signs are escaped, each in another way', () => {
  it('is removed whole, in one piece and byte by byte', () => {
    fc.assert(
      fc.property(spelled, ({ value, text }) => {
        const redactor = Redactor.of([new Secret('s', value)]);
        const body = Buffer.from(`x ${text} x`);
        const { bytes } = redactor.bytes(body);
        assert.equal(Buffer.from(bytes).toString(), `x ${redactor.marker} x`);
        const stream = redactor.stream();
        const parts = [...chunked(body, [1])].map((chunk) => Buffer.from(stream.push(chunk)));
        assert.equal(Buffer.concat([...parts, stream.end()]).toString(), `x ${redactor.marker} x`);
      }),
      { numRuns: propertyRuns(1500) },
    );
  });

  it('is left alone where one character of it is missing', () => {
    fc.assert(
      fc.property(spelled, fc.nat(), ({ value, text }, at) => {
        const longer = `${value}7k`;
        const redactor = Redactor.of([new Secret('s', longer)]);
        const body = `x ${text}7 x ${longer.slice(0, at % longer.length)}`;
        assert.equal(redactor.text(body).text, body);
      }),
      { numRuns: propertyRuns(500) },
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
      { numRuns: propertyRuns(300) },
    );
  });
});
