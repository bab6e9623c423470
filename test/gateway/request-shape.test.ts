/**
 * The shape of a request. The upstream records the bytes of each request line and header:
 * what was matched is what is sent, or nothing is sent.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { VERSION } from '../../src/core/version.ts';
import { startSignedIn } from '../support/gateway/signed-in.ts';
import { startRawUpstream } from '../support/http/raw-upstream.ts';

const KEY = 'sk-very-secret-value-1';

const upstream = await startRawUpstream();
const signedIn = await startSignedIn({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [
    {
      name: 'alice',
      secrets: { key: KEY },
      targets: [
        {
          id: 'public',
          description: 'd',
          base_url: upstream.url,
          methods: ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'],
          paths: ['/public/**'],
          inject: { headers: { 'X-Api-Key': '${key}', Cookie: 'session=${key}' } },
        },
        {
          id: 'segment',
          description: 'd',
          base_url: upstream.url,
          paths: ['/one/*', '/type/*.json'],
        },
        {
          id: 'narrow',
          description: 'd',
          base_url: upstream.url,
          paths: ['/wide/admin'],
        },
        {
          id: 'wide',
          description: 'd',
          base_url: upstream.url,
          methods: ['GET', 'POST'],
          paths: ['/wide/**'],
        },
      ],
    },
    { name: 'anyone', allow_any: true },
  ],
});

beforeEach(() => {
  upstream.received.length = 0;
});

after(async () => {
  await signedIn.gateway.stop();
  await upstream.close();
});

/** How servers of all kinds may read a path: decoded or not, again, without parameters, folded. */
function readings(path: string): string[] {
  const decode = (text: string) =>
    text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  const once = decode(path);
  const texts = [path, once, decode(once), decode(decode(once))];
  return texts.flatMap((text) => {
    const slashed = text.replaceAll('\\', '/');
    const plain = slashed.replace(/;[^/]*/g, '');
    return [text, slashed, plain].map(
      (variant) => new URL(variant.replace(/\/+/g, '/'), 'http://h').pathname,
    );
  });
}

describe('a path', () => {
  const refused = [
    ...['/public/../admin', '/public/..', '/public/..%2fadmin', '/public/%2e%2e/admin'],
    ...['/public/.%2E/admin', '/public/%2E./admin', '/public/%252e%252e/admin'],
    ...['/public/%25252e%25252e/admin', '/public/..;/admin', '/public/..;a=b/admin'],
    ...['/public/..%00/admin', '/public/%00', '/public/a%00b', '/public/..\\admin'],
    ...['/public/..%5cadmin', '/public%5c..%5cadmin', '/public%5cadmin', '/public\\admin'],
    ...['/public/%255c..%255cadmin', '/public/a\tb', '/public/\n/admin', '/public/a\rb'],
    ...['/pub\tlic/x', '/public/%0d%0aX-Evil:%201', '/public/%0a', '/public/%7f', '/public/%'],
    ...['/public/%2', '/public/%zz', '/public/%u002e%u002e/', '/public/%c0%ae%c0%ae/admin'],
    ...['/public/%c0%afadmin', '/public/%e0%80%af', '/public/%ff', '/public/%ed%a0%80'],
    ...['/public/a..b', '/public/x/%2e%2e%2f%2e%2e/admin', '/public/\ud800'],
    ...['/public/%c2%85', '/public/\u0085', '/public/ok '],
  ];
  for (const path of refused) {
    test(`${JSON.stringify(path)} is invalid_url`, async () => {
      const { value } = await signedIn.request('alice', { url: upstream.url + path });
      assert.equal(value.error, 'invalid_url');
      assert.equal(value.status, 400);
      assert.equal(upstream.received.length, 0);
    });
  }

  const sent: [path: string, target: string][] = [
    ['/public', '/public'],
    ['/public/', '/public/'],
    ['/public/x', '/public/x'],
    ['//public//x', '/public/x'],
    ['/public/./x/.', '/public/x/'],
    ['/public/%2e/x', '/public/x'],
    ['/./public/x', '/public/x'],
    ['/public/%2E', '/public/'],
    ['/public%2Fx', '/public%2Fx'],
    ['/public%2f%2fx', '/public%2fx'],
    ['/public/a%2Fb', '/public/a%2Fb'],
    ['/public/%252F', '/public/%252F'],
    ['/%70ublic/x', '/%70ublic/x'],
    ['/public/a;b=c/d', '/public/a;b=c/d'],
    ['/public/a b', '/public/a%20b'],
    ['/public/é', '/public/%C3%A9'],
    ['/public/%e9%80%9a', '/public/%e9%80%9a'],
    ["/public/@me:x,y+z!$&'()*=~", "/public/@me:x,y+z!$&'()*=~"],
    ['/public/[x]|', '/public/[x]|'],
    ['/public/"<>`{}^', '/public/%22%3C%3E%60%7B%7D%5E'],
    ['/public/x?a=/../b', '/public/x?a=/../b'],
    ['/public/x?', '/public/x'],
    ['/public/x#/../admin', '/public/x'],
    ['/public/x?a=%2e%2e&b=\\&&c', '/public/x?a=%2e%2e&b=\\&&c'],
    ['/public/x?q=a b"é', '/public/x?q=a%20b"%C3%A9'],
    ['/public/x?%0d%0aX-Evil:%201', '/public/x?%0d%0aX-Evil:%201'],
  ];
  for (const [path, target] of sent) {
    test(`${path} is received as ${target}`, async () => {
      const { value } = await signedIn.request('alice', { url: upstream.url + path });
      assert.equal(value.status, 200, JSON.stringify(value));
      assert.equal(upstream.received.length, 1);
      assert.equal(upstream.received[0]?.line, `GET ${target} HTTP/1.1`);
      for (const reading of readings(target.split('?')[0]!)) {
        assert.match(reading, /^\/(public|%70ublic)(\/|$|%2f)/i);
      }
    });
  }

  const elsewhere = [
    '/admin',
    '/',
    '',
    '//admin',
    '/PUBLIC/x',
    '/publicity',
    '/./admin',
    '/%2e/admin',
  ];
  for (const path of [...elsewhere, '/admin;/public/x', '/admin%2Fpublic', '/x%2f%2fpublic/x']) {
    test(`${path || '(none)'} is no_target`, async () => {
      const { value } = await signedIn.request('alice', { url: upstream.url + path });
      assert.equal(value.error, 'no_target');
      assert.equal(upstream.received.length, 0);
    });
  }
});

