import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checkHeaders } from './header-rules.ts';

const none: ReadonlySet<string> = new Set();

function refusalOf(headers: Record<string, string>, injected = none): string | undefined {
  return checkHeaders(headers, injected)?.refusal;
}

describe('a reserved header is refused in any spelling', () => {
  const reserved = [
    ...['Authorization', 'Proxy-Authorization', 'Cookie', 'Host', 'Content-Length', 'Connection'],
    ...[
      'Transfer-Encoding',
      'Upgrade',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'X-Forwarded-Anything',
    ],
    ...[
      'X-Real-IP',
      'Accept-Encoding',
      'Range',
      'If-Range',
      'TE',
      'Trailer',
      'Expect',
      'Keep-Alive',
    ],
    ...['Proxy-Connection', 'Proxy-Anything', 'Forwarded', 'Via', 'X-HTTP-Method-Override'],
    ...['X-HTTP-Method', 'X-Method-Override', 'X-Original-URL', 'X-Rewrite-URL'],
    ...['True-Client-IP', 'CF-Connecting-IP', 'X-Client-IP', 'Client-IP', 'Fastly-Client-IP'],
    ...['X-Cluster-Client-IP', 'X-Anything-Client-IP'],
    ...['Proxy', 'Remote-User', 'Remote-Groups', 'X-Remote-User', 'X-Remote-Extra-Scopes'],
    ...['X-Forwarded-User', 'X-Auth-Request-User', 'X-Auth-Request-Email', 'X-WebAuth-User'],
    ...['X-MS-Client-Principal', 'X-MS-Client-Principal-Name', 'X-Amzn-Oidc-Identity'],
    ...['X-Goog-Authenticated-User-Email', 'X-Goog-IAP-JWT-Assertion', 'Tailscale-User-Login'],
    ...['Cf-Access-Authenticated-User-Email', 'X-Authentik-Username', 'X-Pomerium-Claim-Email'],
    ...['X-Authenticated-Userid', 'X-Consumer-Username', 'SSL-Client-Verify', 'X-SSL-Client-Cert'],
    ...['X-Original-Host', 'X-Host', 'X-HTTP-Host-Override'],
    ...['Accept-Charset', 'Request-Range', 'x-ms-range', 'X-Range', 'X-Anything-Range'],
  ];
  for (const name of reserved) {
    test(name, () => {
      const spellings = [
        ...[name, name.toLowerCase(), name.toUpperCase()],
        ...['_', '.', '~'].map((sign) => name.replaceAll('-', sign)),
      ];
      for (const spelling of spellings) {
        assert.equal(refusalOf({ [spelling]: 'x' }), 'reserved_header', spelling);
      }
      assert.match(checkHeaders({ [name]: 'x' }, none)?.message ?? '', new RegExp(name));
    });
  }
});

describe('an injected header is refused in any spelling', () => {
  for (const injected of ['X-Api-Key', 'x-api-key', 'X_API_KEY']) {
    for (const name of [
      'X-Api-Key',
      'x-api-key',
      'X-API-KEY',
      'X_Api_Key',
      'x-api_key',
      'X.Api.Key',
    ]) {
      test(`${name} where ${injected} is injected`, () => {
        assert.equal(refusalOf({ [name]: 'x' }, new Set([injected])), 'reserved_header');
        assert.equal(refusalOf({ [name]: 'x' }), undefined);
      });
    }
  }
});

