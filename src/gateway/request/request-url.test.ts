import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { posix } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Agent } from 'undici';
import { formatUrl, parseRequestUrl, type RequestUrl } from './request-url.ts';

function accepted(raw: string): RequestUrl {
  const url = parseRequestUrl(raw);
  assert.ok(!('problem' in url), `${raw}: ${JSON.stringify(url)}`);
  return url;
}

describe('a URL that two parsers could read differently is refused', () => {
  const rows: [problem: RegExp, urls: string[]][] = [
    [
      /"\.\."/,
      [
        ...[
          'https://h/..',
          'https://h/../x',
          'https://h/a/../b',
          'https://h/a/..',
          'https://h/a..b',
        ],
        ...['https://h/a/...', 'https://h/%2e%2e/x', 'https://h/.%2E/x', 'https://h/%2E./x'],
        ...['https://h/..%2fx', 'https://h/..%2Fx', 'https://h/a%2f..%2fb', 'https://h/..;/x'],
        ...['https://h/a/..;v=1/x', 'https://h/%2e%2e;/x', 'https://h/%252e%252e/x'],
        ...['https://h/%25252e%25252e/x', 'https://h/.%252e/x', 'https://h/%252e%2e%252fx'],
        ...['https://h/%25%32%65%25%32%65/x', 'https://h/a/..?x', 'https://h/a/..#x'],
      ],
    ],
    [
      /backslash/,
      [
        ...[
          'https://h/a\\b',
          'https://h\\a',
          'https://h/a%5cb',
          'https://h/a%5Cb',
          'https://h/%255c',
        ],
        ...['https://\\h/', 'https://h\\@evil/', 'https://h:443\\x'],
      ],
    ],
    [
      /control character/,
      [
        ...['https://h/a\tb', '\thttps://h/', 'https://h/\n', 'https://h/a\rb', 'https://h/a\0b'],
        ...[
          'ht\ttps://h/',
          'https://h\n/',
          'https://h/?a\nb',
          'https://h/#\u0001',
          'https://h/\x7f',
        ],
        ...[
          'https://h/a\u0085',
          'https://h/%00',
          'https://h/a%09',
          'https://h/%0d%0aX',
          'https://h/%7f',
        ],
        ...['https://h/%2500', 'https://h/%250a', 'https://h/%c2%85'],
      ],
    ],
    [
      /white space/,
      [' https://h/', 'https://h/ ', '\u00a0https://h/', 'https://h/\ufeff', 'https://h/\u3000'],
    ],
    [/surrogate/, ['https://h/\ud800', 'https://h/?\udc00x', 'https://\ud83d/']],
    [
      /%25/,
      [
        'https://h/%',
        'https://h/%2',
        'https://h/%zz',
        'https://h/%u002e',
        'https://h/%%41',
        'https://h/%25%',
      ],
    ],
    [
      /%25/,
      [
        'https://h/%c0%ae%c0%ae/',
        'https://h/%c0%af',
        'https://h/%ff',
        'https://h/%ed%a0%80',
        'https://h/%e0%80%ae',
      ],
    ],
    [/%25/, ['https://h/?a=100%', 'https://h/?%', 'https://h/?a=%zz', 'https://h?%2']],
    [/%00/, ['https://h/?a=%00', 'https://h/?%00=a']],
    [
      /credentials/,
      [
        ...[
          'https://@h/',
          'https://u@h/',
          'https://u:p@h/',
          'https://:@h/',
          'https://good.example@h',
        ],
        ...['https://h:80@evil/', 'https://a@b@c/', 'https://h@?x', 'https://h@#x'],
      ],
    ],
    [
      /zone id/,
      [
        'http://[fe80::1%25eth0]/',
        'http://[fe80::1%eth0]/',
        'http://%31%32%37.0.0.1/',
        'http://a%40b/',
        'http://h%2eexample/',
      ],
    ],
    [
      /http:\/\/ or https:\/\//,
      [
        ...['', 'h', '/a', '//h/a', 'h.example/a', 'https:/h', 'https:h', 'http:/x', 'https:\\\\h'],
        ...['https:/\\h', 'ftp://h/', 'file:///etc/passwd', 'ws://h/', 'javascript:alert(1)'],
        ...[
          'view-source:https://h/',
          'httpss://h/',
          'http ://h/',
          'ｈttps://h/',
          'data:,x',
          'blob:https://h/',
        ],
      ],
    ],
    [
      /no host/,
      [
        'https://',
        'https:///h',
        'https:////h',
        'https://?x',
        'https://#x',
        'https://.',
        'https://.../x',
      ],
    ],
    [
      /host or port/,
      [
        ...[
          'https://h:x/',
          'https://h:99999/',
          'https://h:-1/',
          'https://h:8 0/',
          'https://h:80:80/',
        ],
        ...[
          'https://a b/',
          'https://[::1/',
          'https://::1/',
          'https://[1.2.3.4]/',
          'https://256.1.1.1/',
        ],
        ...['https://a＠b/', 'https://a／b/', 'https://h<x/', 'https://:80/', 'https://h|x/'],
      ],
    ],
    [/longer/, [`https://h/${'a'.repeat(16_384)}`, `https://${'.'.repeat(16_000)}x/`]],
    [/port 0/, ['https://h:0/', 'http://h:000/x']],
  ];
  for (const [problem, urls] of rows) {
    for (const raw of urls) {
      test(`${JSON.stringify(raw).slice(0, 60)}: ${problem.source}`, () => {
        const result = parseRequestUrl(raw);
        assert.ok('problem' in result, JSON.stringify(result));
        assert.match(result.problem, problem);
      });
    }
  }
});