/** Tomcat 10.1 routes `/one/;x=1` as `/one/`, `/type/admin;.json` as `/type/admin`. */
describe('a path that is another one without the parameters of its segments', () => {
  const url = (path: string) => ({ url: upstream.url + path });
  for (const path of [
    ...['/one/;x=1', '/one/;', '/one/%3Bx=1', '/one/.;x', '/one/;a;b', '/type/admin;.json'],
    ...['/type/admin%3b.json', '/public;x/../y', '/wide/admin;x=1', '/wide/;/admin', '/;/one/a'],
  ]) {
    test(`is refused, regardless of who asks: ${path}`, async () => {
      for (const method of ['GET', 'POST']) {
        const { value } = await signedIn.request('alice', { ...url(path), method });
        assert.match(String(value.error), /^(no_target|invalid_url)$/);
      }
      assert.equal(upstream.received.length, 0);
    });
  }

  test('is told so', async () => {
    const { value } = await signedIn.request('alice', url('/one/;x=1'));
    assert.match(String(value.message), /path parameters \(";…"\).*remove them/);
  });

  for (const path of [
    '/one/a;x=1',
    '/public/;x=1',
    '/public/a;b=c/d',
    '/wide/b;x/c;y',
    '/one/a;',
  ]) {
    test(`is sent where both readings lead to one target: ${path}`, async () => {
      const { value } = await signedIn.request('alice', url(path));
      assert.equal(value.status, 200, JSON.stringify(value));
      assert.equal(upstream.received[0]?.target, path);
    });
  }
});

describe('a query that names a method', () => {
  for (const query of [
    ...['_method=DELETE', '_method=GET', '_HttpMethod=GET', '$httpMethod=GET', '.method=GET'],
    ...['X-HTTP-Method-Override=GET', '_method[]=GET', '[_method]=GET', 'a=1;_method=GET'],
  ]) {
    test(`is method_not_allowed, as its header is refused: ${query}`, async () => {
      const { value } = await signedIn.request('alice', {
        url: `${upstream.url}/public/x?${query}`,
      });
      assert.equal(value.error, 'method_not_allowed');
      assert.match(String(value.message), /remove that parameter/);
      assert.equal(upstream.received.length, 0);
    });
  }
});

