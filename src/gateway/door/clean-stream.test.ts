/** Redaction of an answer that streams: as of the whole, and never a sign of how a guess is going. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import { Redactor } from '../../core/redactor/redactor.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { cleanStream } from './clean-stream.ts';

const SECRET = 'tok_Zk4eC39H+qLyjWD/arjtT1zdp7dc';
const redactor = Redactor.of([new Secret('s', SECRET)]);
const current = () => redactor;

/** Pieces of text, some of them secrets and parts of them. */
const pieces = fc.array(
  fc.oneof(
    fc.constantFrom(SECRET, SECRET.slice(0, 20), SECRET.slice(9), encodeURIComponent(SECRET)),
    fc.constantFrom('\n', '\n\n', '\r\n\r\n', 'data: {"a":"b"}\n'),
    fc.string({ maxLength: 400 }),
  ),
  { maxLength: 30 },
);

test('a plain stream is redacted as the whole, however it is cut', () => {
  fc.assert(
    fc.property(pieces, (chunks) => {
      const stream = cleanStream(current, false);
      const sent = [...chunks.map((chunk) => stream.push(Buffer.from(chunk))), stream.end()];
      const whole = redactor.bytes(Buffer.from(chunks.join('')));
      assert.equal(Buffer.concat(sent).toString(), Buffer.from(whole.bytes).toString());
      assert.equal(stream.count, whole.count);
    }),
    { numRuns: propertyRuns(400) },
  );
});

test('an event stream is redacted event by event, however it is cut', () => {
  fc.assert(
    fc.property(pieces, (chunks) => {
      const stream = cleanStream(current, true);
      const sent = [...chunks.map((chunk) => stream.push(Buffer.from(chunk))), stream.end()];
      const events = chunks.join('').split(/(?<=\n\r*\n)/);
      const clean = events.map((event) => Buffer.from(redactor.bytes(Buffer.from(event)).bytes));
      assert.equal(Buffer.concat(sent).toString(), Buffer.concat(clean).toString());
    }),
    { numRuns: propertyRuns(400) },
  );
});

test('how much of a plain stream is sent says nothing of a guess at its end', () => {
  const before = 'x'.repeat(10_000);
  for (let length = 0; length < SECRET.length; length++) {
    const right = SECRET.slice(0, length);
    const wrong = 'Q'.repeat(length);
    const lengths = [right, wrong].map(
      (guess) => cleanStream(current, false).push(Buffer.from(before + guess)).length,
    );
    assert.equal(lengths[0], lengths[1], `after ${length} right characters`);
    assert.equal(lengths[0], before.length + length - redactor.longestForm);
  }
});

test('an event is sent at its blank line, whatever it ends in, and nothing of it before', () => {
  for (const lineEnd of ['\n', '\r\n']) {
    for (const end of ['', SECRET.slice(0, 25)]) {
      const stream = cleanStream(current, true);
      const line = `data: ${end}${lineEnd}`;
      assert.equal(stream.push(Buffer.from(line)).length, 0);
      assert.equal(Buffer.from(stream.push(Buffer.from(lineEnd))).toString(), line + lineEnd);
    }
  }
});

test('an event that does not end is not held for ever', () => {
  const stream = cleanStream(current, true);
  let sent = 0;
  for (let n = 0; n < 32; n++) sent += stream.push(Buffer.alloc(64 * 1024, 'y')).length;
  assert.ok(sent > 1024 * 1024, `${sent}`);
});

test('a secret with an empty line in it is not cut in two by event boundaries', () => {
  const value = 'first-half-4711\n\nsecond-half-0815';
  const own = Redactor.of([new Secret('s', value)]);
  const stream = cleanStream(() => own, true);
  const sent = [stream.push(Buffer.from(`data: ${value}\n\n`)), stream.end()];
  assert.equal(Buffer.concat(sent).toString(), 'data: [REDACTED]\n\n');
});

test('a reload removes the new secrets from what comes then, too', () => {
  const next = Redactor.of([new Secret('n', 'another-secret-0815')]);
  for (const isEventStream of [true, false]) {
    let now = redactor;
    const stream = cleanStream(() => now, isEventStream);
    const sent = [stream.push(Buffer.from('data: a\n\n'))];
    now = next;
    sent.push(stream.push(Buffer.from(`data: another-secret-0815\n\n`)), stream.end());
    assert.equal(Buffer.concat(sent).toString(), 'data: a\n\ndata: [REDACTED]\n\n');
  }
});
