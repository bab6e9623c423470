import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../secrets/secret.ts';
import { formsOf } from './forms.ts';
import { Redactor } from './redactor.ts';

const PEM = `-----BEGIN PRIVATE KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj
MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu
-----END PRIVATE KEY-----`;

const AWKWARD: Record<string, string> = {
  'a plain token': 'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
  'exactly eight characters': 'aB3$xY9/',
  'eight plain characters': 'hunter2x',
  quotes: `say "it's" so`,
  slashes: 'abc/def/ghi+jkl==',
  backslashes: 'C:\\keys\\new\\table',
  'spaces, plus and percent': 'one two+three%four%20',
  'markup characters': '<a href="x">&amp;</a>',
  'line breaks': 'first line\nsecond\r\nthird\tend',
  accents: 'pässwörd-éàü',
  'other scripts': 'пароль секрет 密码',
  emoji: 'key😀with🔑emoji',
  'control characters': 'bell\u0007esc\u001bdel\u007f!',
  'everything at once': `"q"'a'/\\ +%&<>\n=\`é😀{}[]()~*!`,
  'a private key': PEM,
};

const every = (value: string, write: (char: string) => string): string =>
  [...value].map(write).join('');
const units = (value: string, write: (unit: string) => string): string =>
  value.split('').map(write).join('');
const unicode = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const ifSign =
  (write: (char: string) => string) =>
  (char: string): string =>
    /[A-Za-z0-9]/.test(char) ? char : write(char);
const inner = (value: unknown): string => JSON.stringify(value).slice(1, -1);
const form = (value: string): string => new URLSearchParams({ v: value }).toString().slice(2);
const strict = (value: string): string =>
  encodeURIComponent(value).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