describe('a path has one reading', () => {
  const rows: [path: string, match: string, send: string][] = [
    ['', '/', '/'],
    ['/', '/', '/'],
    ['/v1/users', '/v1/users', '/v1/users'],
    ['/v1/users/', '/v1/users/', '/v1/users/'],
    ['//v1///users', '/v1/users', '/v1/users'],
    ['//evil.example/x', '/evil.example/x', '/evil.example/x'],
    ['/v1/./users', '/v1/users', '/v1/users'],
    ['/v1/%2e/users', '/v1/users', '/v1/users'],
    ['/v1/%2E', '/v1/', '/v1/'],
    ['/./', '/', '/'],
    ['/.', '/', '/'],
    ['/v1/.', '/v1/', '/v1/'],
    ['/.well-known/x.', '/.well-known/x.', '/.well-known/x.'],
    ['/a%2ejson', '/a.json', '/a%2ejson'],
    ['/group%2Fproject', '/group/project', '/group%2Fproject'],
    ['/a%2f%2Fb', '/a/b', '/a%2fb'],
    ['/a%2F/b', '/a/b', '/a/b'],
    ['/a/%2Fb', '/a/b', '/a/b'],
    ['/%2Fa', '/a', '/a'],
    ['/a%2F.%2Fb', '/a/b', '/a%2Fb'],
    ['/a/%2e%2F/b', '/a/b', '/a/b'],
    ['/a%2F', '/a/', '/a%2F'],
    ['/%2F', '/', '/'],
    ['/a%252Fb', '/a%2Fb', '/a%252Fb'],
    ['/a%252e/b', '/a%2e/b', '/a%252e/b'],
    ['/100%25', '/100%', '/100%25'],
    ['/a+b', '/a+b', '/a+b'],
    ['/a;v=1/b', '/a;v=1/b', '/a;v=1/b'],
    ['/%41%62', '/Ab', '/%41%62'],
    ['/a b', '/a b', '/a%20b'],
    ['/a%20b', '/a b', '/a%20b'],
    ['/caf\u00e9', '/caf\u00e9', '/caf%C3%A9'],
    ['/caf%c3%a9', '/caf\u00e9', '/caf%c3%a9'],
    ['/"<>`{}', '/"<>`{}', '/%22%3C%3E%60%7B%7D'],
    ["/!$&'()*+,;=:@|[]~-_", "/!$&'()*+,;=:@|[]~-_", "/!$&'()*+,;=:@|[]~-_"],
    ['/@user:x', '/@user:x', '/@user:x'],
    ['/http://h/x', '/http:/h/x', '/http:/h/x'],
  ];
  for (const [path, match, send] of rows) {
    test(`${path || '(empty)'} matches as ${match} and is sent as ${send}`, () => {
      const { matchPath, sendPath } = accepted(`https://h.example${path}`);
      assert.deepEqual({ matchPath, sendPath }, { matchPath: match, sendPath: send });
    });
  }
});

