import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../secrets/secret.ts';
import { formsOf } from './forms.ts';
import { Redactor } from './redactor.ts';

const TOKEN = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc';
const M = '[REDACTED]';

const redactorOf = (...values: string[]): Redactor =>
  Redactor.of(values.map((value, index) => new Secret(`s${index}`, value)));

function streamed(
  redactor: Redactor,
  chunks: Iterable<Uint8Array>,
): { text: string; count: number } {
  const stream = redactor.stream();
  const parts: Uint8Array[] = [...chunks].map((chunk) => stream.push(chunk).slice());
  parts.push(stream.end());
  return { text: Buffer.concat(parts).toString(), count: stream.count };
}

describe('a body is changed only where a whole form is', () => {
  it('returns the very same bytes and text when nothing matches', () => {
    const body = Buffer.from('{"ok":true,"name":"ünïcode 😀","n":12345678901234567890}');
    assert.equal(redactorOf(TOKEN).bytes(body).bytes, body);
    const lonely = 'half a pair \ud800 and é';
    assert.equal(redactorOf(TOKEN).text(lonely).text, lonely);
  });

  it('keeps the rest of a string as it was, lone surrogates included', () => {
    const { text } = redactorOf(TOKEN).text(`\ud800é😀${TOKEN}😀é\udc00`);
    assert.equal(text, `\ud800é😀${M}😀é\udc00`);
  });

  it('echoes every proper prefix of every form unchanged, at the end of the body, too', () => {
    const redactor = redactorOf(TOKEN);
    const fold = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1').toLowerCase();
    const forms = formsOf(new Secret('s', TOKEN));
    const folded = forms.map(fold);
    for (const form of forms) {
      for (let length = 1; length < form.length; length++) {
        const prefix = Buffer.from(form.subarray(0, length));
        // UTF-16 BE but for its last byte holds all of UTF-16 LE.
        if (folded.some((other) => fold(prefix).includes(other))) continue;
        const stream = redactor.stream();
        assert.deepEqual(Buffer.concat([stream.push(prefix), stream.end()]), prefix);
        assert.equal(redactor.bytes(prefix).bytes, prefix);
      }
    }
    for (let length = 1; length < TOKEN.length; length++) {
      const guess = TOKEN.slice(0, length);
      assert.deepEqual(redactor.text(guess), { text: guess, count: 0 });
      assert.deepEqual(redactor.text(`${guess}!`), { text: `${guess}!`, count: 0 });
    }
  });

  it('leaves a secret with one character changed', () => {
    const redactor = redactorOf(TOKEN);
    for (let index = 0; index < TOKEN.length; index++) {
      const near = `${TOKEN.slice(0, index)}#${TOKEN.slice(index + 1)}`;
      assert.equal(redactor.text(near).text, near);
    }
  });

  it('leaves everything to a user without secrets', () => {
    const redactor = redactorOf();
    assert.ok(redactor.isEmpty);
    assert.equal(redactor.text(TOKEN).text, TOKEN);
    assert.deepEqual(streamed(redactor, [Buffer.from(TOKEN)]), { text: TOKEN, count: 0 });
  });
});

describe('several secrets', () => {
  const escaped = (value: string): string =>
    value.replace(/./g, (sign, at: number) => {
      const hex = sign.charCodeAt(0).toString(16);
      return at % 2 === 0 ? `\\u00${hex}` : `&#x${hex};`;
    });
  // The first two characters of `late` recur, so it is searched for by its last two.
  const [early, late] = [`!@$%^&*()_={}|:"<>,./'~`, '#+#+#+#+#+#+#+#+#+#+;?'];
  const rows: [string, string[], string, string, number][] = [
    ['one the prefix of another', ['abcdefgh', 'abcdefghij'], 'xabcdefghijx', `x${M}x`, 1],
    ['the shorter of the two', ['abcdefgh', 'abcdefghij'], 'xabcdefghix', `x${M}ix`, 1],
    ['one the suffix of another', ['cdefghij', 'abcdefghij'], 'xabcdefghij', `x${M}`, 1],
    ['one inside another', ['cdefghij', 'abcdefghijkl'], 'abcdefghijkl', M, 1],
    [
      'the inner one of a broken outer one',
      ['cdefghij', 'abcdefghijkl'],
      'abcdefghijk',
      `ab${M}k`,
      1,
    ],
    ['two that overlap', ['abcdefgh', 'efghijkl'], 'xabcdefghijklx', `x${M}x`, 1],
    ['a chain of three', ['abcdefgh', 'efghijkl', 'ijklmnop'], 'abcdefghijklmnop', M, 1],
    ['two that touch', ['abcdefgh', 'ijklmnop'], 'abcdefghijklmnop', M + M, 2],
    ['two apart', ['abcdefgh', 'ijklmnop'], 'abcdefgh-ijklmnop', `${M}-${M}`, 2],
    ['one that overlaps itself', ['abcabcabc'], 'abcabcabcabcx', `${M}x`, 1],
    [
      'one in the halves of another',
      ['abcdefgh', '12345678'],
      'abcd12345678efgh',
      `abcd${M}efgh`,
      1,
    ],
    [
      'one whose signs recur, and one of many signs',
      [early, late],
      `${escaped(late)} ${escaped(early)} ${escaped(late)}${'x'.repeat(3_000)}`,
      `${M} ${M} ${M}${'x'.repeat(3_000)}`,
      3,
    ],
    ['the same twice', ['abcdefgh', 'abcdefgh'], 'ABCDEFGH', M, 1],
  ];
  for (const [name, secrets, body, clean, count] of rows) {
    it(`are removed as their union, one marker each: ${name}`, () => {
      const redactor = redactorOf(...secrets);
      assert.deepEqual(redactor.text(body), { text: clean, count });
      const { bytes } = redactor.bytes(Buffer.from(body));
      assert.equal(Buffer.from(bytes).toString(), clean);
      const single = [...Buffer.from(body)].map((byte) => Uint8Array.of(byte));
      assert.deepEqual(streamed(redactor, single), { text: clean, count });
    });
  }

  it('of one user are known to that user alone', () => {
    assert.equal(redactorOf('alice-secret').text('bob-secret-value').count, 0);
  });
});

