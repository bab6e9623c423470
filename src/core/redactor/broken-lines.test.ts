/** Secrets in base64 and hexadecimal that are written in lines, of texts longer than the secret. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { Secret } from '../secrets/secret.ts';
import { base64Forms } from './forms/binary.ts';
import { Matcher } from './matcher.ts';
import { compilePatterns } from './patterns.ts';
import { Redactor } from './redactor.ts';

const VALUE = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
const SECRET = new Secret('token', VALUE);
const redactor = Redactor.of([SECRET]);
/** So much is held back whatever the text is. */
const { longestSpelling } = new Matcher(compilePatterns([SECRET]));
const BREAKS = ['\n', '\r\n', '\\n', '\\r\\n', '\\\\n', '\n    ', '\n\t'];

const inLines = (text: string, columns: number, lineBreak: string): string =>
  text.match(new RegExp(`.{1,${columns}}`, 'g'))!.join(lineBreak);
const file = (before: number): Buffer =>
  Buffer.from(
    `${'# settings?>\n'.repeat(20).slice(0, before)}TOKEN=${VALUE}\n${'x=1\n'.repeat(20)}`,
  );

/** What is left of base64 or hexadecimal when its lines are joined again. */
function joined(text: string): string {
  return text.replaceAll(/(?:\\+[rn]|[\r\n])[ \t]*/g, '').replaceAll(/\\+\//g, '/');
}

function inPieces(text: string, size: number, by = redactor): string {
  const stream = by.stream();
  const bytes = Buffer.from(text);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    // A chunk that is overwritten later must not be what was given out.
    parts.push(Buffer.from(stream.push(Buffer.from(bytes.subarray(at, at + size)))));
  }
  return Buffer.concat([...parts, stream.end()]).toString();
}