describe('host, port and query', () => {
  const rows: [raw: string, expected: Partial<RequestUrl>][] = [
    ['HTTPS://API.Example/', { scheme: 'https', host: 'api.example', port: 443 }],
    ['http://h', { scheme: 'http', host: 'h', port: 80, sendPath: '/' }],
    ['https://h:0443/', { port: 443 }],
    ['https://h:/', { port: 443 }],
    ['http://h:443/', { scheme: 'http', port: 443 }],
    ['https://h:65535/', { port: 65535 }],
    ['https://h./', { host: 'h', hadTrailingDot: true }],
    ['https://h.:8443/', { host: 'h', hadTrailingDot: true, port: 8443 }],
    ['https://h../', { host: 'h', hadTrailingDot: true }],
    ['https://h\u3002/', { host: 'h', hadTrailingDot: true }],
    ['https://1.2.3.4./', { host: '1.2.3.4', hadTrailingDot: true }],
    ['https://h/.', { host: 'h', hadTrailingDot: false }],
    ['https://2130706433/', { host: '127.0.0.1' }],
    ['https://0x7f.1/', { host: '127.0.0.1' }],
    ['https://0177.0.0.1/', { host: '127.0.0.1' }],
    ['https://127.1/', { host: '127.0.0.1' }],
    ['https://0/', { host: '0.0.0.0' }],
    ['https://\uff11\uff12\uff17.0.0.1/', { host: '127.0.0.1' }],
    ['https://[::FFFF:7f00:1]:8/', { host: '[::ffff:7f00:1]', port: 8 }],
    ['https://b\u00fccher.example/', { host: 'xn--bcher-kva.example' }],
    ['https://h?a=1', { sendPath: '/', query: 'a=1' }],
    ['https://h/?', { query: '' }],
    ['https://h/??a', { query: '?a' }],
    ["https://h/?q='%27+%2B&b=%5C\\..", { query: "q='%27+%2B&b=%5C\\.." }],
    ['https://h/?q=a b\u00e9', { query: 'q=a%20b%C3%A9' }],
    ['https://h/?u=https://x@y/..', { query: 'u=https://x@y/..' }],
    ['https://h/a#frag@x/../%zz', { sendPath: '/a', query: '' }],
    ['https://h/a?b#c', { sendPath: '/a', query: 'b' }],
    ['https://h#c', { host: 'h', sendPath: '/' }],
  ];
  for (const [raw, expected] of rows) {
    test(`${raw} is ${JSON.stringify(expected)}`, () => {
      const url = accepted(raw);
      assert.deepEqual({ ...url, ...expected }, url);
    });
  }

  test('the URL is written back with what is sent, and with another query', () => {
    assert.equal(formatUrl(accepted('HTTP://H:0080//a/./b?x#y')), 'http://h/a/b?x');
    assert.equal(
      formatUrl(accepted('https://h.:8443/a?x=1'), 'x=[REDACTED]'),
      'https://h.:8443/a?x=[REDACTED]',
    );
    assert.equal(formatUrl(accepted('https://[::1]?x'), ''), 'https://[::1]/');
  });
});