describe('ordinary headers pass', () => {
  for (const [name, value] of [
    ['Accept', 'application/json'],
    ['Content-Type', 'application/json; charset=utf-8'],
    ['User-Agent', 'x/1.0 (y)'],
    ['X-Request-Id', ''],
    ['If-None-Match', '"abc"'],
    ['If-Match', '*'],
    ['X-Forwarded', 'x'],
    ['Hosts', 'x'],
    ['Prefer', 'return=minimal'],
    ['Content-Range', 'bytes 0-9/100'],
    ['Ranges', 'x'],
    ['X-Orange', 'x'],
    ['X-User-Id', 'x'],
    ['X-Proxy', 'x'],
    ['Remote', 'x'],
    ['X-Name', 'caf\u00e9 \u00ff'],
    ['__proto__', 'x'],
  ] as const) {
    test(`${name}: ${value}`, () => {
      const headers = JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`);
      assert.equal(refusalOf(headers, new Set(['x-api-key'])), undefined);
    });
  }
});

describe('a charset other than UTF-8 cannot be asked for', () => {
  for (const value of [
    ...['application/json;charset=UTF-32BE', 'application/json; CHARSET="utf-16"'],
    ...['text/html, application/json;q=0.5;charset=ibm037', 'a/b;charset=utf-8;charset=utf-7'],
    ...['a/b ; charset = utf-16', 'a/b;charset="\\utf-16"', "a/b;charset*=utf-8''utf-16"],
    ...['a/b;charset=utf-8, c/d;charset=iso-2022-jp', 'a/b;charset=utf-8x', 'a/b;charset='],
  ]) {
    test(value, () => {
      const refusal = checkHeaders({ accept: value }, none);
      assert.equal(refusal?.refusal, 'invalid_header');
      assert.match(refusal.message, /UTF-8/);
    });
  }

  for (const value of [
    ...['application/json;charset=utf-8', 'a/b; charset="UTF-8", c/d;q=0.1;charset=utf8 ;v=1'],
  ]) {
    test(`${value} passes`, () => assert.equal(refusalOf({ Accept: value }), undefined));
  }
});

describe('a name that is no token is refused', () => {
  for (const name of [
    ...[
      '',
      ' ',
      'a b',
      'a:',
      ':authority',
      'a\r\nb',
      'a\n',
      'a\0',
      'é',
      'a(b)',
      'a,b',
      'a/b',
      '"a"',
    ],
    ...['Host ', ' Host', 'Host:', 'Authorization\t', 'Ｈost', '\u212aeep-alive'],
  ]) {
    test(JSON.stringify(name), () => assert.equal(refusalOf({ [name]: 'x' }), 'invalid_header'));
  }
});

describe('a value that could break the line is refused', () => {
  for (const value of [
    ...['a\rb', 'a\nb', 'a\r\nEvil: 1', '\n', 'a\n', 'a\0b', 'a\tb', 'a\x1bb', 'a\x7fb', 'a\x85b'],
    ...['\u010a', 'a\u010dEvil: 1', '\u560d\u560a', '\u2028', '\u0100', '😀', '\ud800'],
  ]) {
    test(JSON.stringify(value), () => {
      const refusal = checkHeaders({ 'X-A': value }, none);
      assert.equal(refusal?.refusal, 'invalid_header');
      assert.doesNotMatch(refusal.message, /Evil/);
    });
  }

  test('whatever passes is one byte for each character, none below a space', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        if (refusalOf({ 'X-A': value }) !== undefined) return;
        const bytes = Buffer.from(value, 'latin1');
        assert.equal(bytes.toString('latin1'), value);
        assert.ok(bytes.every((byte) => byte >= 0x20 && byte !== 0x7f));
      }),
    );
  });
});

describe('of several offences the first is reported', () => {
  const rows: [headers: Record<string, string>, refusal: string][] = [
    [{ Host: 'x', 'X-A': 'a\nb' }, 'reserved_header'],
    [{ 'X-A': 'a\nb', Host: 'x' }, 'invalid_header'],
    [{ Host: 'a\nb' }, 'reserved_header'],
    [{ 'X-A': '1', 'x-a': '2' }, 'invalid_header'],
    [{ 'X-A': '1', X_A: '2' }, 'invalid_header'],
    [{ 'X-A': '1', 'x-a': '2', Host: 'x' }, 'invalid_header'],
    [{ Host: 'x', host: 'y' }, 'reserved_header'],
  ];
  for (const [headers, refusal] of rows) {
    test(`${JSON.stringify(headers)}: ${refusal}`, () => assert.equal(refusalOf(headers), refusal));
  }
});