describe('no amount of text wears the redaction out', () => {
  it('finds the secret after ten thousand near misses', () => {
    const near = `${TOKEN.slice(0, -1)}#`.repeat(10_000);
    const redactor = redactorOf(TOKEN);
    assert.deepEqual(redactor.text(near + TOKEN), { text: near + M, count: 1 });
  });

  it('removes ten thousand secrets', () => {
    const { text, count } = redactorOf(TOKEN).text(`${TOKEN},`.repeat(10_000));
    assert.equal(count, 10_000);
    assert.equal(text, `${M},`.repeat(10_000));
  });

  it('finds each of two hundred secrets', () => {
    const values = Array.from({ length: 200 }, (_, index) => `token-number-${index * 7919}-end`);
    const redactor = redactorOf(...values);
    assert.equal(redactor.text(values.join(' ')).text, values.map(() => M).join(' '));
  });

  it('removes a key of 64 KiB that comes in pieces, and leaves one that ends too early', () => {
    const lines = Array.from({ length: 1000 }, (_, n) => `${n}`.padStart(8, 'key/+').repeat(8));
    const key = `-----BEGIN KEY-----\n${lines.join('\n')}\n-----END KEY-----`;
    const redactor = redactorOf(key);
    for (const written of [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]) {
      const chunks = Buffer.from(`a${written}b${written.slice(0, -1)}`);
      const pieces = Array.from({ length: Math.ceil(chunks.length / 1000) }, (_, index) =>
        chunks.subarray(index * 1000, index * 1000 + 1000),
      );
      assert.equal(streamed(redactor, pieces).text, `a${M}b${written.slice(0, -1)}`);
    }
  });
});

describe('a stream', () => {
  it('finds a secret cut at any place, also inside a character', () => {
    const secret = 'clé😀-pässwort';
    const redactor = redactorOf(secret);
    const body = Buffer.from(`é${secret}😀`);
    for (let cut = 0; cut <= body.length; cut++) {
      const { text } = streamed(redactor, [body.subarray(0, cut), body.subarray(cut)]);
      assert.equal(text, `é${M}😀`);
    }
  });

  it('gives at once what can no longer become a match, and nothing that still can', () => {
    const stream = redactorOf('abcdefgh', 'defghijklmnop').stream();
    const push = (text: string): string => Buffer.from(stream.push(Buffer.from(text))).toString();
    assert.equal(push('hello '), 'hello ');
    assert.equal(push('abc'), '');
    assert.equal(push('x'), 'abcx');
    assert.equal(push('abcdefg'), '');
    // The first secret is complete, the second may go on from inside it.
    assert.equal(push('h'), M);
    assert.equal(push('ijk'), '');
    assert.equal(push('!'), 'ijk!');
    assert.equal(push('abcdefghijklmno'), M);
    assert.equal(push('p'), '');
    assert.equal(push('.'), '.');
    assert.equal(stream.count, 2);
  });

  it('does not hold a long run of overlapping matches back', () => {
    const stream = redactorOf('aaaaaaaaaa').stream();
    assert.equal(Buffer.from(stream.push(Buffer.alloc(100_000, 'a'))).toString(), M);
    assert.equal(stream.push(Buffer.alloc(100_000, 'a')).length, 0);
    assert.equal(Buffer.from(stream.push(Buffer.from('.'))).toString(), '.');
    assert.equal(stream.end().length, 0);
    assert.equal(stream.count, 1);
  });

  it('gives bytes that later chunks do not overwrite', () => {
    const stream = redactorOf(TOKEN).stream();
    stream.push(Buffer.from('sk_live_'));
    const first = stream.push(Buffer.from('no match here, sk'));
    const copy = Buffer.from(first).toString();
    stream.push(Buffer.from('zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz sk'));
    assert.equal(Buffer.from(first).toString(), copy);
  });
});