describe('the rest of a URL', () => {
  const refused = [
    ...['http://@127.0.0.1:PORT/public/x', 'http://a@127.0.0.1:PORT/public/x'],
    ...['http://a:b@127.0.0.1:PORT/public/x', 'http://:@127.0.0.1:PORT/public/x'],
    ...['http://127.0.0.1:PORT@evil.test/public/x', 'http://evil.test\\@127.0.0.1:PORT/public/x'],
    ...['http:/127.0.0.1:PORT/public/x', 'http:127.0.0.1:PORT/public/x', 'http:///127.0.0.1/'],
    ...['http:\\\\127.0.0.1:PORT/public/x', 'http:/\\127.0.0.1:PORT/public/x'],
    ...['//127.0.0.1:PORT/public/x', '127.0.0.1:PORT/public/x', '/public/x', 'public/x', ''],
    ...['ftp://127.0.0.1:PORT/public/x', 'file:///public/x', 'ws://127.0.0.1:PORT/public/x'],
    ...['gopher://127.0.0.1:PORT/', 'javascript:alert(1)', 'data:,x', 'https+unix://x/'],
    ...[' http://127.0.0.1:PORT/public/x', 'http://127.0.0.1:PORT/public/x\n', '\u0000http://h/'],
    ...['ht\ntp://127.0.0.1:PORT/public/x', 'http://127.0.0.1\t:PORT/public/x'],
    ...['http://127.0.0.1:PORT\\public/x', 'http://127.0.0.1:/:PORT/..', 'http://127.0.0.1:0/'],
    ...['http://127.0.0.1:65536/', 'http://127.0.0.1:-1/', 'http://127.0.0.1:8o/', 'http://:80/'],
    ...[
      'http://127.0.0.1%2fx:PORT/public/x',
      'http://127.0.0.1%00:PORT/',
      'http://./',
      'http://a b/',
    ],
    ...[
      'http://h/?%',
      'http://h/?%0',
      'http://h/?a=%00',
      'http://h<>/',
      'http://[::1/',
      'http://]/',
    ],
    `http://${'a'.repeat(400)}/`,
  ];
  for (const raw of refused) {
    test(`${JSON.stringify(raw).slice(0, 60)} is invalid_url`, async () => {
      const url = raw.replace('PORT', String(upstream.port));
      for (const user of ['alice', 'anyone']) {
        const { value } = await signedIn.request(user, { url });
        assert.equal(value.error, 'invalid_url');
      }
      assert.equal(upstream.received.length, 0);
    });
  }

  const sent = [
    ...['http://127.0.0.1:0PORT/public/x', 'http://127.0.0.1:00000PORT/public/x'],
    ...['HTTP://127.0.0.1:PORT/public/x', 'hTTp://0x7f.0.0.1:PORT/public/x'],
    'http://127.0.0.1:PORT/public/x#@evil.test/',
  ];
  for (const raw of sent) {
    test(`${raw} is the target's own, and its host is sent canonically`, async () => {
      const url = raw.replace('PORT', String(upstream.port));
      assert.equal((await signedIn.request('alice', { url })).value.target, 'public');
      assert.equal(upstream.received[0]?.line, 'GET /public/x HTTP/1.1');
      assert.ok(upstream.received[0]?.headers.includes(`host: 127.0.0.1:${upstream.port}`));
    });
  }

  test('a host with a dot at its end is no target, though it is the same address', async () => {
    const url = `http://127.0.0.1.:${upstream.port}/public/x`;
    assert.equal((await signedIn.request('alice', { url })).value.error, 'no_target');
    assert.equal((await signedIn.request('anyone', { url })).value.error, 'blocked_network');
  });
});