/** Paths made of pieces that parsers disagree on. */
const hostilePath = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          '/',
          '%2F',
          '%2f',
          '.',
          '%2e',
          '%2E',
          'a',
          'B1',
          ';',
          '%25',
          '%41',
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          '%',
          '%252e',
          '%5c',
          '\\',
          '..',
          '%00',
          '%c3%a9',
          '%ff',
          ' ',
          '+',
          '\t',
          '~',
          '{',
        ),
      },
      {
        weight: 1,
        arbitrary: fc.string({ unit: 'binary', maxLength: 3 }).filter((text) => !/[?#]/.test(text)),
      },
    ),
    { maxLength: 12 },
  )
  .map((pieces) => `/${pieces.join('')}`);

describe('for every path, accepted ones satisfy', () => {
  const holds = (check: (url: RequestUrl, path: string) => void) =>
    fc.assert(
      fc.property(hostilePath, (path) => {
        const url = parseRequestUrl(`https://h.example${path}`);
        if (!('problem' in url)) check(url, path);
      }),
      { numRuns: 3000 },
    );

  test('no later URL parser changes the path that is sent', () =>
    holds(({ sendPath }) => {
      assert.equal(new URL(sendPath, 'https://other.example').pathname, sendPath);
      assert.equal(new URL(sendPath, 'https://other.example').host, 'other.example');
      assert.match(sendPath, /^\/[\x21-\x7e]*$/);
    }));

  test('a server that decodes and cleans the sent path arrives at the matched path', () =>
    holds(({ sendPath, matchPath }) => {
      assert.equal(posix.normalize(decodeURIComponent(sendPath)), matchPath);
    }));

  test('the matched path is the given path, decoded once and then folded', () =>
    holds(({ matchPath }, path) => {
      let reference = decodeURIComponent(path);
      for (let last = ''; last !== reference; ) {
        last = reference;
        reference = reference.replace('//', '/').replace('/./', '/').replace(/\/\.$/, '/');
      }
      assert.equal(matchPath, reference);
    }));

  test('reading the sent path again changes nothing', () =>
    holds((url) => {
      assert.deepEqual(accepted(formatUrl(url)), url);
    }));

  test('three decodings find no "..", backslash or control character', () =>
    holds(({ sendPath }) => {
      let bytes = Buffer.from(sendPath).toString('latin1');
      for (let round = 0; round < 3; round += 1) {
        bytes = bytes.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
          String.fromCharCode(Number(`0x${hex}`)),
        );
        assert.doesNotMatch(bytes, /\.\.|\\|[\x00-\x1f\x7f]/);
      }
    }));

  test('a path of plain, already folded segments is sent byte for byte', () => {
    const unit = fc.constantFrom(...'abcXYZ019-_~!$&()*+,;=:@', '%41', '%c3%a9', '%20', '%252F');
    const segment = fc.string({ unit, minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(segment), (segments) => {
        const path = `/${segments.join('/')}`;
        assert.equal(accepted(`https://h.example${path}`).sendPath, path);
      }),
    );
  });
});

describe('on the wire', () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((req, res) => {
    seen.push(req.url);
    res.end();
  });
  const agent = new Agent();
  before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  after(async () => {
    await agent.close();
    server.close();
  });

  test('the upstream receives the path and query byte for byte', async () => {
    const { port } = server.address() as AddressInfo;
    await fc.assert(
      fc.asyncProperty(
        hostilePath,
        fc.constantFrom('', 'q=\'a"<b>|\\{}', 'a=%27&b=+&&;'),
        async (path, query) => {
          const url = parseRequestUrl(`https://h.example${path}?${query}`);
          if ('problem' in url) return;
          const target = url.query === '' ? url.sendPath : `${url.sendPath}?${url.query}`;
          const answer = await agent.request({
            origin: `http://127.0.0.1:${port}`,
            path: target,
            method: 'GET',
          });
          await answer.body.dump();
          assert.equal(seen.at(-1), target);
        },
      ),
      { numRuns: 100 },
    );
  });
});