const phpUrl = (value: string): string => form(value).replaceAll('*', '%2A');
const query = (value: string): string =>
  /[\t\n\r#]/.test(value) ? encodeURI(value) : new URL(`https://h/?${value}`).search.slice(1);
const bytewise = (value: string, write: (hex: string) => string): string =>
  (Buffer.from(value).toString('hex').match(/../g) ?? []).map(write).join('');
const goUrl = (value: string, kept: RegExp): string =>
  every(value, (char) => (kept.test(char) ? char : bytewise(char, (hex) => `%${hex}`)));
/** As JavaScript reads it, and as C does. */
const hexEscape = (unit: string): string =>
  unit > '\u00ff' ? unicode(unit) : `\\x${Buffer.from(unit, 'latin1').toString('hex')}`;
const hexEscapes = (char: string): string => bytewise(char, (hex) => `\\x${hex}`);
const html = (value: string, table: Record<string, string>): string =>
  every(value, (char) => table[char] ?? char);
const python = (value: string): string => inner(value).replace(/[^\0-~]/g, unicode);
const php = (value: string): string => python(value).replaceAll('/', '\\/');
const go = (value: string): string => inner(value).replace(/[<>&]/g, unicode);
const dotNet = (value: string): string =>
  python(value)
    .replaceAll('\\"', '\\u0022')
    .replace(/[<>&'+`\u007f]/g, unicode);

/** In the quotes that need no escape; where both kinds stand in the text, the single are escaped. */
const pythonQuotes = (value: string): string =>
  value.includes("'") && value.includes('"') ? value.replaceAll("'", "\\'") : value;
const pythonControls = (value: string): string =>
  value
    .replaceAll('\\', '\\\\')
    .replace(/[\n\r\t]/g, (char) => ({ '\n': '\\n', '\r': '\\r', '\t': '\\t' })[char]!);
const pythonBytes = (value: string): string =>
  pythonQuotes(pythonControls(Buffer.from(value).toString('latin1'))).replace(
    /[^ -~]/g,
    (byte) => `\\x${Buffer.from(byte, 'latin1').toString('hex')}`,
  );
const pythonAscii = (value: string): string =>
  pythonQuotes(pythonControls(value)).replace(/[^ -~]/gu, (char) => {
    const digits = char.codePointAt(0)!.toString(16);
    if (digits.length <= 2) return `\\x${digits.padStart(2, '0')}`;
    return digits.length <= 4 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
  });
const utf32 = (value: string): Buffer =>
  Buffer.from(Uint32Array.from([...value], (char) => char.codePointAt(0)!).buffer);

/** Written here with other means than the source's, as upstreams do. */
const FORMS: Record<string, (value: string) => string | Buffer> = {
  raw: (v) => v,
  'upper case': (v) => v.toUpperCase(),
  'lower case': (v) => v.toLowerCase(),
  'JSON.stringify': inner,
  'JSON of Python': python,
  'JSON of PHP': php,
  'JSON of PHP with unescaped Unicode': (v) => inner(v).replaceAll('/', '\\/'),
  'JSON of Go': go,
  'JSON of .NET': dotNet,
  'JSON of .NET in upper-case hex': (v) =>
    dotNet(v).replace(/\\u(....)/g, (_, hex) => `\\u${hex.toUpperCase()}`),
  'JSON of Gson': (v) => inner(v).replace(/[<>&='\u2028\u2029]/g, unicode),
  'JavaScript of Django': (v) => v.replace(/[\0-\x1f\\'"<>&=;`\u2028\u2029-]/g, unicode),
  'JavaScript of Django in upper-case hex': (v) =>
    v.replace(
      /[\0-\x1f\\'"<>&=;`\u2028\u2029-]/g,
      (c) => `\\u${unicode(c).slice(2).toUpperCase()}`,
    ),
  'JSON with every ASCII sign escaped': (v) => v.replace(/[\0-\x7f]/g, ifSign(unicode)),
  'JSON with everything but letters and digits escaped': (v) => units(v, ifSign(unicode)),
  'JSON with every ASCII sign escaped in JSON': (v) =>
    inner(v.replace(/[\0-\x7f]/g, ifSign(unicode))),
  'JavaScript of ESAPI and Laminas': (v) => v.replace(/[^A-Za-z0-9,._]/g, hexEscape),
  'JavaScript of Twig': (v) =>
    v.replace(/[^A-Za-z0-9,._]/g, (c) =>
      c === '/' ? '\\/' : /[\b\f\n\r\t\\]/.test(c) ? inner(c) : unicode(c),
    ),
  'every sign as a hex escape': (v) => units(v, ifSign(hexEscape)),
  'every sign as hex escapes of its bytes': (v) => every(v, ifSign(hexEscapes)),
  'every sign as a hex escape in JSON': (v) => inner(units(v, ifSign(hexEscape))),
  'JSON with every character escaped': (v) => units(v, unicode),
  'JSON in JSON': (v) => inner(inner(v)),
  'JSON of PHP in JSON of PHP': (v) => php(php(v)),
  'JSON of Python in JSON': (v) => inner(python(v)),
  'JSON with every character escaped in JSON': (v) => inner(units(v, unicode)),
  encodeURIComponent: encodeURIComponent,
  encodeURI: encodeURI,
  'percent as RFC 3986': strict,
  'percent in lower case': (v) => strict(v).replace(/%../g, (hex) => hex.toLowerCase()),
  'percent of a form': form,
  'percent of a URL query': query,
  'percent with the slashes kept': (v) => strict(v).replaceAll('%2F', '/'),
  'percent on every byte': (v) => bytewise(v, (hex) => `%${hex}`),
  'percent twice': (v) => encodeURIComponent(encodeURIComponent(v)),
  'percent of a form twice': (v) => form(form(v)),
  'percent as RFC 3986 twice': (v) => strict(strict(v)),
  'percent of PHP twice': (v) => phpUrl(phpUrl(v)),
  'percent of a URL query twice': (v) => query(v).replaceAll('%', '%25'),
  'percent on every byte twice': (v) => bytewise(v, (hex) => `%25${hex}`),
  'percent on every byte of percent on every byte': (v) =>
    bytewise(
      bytewise(v, (hex) => `%${hex}`),
      (hex) => `%${hex}`,
    ),
  'the password of a URL': (v) => Object.assign(new URL('https://u@h/'), { password: v }).password,
  'the PathEscape of Go': (v) => goUrl(v, /[\w\-.~$&+=:@]/),
  'the path of a URL in Go': (v) => goUrl(v, /[\w\-.~$&+,/:;=@]/),
  'the password of a URL in Go': (v) => goUrl(v, /[\w\-.~$&+=,;]/),
  'HTML of Handlebars': (v) =>
    html(v, {
      ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' },
      ...{ "'": '&#x27;', '`': '&#x60;', '=': '&#x3D;' },
    }),
  'HTML with every character decimal in JSON of Go': (v) =>
    every(v, (c) => `\\u0026#${c.codePointAt(0)};`),
  'HTML with every character hex in JSON of Go': (v) =>
    every(v, (c) => `\\u0026#x${c.codePointAt(0)!.toString(16)};`),
  'HTML named': (v) => html(v, { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }),
  'HTML of PHP': (v) =>
    html(v, { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#039;' }),
  'HTML of Python': (v) =>
    html(v, { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' }),
  'HTML of Go': (v) =>
    html(v, { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;', '+': '&#43;' }),
  XML: (v) => html(v, { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }),
  'HTML with every character decimal': (v) => every(v, (c) => `&#${c.codePointAt(0)};`),
  'HTML with every character hex': (v) => every(v, (c) => `&#x${c.codePointAt(0)!.toString(16)};`),
  'HTML with every character hex in upper case': (v) =>
    every(v, (c) => `&#X${c.codePointAt(0)!.toString(16).toUpperCase()};`),
  'HTML beyond ASCII decimal': (v) =>
    every(html(v, { '&': '&amp;', '<': '&lt;', '>': '&gt;' }), (c) =>
      c > '~' && c !== '\u007f' ? `&#${c.codePointAt(0)};` : c,
    ),
  'JSON in HTML': (v) =>
    html(inner(v), { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }),
  'JSON in a URL': (v) => encodeURIComponent(inner(v)),
  hex: (v) => Buffer.from(v).toString('hex'),
  'hex in upper case': (v) => Buffer.from(v).toString('hex').toUpperCase(),
  'hex with colons': (v) => bytewise(v, (hex) => `:${hex}`).slice(1),
  'hex escapes': (v) => bytewise(v, (hex) => `\\x${hex}`),
  'hex of .NET': (v) => bytewise(v, (hex) => `-${hex.toUpperCase()}`).slice(1),
  'a field of CSV': (v) => v.replaceAll('"', '""'),
  'a field of CSV in JSON': (v) => inner(v.replaceAll('"', '""')),
  'a literal of SQL or YAML': (v) => v.replaceAll("'", "''"),
  'an argument of a shell': (v) => v.replaceAll("'", "'\\''"),
  'an argument of a shell in JSON': (v) => inner(v.replaceAll("'", "'\\''")),
  'an argument of a shell, of Python': (v) => v.replaceAll("'", `'"'"'`),
  'the escape of JavaScript, ASCII': (v) =>
    every(v, (char) => (char > '\u007f' ? bytewise(char, (hex) => `%${hex}`) : escape(char))),
  'the repr of bytes in Python': pythonBytes,
  'the repr of bytes in Python in JSON': (v) => inner(pythonBytes(v)),
  'the ascii() of Python': pythonAscii,
  'a list of bytes in JSON': (v) => JSON.stringify([...Buffer.from(v)]).slice(1, -1),
  'a list of bytes in Python': (v) => [...Buffer.from(v)].join(', '),
  'a list of bytes in Go': (v) => [...Buffer.from(v)].join(' '),
  'bytes of a C program': (v) => bytewise(v, (hex) => `, 0x${hex}`).slice(2),
  'bytes of a C program without spaces': (v) => bytewise(v, (hex) => `,0X${hex}`).slice(1),
  'HTML with every character decimal, without semicolons': (v) =>
    every(v, (c) => `&#${c.codePointAt(0)}`),
  'HTML with every character hex, without semicolons': (v) =>
    every(v, (c) => `&#x${c.codePointAt(0)!.toString(16)}`),
  'Markdown with every sign escaped': (v) => v.replace(/[!-/:-@[-`{-~]/g, '\\$&'),
  'Markdown of Telegram': (v) => v.replace(/[_*[\]()~`>#+\-=|{}.!\\]/g, '\\$&'),
  'Markdown of Discord': (v) => v.replace(/[_*~`|\\]/g, '\\$&'),
  'Markdown in JSON': (v) => inner(v.replace(/[\\`*_{}[\]()#+\-.!]/g, '\\$&')),
  'Markdown of Turndown': (v) => v.replace(/[\\*_[\]`]/g, '\\$&'),
  'UTF-16 LE': (v) => Buffer.from(v, 'utf16le'),
  'UTF-16 BE': (v) => Buffer.from(v, 'utf16le').swap16(),
  'JSON in UTF-16 LE': (v) => Buffer.from(inner(v), 'utf16le'),
  'JSON of PHP in UTF-16 BE': (v) => Buffer.from(php(v), 'utf16le').swap16(),
  'a URL in UTF-16 LE': (v) => Buffer.from(encodeURIComponent(v), 'utf16le'),
  'UTF-32 LE': utf32,
  'UTF-32 BE': (v) => utf32(v).swap32(),
  'JSON in UTF-32 BE': (v) => utf32(inner(v)).swap32(),
  'JSON of Python in UTF-32 LE': (v) => utf32(python(v)),
};

describe('no form of a secret survives', () => {
  for (const [kind, value] of Object.entries(AWKWARD)) {
    it(`when it holds ${kind}`, () => {
      const redactor = Redactor.of([new Secret('s', value)]);
      for (const [name, write] of Object.entries(FORMS)) {
        const written = write(value);
        const body = Buffer.concat([
          Buffer.from('<<'),
          Buffer.from(written as string),
          Buffer.from('>>'),
        ]);
        const { bytes, count } = redactor.bytes(body);
        assert.equal(Buffer.from(bytes).toString('latin1'), `<<${redactor.marker}>>`, name);
        assert.equal(count, 1, name);
      }
    });

    it(`in base64 at any place when it holds ${kind}`, () => {
      const redactor = Redactor.of([new Secret('s', value)]);
      for (const encoding of ['base64', 'base64url'] as const) {
        for (const before of ['', 'u', 'u:', 'me:', 'user:']) {
          for (const after of ['', '!', '!!', '!!!']) {
            const whole = Buffer.from(before + value + after).toString(encoding);
            for (const written of [
              whole,
              whole.replaceAll('/', '\\/'),
              encodeURIComponent(whole),
            ]) {
              const { bytes, count } = redactor.bytes(Buffer.from(written));
              const left = Buffer.from(bytes).toString();
              assert.equal(count, 1, `${before}${after} ${encoding}`);
              assert.match(
                left,
                new RegExp(`^.{0,${before.length * 2 + 3}}\\[REDACTED\\].{0,11}$`),
              );
            }
          }
        }
      }
    });
  }

  it('when its base64 is in base64, as the credentials of Docker do', () => {
    for (const value of Object.values(AWKWARD)) {
      const redactor = Redactor.of([new Secret('s', value)]);
      for (const user of ['', 'a', 'ab', 'abc']) {
        const auth = Buffer.from(`${user}:${value}`).toString('base64');
        for (const before of ['', 'x', 'xx']) {
          const config = `${before}{"auths":{"r.example":{"auth":"${auth}"}}}`;
          for (const encoding of ['base64', 'base64url'] as const) {
            const written = Buffer.from(config).toString(encoding);
            assert.equal(redactor.text(written).count, 1, `${user} ${before} ${encoding}`);
          }
        }
      }
    }
  });

  it('when it is written in Latin-1, or in UTF-8 read as Latin-1', () => {
    const redactor = Redactor.of([new Secret('s', 'pässwörd-é')]);
    const latin1 = Buffer.from('pässwörd-é', 'latin1');
    assert.equal(Buffer.from(redactor.bytes(latin1).bytes).toString(), '[REDACTED]');
    const header = Buffer.from('pässwörd-é').toString('latin1');
    assert.deepEqual(redactor.text(`a ${header} é`), { text: 'a [REDACTED] é', count: 1 });
  });

  it('when its UTF-8 was read as Latin-1 or windows-1252 and is written in UTF-8 again', () => {
    for (const value of ['pässwörd-ünique-schlüssel', 'ÜBER-schlüssel-€', 'key😀with🔑emoji']) {
      const redactor = Redactor.of([new Secret('s', value)]);
      for (const charset of ['latin1', 'windows-1252']) {
        const bytes = Buffer.from(value);
        const read =
          charset === 'latin1' ? bytes.toString('latin1') : new TextDecoder(charset).decode(bytes);
        for (const written of [read, python(read), encodeURIComponent(read), html(read, {})]) {
          const { bytes: clean } = redactor.bytes(Buffer.from(`<${written}>`));
          assert.equal(Buffer.from(clean).toString(), '<[REDACTED]>', `${charset} ${written}`);
        }
      }
    }
  });

  it('with every sign percent-encoded or as a reference, letters and digits left alone', () => {
    const redactor = Redactor.of([new Secret('s', 'sk_live-abc.def~1')]);
    for (const written of [
      'sk%5Flive%2Dabc%2Edef%7E1',
      'sk%5flive%2dabc%2edef%7e1',
      'sk%255Flive%252Dabc%252Edef%257E1',
      'sk&#95;live&#45;abc&#46;def&#126;1',
      'sk&#x5F;live&#x2D;abc&#x2E;def&#x7E;1',
    ]) {
      assert.equal(redactor.text(written).text, '[REDACTED]', written);
    }
  });

  it('when its base64 is broken into lines', () => {
    const redactor = Redactor.of([new Secret('s', PEM)]);
    const lines = Buffer.from(PEM).toString('base64').replace(/.{76}/g, '$&\n');
    assert.match(redactor.text(lines).text, /^\[REDACTED\].{0,3}$/);
  });
});

describe('the floor of eight characters', () => {
  it('leaves shorter secrets in every form', () => {
    for (const value of ['seven77', '1234567', '密码密码密码密', '😀😀😀😀😀😀😀']) {
      assert.deepEqual(formsOf(new Secret('s', value)), []);
      assert.ok(Redactor.of([new Secret('s', value)]).isEmpty);
    }
  });

  it('counts characters, not bytes or UTF-16 units', () => {
    assert.equal(
      Redactor.of([new Secret('s', '密码密码密码密码')]).text('密码密码密码密码').count,
      1,
    );
  });

  it('holds for every form', () => {
    for (const value of [
      ...Object.values(AWKWARD),
      'Aw======',
      'AAAAAA==',
      'abcdefgh=',
      '========',
    ]) {
      const lengths = formsOf(new Secret('s', value)).map(({ length }) => length);
      assert.ok(Math.min(...lengths) >= 8, value);
    }
  });
});
