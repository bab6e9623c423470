import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../secrets/secret.ts';
import { Redactor } from './redactor.ts';

const OTHER = 'other-secret';
const redactorOf = (...values: string[]): Redactor =>
  Redactor.of(values.map((value, index) => new Secret(`s${index}`, value)));

describe('the marker never completes a secret', () => {
  const rows: [string, string, string][] = [
    ['holds the marker', 'left[REDACTED]right', `left${OTHER}right`],
    ['holds the marker in other case', 'left[redacted]right', `left${OTHER}right`],
    ['begins with the end of the marker', 'TED]abcdef', `${OTHER}abcdef`],
    ['begins with a bracket', ']abcdefgh', `${OTHER}abcdefgh`],
    ['ends with the beginning of the marker', 'abcdef[RED', `abcdef${OTHER}`],
    ['ends with a bracket', 'abcdefgh[', `abcdefgh${OTHER}`],
    ['is the marker', '[REDACTED]', OTHER],
    ['is inside the marker', 'REDACTED', OTHER],
    ['holds the marker and its substitute', '[REDACTED]█▉▊', `[REDACTED]${OTHER}`],
  ];
  for (const [name, secret, body] of rows) {
    it(`when the secret ${name}`, () => {
      const redactor = redactorOf(secret, OTHER);
      const { text, count } = redactor.text(body);
      assert.equal(count, 1);
      assert.ok(!text.toLowerCase().includes(secret.toLowerCase()), text);
      assert.equal(text, body.replace(OTHER, redactor.marker));
      assert.equal(redactor.text(secret).text, redactor.marker);
    });
  }

  it('is [REDACTED] for all other secrets', () => {
    for (const secret of ['a[b]c[d]e', '[abcdefgh]', 'REDACTION', 'D]', ']D', 'rédacted']) {
      assert.equal(redactorOf(secret, OTHER).marker, '[REDACTED]');
    }
  });

  it('is [REDACTED] also where a decoded key happens to begin with a bracket', () => {
    const key = Buffer.from('5dff00112233445566778899aabbcc5b', 'hex');
    const redactor = redactorOf(key.toString('base64'));
    assert.equal(redactor.marker, '[REDACTED]');
    assert.equal(Buffer.from(redactor.bytes(key).bytes).toString(), '[REDACTED]');
  });
});