describe('a header that only the gateway sets', () => {
  const names = [
    ...['Authorization', 'Proxy-Authorization', 'Cookie', 'Host', 'Content-Length', 'Connection'],
    ...['Transfer-Encoding', 'Upgrade', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto'],
    ...['X-Forwarded-', 'X-Forwarded-Anything', 'X-Real-IP', 'X-Api-Key'],
    ...['Accept-Encoding', 'Range', 'If-Range', 'TE', 'Trailer', 'Expect', 'Keep-Alive'],
    ...['Proxy-Connection', 'Proxy-Anything', 'Forwarded', 'Via'],
    ...['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', 'Proxy', 'Remote-User'],
    ...['X-Remote-User', 'X-Forwarded-User', 'X-Auth-Request-User', 'X-WebAuth-User'],
    ...['True-Client-IP', 'CF-Connecting-IP', 'X-Client-IP', 'Client-IP', 'X-Cluster-Client-IP'],
    ...['Accept-Charset', 'Request-Range', 'x-ms-range', 'X-Range'],
  ];
  for (const name of names) {
    test(`${name} is reserved in every spelling`, async () => {
      const mixed = name.replace(/[a-z]/gi, (letter, at) =>
        at % 2 ? letter.toLowerCase() : letter.toUpperCase(),
      );
      for (const spelling of new Set([
        ...[name, name.toLowerCase(), name.toUpperCase(), mixed],
        ...[name.replaceAll('-', '_'), name.replace('-', '_'), name.replaceAll('-', '.')],
      ])) {
        const { value } = await signedIn.request('alice', {
          url: `${upstream.url}/public/x`,
          headers: { [spelling]: 'x' },
        });
        assert.equal(value.error, 'reserved_header', spelling);
        assert.equal(value.status, 400);
      }
      assert.equal(upstream.received.length, 0);
    });
  }
});

describe('a header that would break the request', () => {
  const values = [
    ...['a\rb', 'a\nb', 'a\r\nX-Evil: 1', 'a\0b', '\n', 'a\r\n\r\nGET /admin HTTP/1.1'],
    ...[
      'a\u010ab',
      'a\u010db',
      '\u560a',
      '\u0100',
      '\u{1f600}',
      '\u0085',
      '\u2028',
      'a\u007f',
      'a\tb',
    ],
  ];
  for (const value of values) {
    test(`with the value ${JSON.stringify(value)} is invalid_header`, async () => {
      const { value: refusal } = await signedIn.request('alice', {
        url: `${upstream.url}/public/x`,
        headers: { 'X-Note': value },
      });
      assert.equal(refusal.error, 'invalid_header');
      assert.equal(refusal.status, 400);
      assert.equal(upstream.received.length, 0);
    });
  }

  const badNames = [
    ...[
      '',
      ' ',
      'a b',
      'a:b',
      ':authority',
      'X-Note ',
      ' X-Note',
      'X-Note\r\nHost',
      'X\0',
      'Ａuthorization',
    ],
    ...['authorization\u200b', 'host\u0000', 'co\u017fokie', 'X-Not\u00e9', 'a,b', '(x)'],
  ];
  for (const name of badNames) {
    test(`with the name ${JSON.stringify(name)} is invalid_header`, async () => {
      const { value } = await signedIn.request('alice', {
        url: `${upstream.url}/public/x`,
        headers: { [name]: 'x' },
      });
      assert.equal(value.error, 'invalid_header');
      assert.equal(upstream.received.length, 0);
    });
  }

  test('given twice in two cases is invalid_header', async () => {
    const { value } = await signedIn.request('alice', {
      url: `${upstream.url}/public/x`,
      headers: { 'X-Note': 'a', 'x-note': 'b' },
    });
    assert.equal(value.error, 'invalid_header');
  });
});

describe('on the wire', () => {
  test('the headers are those of the model, the gateway and the target, and no other', async () => {
    await signedIn.request('alice', {
      url: `${upstream.url}/public/x`,
      headers: { 'X-Note': 'a "quoted", ü; value', __proto__x: '1', constructor: '2' },
    });
    assert.deepEqual(upstream.received[0]?.headers, [
      `host: 127.0.0.1:${upstream.port}`,
      'connection: keep-alive',
      'x-note: a "quoted", \u00c3\u00bc; value',
      '__proto__x: 1',
      'constructor: 2',
      `user-agent: gatehouse/${VERSION}`,
      'accept: */*',
      'accept-encoding: identity',
      `x-api-key: ${KEY}`,
      `cookie: session=${KEY}`,
    ]);
  });

  for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'POST']) {
    test(`a body under ${method} is framed by its length and is no second request`, async () => {
      const body = 'GET /admin HTTP/1.1\r\nHost: h\r\n\r\n';
      upstream.script = (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      const { value } = await signedIn.request('alice', {
        url: `${upstream.url}/public/x`,
        method,
        body,
      });
      assert.equal(value.status, 204);
      assert.equal(upstream.received.length, 1);
      assert.equal(upstream.received[0]?.body.toString(), body);
      const framing = upstream.received[0]?.headers.filter((header) =>
        /^(content-length|transfer-encoding):/i.test(header),
      );
      assert.deepEqual(framing, [`content-length: ${body.length}`]);
    });
  }

  test('query values are encoded, whatever they hold', async () => {
    const query = {
      'a b': '&=#?\r\n%',
      ü: '\ufffdx',
      n: 1e21,
      list: ['', 0, false],
    };
    await signedIn.request('alice', {
      url: `${upstream.url}/public/x?__proto__=q`,
      query: { ...query, ['__proto__']: 'p' },
    });
    assert.equal(
      upstream.received[0]?.target,
      '/public/x?a%20b=%26%3D%23%3F%0D%0A%25&%C3%BC=%EF%BF%BDx&n=1e%2B21&list=&list=0&list=false&__proto__=p',
    );
  });
});
