import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../../secrets/secret.ts';
import { Redactor } from '../redactor.ts';

const VALUES = [
  'sk_live-4eC39=HqL.yjW',
  'corr3ct h0rse "b4ttery" it\'s',
  'a+b%c&d=e?f#g;h/i@j:k,l',
  'C:\\keys\\new "table"',
  'pässwörd-é=à ü',
  'k3y😀w1th🔑m0ji',
];

const bytes = (value: string, write: (hex: string, byte: number) => string): string =>
  [...Buffer.from(value)]
    .map((byte) => write(byte.toString(16).padStart(2, '0').toUpperCase(), byte))
    .join('');
const isPrintable = (byte: number): boolean => byte >= 0x20 && byte <= 0x7e;
const isPlain = (byte: number): boolean => /[A-Za-z0-9!*+\-/]/.test(String.fromCharCode(byte));

const FORMS: Readonly<Record<string, (value: string) => string>> = {
  'quoted-printable': (v) =>
    bytes(v, (hex, byte) =>
      isPrintable(byte) && byte !== 0x3d ? String.fromCharCode(byte) : `=${hex}`,
    ),
  'the Q encoding of a mail header': (v) =>
    bytes(v, (hex, byte) => {
      if (byte === 0x20) return '_';
      return byte < 0x80 && isPlain(byte) ? String.fromCharCode(byte) : `=${hex}`;
    }),
  'printf %q': (v) => v.replace(/[^\w@%+=:,./\u0080-\uffff-]/g, '\\$&'),
  're.escape': (v) => v.replace(/[()[\]{}?*+\-|^$\\.&~# \t]/g, '\\$&'),
  quotemeta: (v) => v.replace(/[^\w\u0080-\uffff]/g, '\\$&'),
  'octal escapes of Git': (v) =>
    bytes(v, (_, byte) => {
      const char = String.fromCharCode(byte);
      if (char === '"' || char === '\\') return `\\${char}`;
      return isPrintable(byte) ? char : `\\${byte.toString(8)}`;
    }),
};

describe('no form of a secret survives whose signs alone are written in another way', () => {
  for (const [name, write] of Object.entries(FORMS)) {
    it(name, () => {
      for (const value of VALUES) {
        const redactor = Redactor.of([new Secret('s', value)]);
        assert.equal(redactor.text(`<${write(value)}>`).text, '<[REDACTED]>', value);
      }
    });
  }
});
