import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ENCODING_PAIRS } from '../../../../test/support/encoding-pairs.ts';
import { Secret } from '../../secrets/secret.ts';
import { Redactor } from '../redactor.ts';

const SECRETS: Readonly<Record<string, string>> = {
  'a plain token': 'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
  'letters and digits': 'Zk4eC39HqLyjWDarjtT1zdp7dc',
  'a key with slashes': 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYzEXAMPLEKEY==',
  quotes: `say "it's" so`,
  backslashes: 'C:\\keys\\new\\table',
  markup: '<a href="x">&amp;</a>',
  'a URL': 'a+b%c&d=e?f#g;h i',
  accents: 'pässwörd-éàü',
};

/** Each with its redactor, which is made once: it takes longer than what it is asked. */
const REDACTED = Object.entries(SECRETS).map(([kind, value]) => ({
  kind,
  value,
  redactor: Redactor.of([new Secret('s', value)]),
}));

const every = (value: string, write: (char: string) => string): string =>
  [...value].map(write).join('');
const decimal = (char: string): string => `&#${char.codePointAt(0)};`;
const hex = (char: string): string => `&#x${char.codePointAt(0)!.toString(16).toUpperCase()};`;
const signs = (value: string, write: (char: string) => string): string =>
  value.replace(/[^A-Za-z0-9]/gu, write);
const html = (value: string, table: Readonly<Record<string, string>>): string =>
  every(value, (char) => table[char] ?? char);
const MARKUP = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const inText = (value: string): string => html(value, MARKUP);
const inAttribute = (value: string): string =>
  html(value, { ...MARKUP, '"': '&quot;', "'": '&#39;' });
const ofPython = (value: string): string =>
  html(value, { ...MARKUP, '"': '&quot;', "'": '&#x27;' });
const ofGo = (value: string): string =>
  html(value, { ...MARKUP, '"': '&#34;', "'": '&#39;', '+': '&#43;' });

const json = (value: string): string => JSON.stringify(value).slice(1, -1);
const python = (value: string): string =>
  json(value).replace(/[\u007f-\uffff]/g, (unit) => `\\u${hexOf(unit, 4)}`);
const hexOf = (unit: string, width: number): string =>
  unit.charCodeAt(0).toString(16).padStart(width, '0');
const php = (value: string): string => python(value).replaceAll('/', '\\/');
const form = (value: string): string => new URLSearchParams([['', value]]).toString().slice(1);
const url = encodeURIComponent;

const FORMS: Readonly<Record<string, (value: string) => string>> = {
  'every character decimal, escaped again': (v) => inText(every(v, decimal)),
  'every character hexadecimal, escaped again': (v) => inText(every(v, hex)),
  'every sign decimal, escaped again': (v) => inText(signs(v, decimal)),
  'every sign hexadecimal, escaped again': (v) => inAttribute(signs(v, hex)),
  'HTML of Python, escaped again': (v) => inText(ofPython(v)),
  'HTML of Go, escaped again by Go': (v) => ofGo(ofGo(v)),
  'HTML of an attribute, escaped again': (v) => inAttribute(inAttribute(v)),
  'HTML in HTML in HTML': (v) => inAttribute(inAttribute(inAttribute(v))),
  'JSON in JSON in JSON': (v) => json(json(json(v))),
  'JSON of Python in JSON in JSON': (v) => json(json(python(v))),
  'JSON of PHP in JSON in JSON': (v) => json(json(php(v))),
  'HTML in JSON in JSON': (v) => json(json(inAttribute(v))),
  'JSON in JSON in HTML': (v) => inAttribute(json(json(v))),
  'JSON in HTML in JSON': (v) => json(inAttribute(json(v))),
  'JSON in a URL in JSON': (v) => json(url(json(v))),
  'JSON in a URL in HTML': (v) => inAttribute(url(json(v))),
  'a URL in a URL in a URL': (v) => url(url(url(v))),
  'a form in a URL in a URL': (v) => url(url(form(v))),
  'JSON in a URL in a URL': (v) => url(url(json(v))),
};

const IN_BASE64: Readonly<Record<string, (value: string) => string>> = {
  'a URL': url,
  'a form': form,
  HTML: inAttribute,
  'JSON in JSON': (v) => json(json(v)),
};

describe('no form of a secret survives that was written in another once more', () => {
  for (const [kind, value] of Object.entries(SECRETS)) {
    it(`when it holds ${kind}`, () => {
      const redactor = Redactor.of([new Secret('s', value)]);
      for (const [name, write] of Object.entries(FORMS)) {
        assert.equal(redactor.text(`<<${write(value)}>>`).text, '<<[REDACTED]>>', name);
      }
      for (const [name, write] of Object.entries(IN_BASE64)) {
        for (const before of ['', 'k', 'k=']) {
          const written = Buffer.from(`${before}${write(value)}&x`).toString('base64url');
          assert.match(redactor.text(written).text, /^.{0,4}\[REDACTED\].{0,4}$/, name);
        }
      }
    });
  }

  it('also where the value is long', () => {
    const long = 'say "yes" & '.repeat(100);
    const redactor = Redactor.of([new Secret('s', long)]);
    for (const written of [json(long), json(json(json(long))), inAttribute(json(long))]) {
      assert.equal(redactor.text(written.trimEnd()).text, '[REDACTED]');
    }
  });
});

describe('no form of a secret survives in another: every ordered pair', () => {
  for (const { name, encode } of ENCODING_PAIRS) {
    it(name, () => {
      for (const { kind, value, redactor } of REDACTED) {
        const written = encode(Buffer.from(value));
        const { bytes, count } = redactor.bytes(written);
        assert.ok(count > 0, `${kind}: ${written.toString('latin1')}`);
        // What the last character of base64 shares with its neighbours stays.
        assert.ok(bytes.length < 40, `${kind}: ${Buffer.from(bytes).toString('latin1')}`);
      }
    });
  }
});