describe('a secret in the lines of a longer text', () => {
  for (const columns of [48, 60, 64, 76]) {
    test(`of ${columns} letters of base64 is removed, wherever they break`, () => {
      for (let before = 0; before < columns + 3; before++) {
        const encoded = file(before).toString('base64');
        for (const lineBreak of BREAKS) {
          const body = `{"content": "${inLines(encoded, columns, lineBreak)}"}`;
          const { text, count } = redactor.text(body);
          assert.equal(count, 1, `${before} ${JSON.stringify(lineBreak)}`);
          for (const form of base64Forms(VALUE)) assert.ok(!joined(text).includes(form));
          // Nothing but the secret is gone: what is around it is as it was.
          const [head, tail] = text.split('[REDACTED]') as [string, string];
          assert.ok(body.startsWith(head) && body.endsWith(tail));
          assert.ok(joined(body).length - joined(head + tail).length <= 56);
        }
      }
    });
  }

  test('of base64url, of escaped base64 and of hexadecimal is removed', () => {
    const value = 'k~?k~?k~?k~?k~?k~?k~?k~?';
    const other = Redactor.of([new Secret('odd', value)]);
    for (let before = 45; before < 110; before++) {
      const bytes = Buffer.from(`${'.'.repeat(before)}${value}${'.'.repeat(90)}`);
      const base64 = inLines(bytes.toString('base64'), 60, '\\n');
      for (const body of [
        inLines(bytes.toString('base64url'), 60, '\n'),
        base64.replaceAll('/', '\\/'),
        inLines(bytes.toString('hex'), 60, '\n'),
      ]) {
        assert.equal(other.text(body).count, 1, body);
      }
    }
  });

  test('is removed however the bytes come', () => {
    for (let before = 0; before < 80; before += 7) {
      for (const lineBreak of BREAKS) {
        const body = `--\n${inLines(file(before).toString('base64'), 60, lineBreak)}\n--${VALUE}.`;
        const { text, count } = redactor.text(body);
        assert.equal(count, 2);
        for (const size of [1, 2, 3, 7, 31, 64, 200]) assert.equal(inPieces(body, size), text);
      }
    }
  });

  test('is removed alike where every slash is escaped, once or twice', () => {
    // Every fourth letter of the base64 around it is a slash, and so are some of its own.
    for (const value of [VALUE, 'k~?k~?k~?k~?k~?k~?k~?k~?']) {
      const by = Redactor.of([new Secret('s', value)]);
      for (let before = 0; before < 120; before += 15) {
        const bytes = Buffer.from(`${'?'.repeat(before)}:${value}:${'?'.repeat(90)}`);
        const columns = [48, 60, 64, 76][before % 4]!;
        for (const lineBreak of BREAKS) {
          const plain = `{"content": "${inLines(bytes.toString('base64'), columns, lineBreak)}"}`;
          const removed = by.text(plain);
          assert.equal(removed.count, 1);
          for (const slash of ['\\/', '\\\\\\/']) {
            const body = plain.replaceAll('/', slash);
            const { text, count } = by.text(body);
            assert.equal(count, 1, `${before} ${JSON.stringify(body)}`);
            assert.equal(joined(text), joined(removed.text));
            for (const size of [1, 7]) assert.equal(inPieces(body, size, by), text);
          }
        }
      }
    }
  });

  test('is removed however the bytes come, whichever of its slashes are escaped', () => {
    const by = Redactor.of([new Secret('s', 'ab/ab/ab/')]);
    // The second is whole before the line is long enough for the first.
    const late = `ab\\/ab/ab\\/\\/ab/ab/ab/${'q'.repeat(50)}\n`;
    assert.equal(by.text(late).count, 2);
    assert.equal(inPieces(late, 1, by), by.text(late).text);
    const piece = fc.constantFrom(
      ...['ab/', 'ab\\/', '/ab', 'a', 'b', '/', '\\', '\\/', '\\\\\\/', '\\n', '\n', ' ', '"'],
      'q'.repeat(20),
      'q'.repeat(47),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.integer({ min: 1, max: 9 }),
        (parts, n) => {
          const body = parts.join('');
          assert.equal(inPieces(body, n, by), by.text(body).text);
        },
      ),
      { numRuns: propertyRuns(1_000) },
    );
  });

  test('that is longer than a line is removed with all its lines', () => {
    const key = `-----BEGIN KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n'.repeat(20)}`;
    const long = Redactor.of([new Secret('key', key)]);
    const body = Buffer.from(`a: b\nkey: ${key}\nc: d\n`).toString('base64');
    const { text, count } = long.text(inLines(body, 76, '\r\n'));
    assert.equal(count, 1);
    assert.ok(text.length < 60, text);
  });

  test('and those before and behind it that are whole are removed each for itself', () => {
    const lines = inLines(file(30).toString('base64'), 60, '\n');
    const body = `${VALUE} and ${lines} and ${VALUE} end`;
    const { text, count } = redactor.text(body);
    assert.equal(count, 3);
    assert.match(text, /^\[REDACTED\] and \S+\[REDACTED\][\s\S]+ and \[REDACTED\] end$/);
    assert.equal(Buffer.from(redactor.bytes(Buffer.from(body)).bytes).toString(), text);
    assert.equal(inPieces(body, body.length), text);
  });

  test('is removed behind a megabyte of other lines', () => {
    const bytes = Buffer.concat([Buffer.alloc(1 << 20, 'any text. '), file(7)]);
    const body = Buffer.from(inLines(bytes.toString('base64'), 76, '\r\n'));
    const { bytes: clean, count } = redactor.bytes(body);
    assert.equal(count, 1);
    assert.equal(Buffer.from(clean).indexOf('[REDACTED]') > 1 << 20, true);
  });
});

describe('lines without a whole secret', () => {
  test('are left as they are, so that guessing teaches nothing', () => {
    for (let cut = 1; cut < VALUE.length; cut += 5) {
      const part = Buffer.from(`${'x'.repeat(40)}${VALUE.slice(0, -cut)}${'#'.repeat(80)}`);
      const body = inLines(part.toString('base64'), 60, '\n');
      assert.deepEqual(redactor.text(body), { text: body, count: 0 });
      assert.equal(inPieces(body, 9), body);
    }
  });

  test('hold nothing back for long', () => {
    const [form] = base64Forms(VALUE);
    const stream = redactor.stream();
    let held = 0;
    const pushed = (text: string): number => {
      held += text.length - stream.push(Buffer.from(text)).length;
      return held - longestSpelling;
    };
    pushed(`${'A'.repeat(40)}${form!.slice(0, 20)}\n`);
    assert.ok(pushed(' '.repeat(10_000)) <= 0);
    assert.ok(pushed(`${'A'.repeat(60)}\n`.repeat(1000)) < 60);
    for (const slashes of ['\\', '"\\/a\\/']) assert.ok(pushed(slashes.repeat(1000)) < 300);
  });

  test('come back equal, whatever they are', () => {
    const piece = fc.constantFrom(
      '\n',
      '\\',
      '\\n',
      '\r',
      ' ',
      '\t',
      'A',
      'b',
      '/',
      '\\/',
      '"',
      'A'.repeat(31),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }),
        fc.integer({ min: 1, max: 9 }),
        (parts, size) => {
          const body = parts.join('');
          assert.equal(inPieces(body, size), body);
        },
      ),
    );
  });
});
