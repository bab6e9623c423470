/**
 * Injection, as the upstream sees it: what the target attaches is there once and wins over
 * whatever the model wrote, in any spelling, and every other byte is the model's own.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { startSignedIn } from '../support/gateway/signed-in.ts';
import { startRawUpstream } from '../support/http/raw-upstream.ts';

const KEY = 'sk-very-secret-value-1';
/** A value that every place must escape in its own way. */
const ODD = 'q"uo\\te&=ü +%/?#';

const upstream = await startRawUpstream();
const target = (id: string, inject: object) => ({
  id,
  description: id,
  base_url: `${upstream.url}/${id}`,
  methods: ['GET', 'POST'],
  inject,
});
const signedIn = await startSignedIn({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [
    {
      name: 'alice',
      secrets: { key: KEY, odd: ODD, never: 'never-attached-value' },
      targets: [
        target('headers', {
          headers: {
            Authorization: 'Bearer ${key}',
            'X-Both': '${key}/${odd}',
            'X-Literal': '$${key} costs $5 $$ $',
            'User-Agent': 'operator/1',
            Accept: 'application/xml',
          },
        }),
        target('query', { query: { api_key: '${key}', 'odd name': '${odd}' } }),
        target('body', { body: { '$.auth.key': '${key}' } }),
        target('bodies', { body: { '$.a.x': '${key}', '$.a.y': '${odd}', '$.b': 'plain' } }),
        target('all', {
          headers: { 'X-Key': '${key}' },
          query: { key: '${key}' },
          body: { '$.key': '${odd}' },
        }),
      ],
    },
  ],
});

beforeEach(() => {
  upstream.received.length = 0;
});

after(async () => {
  await signedIn.gateway.stop();
  await upstream.close();
});

describe('headers', () => {
  test('are attached from templates, and win over what the gateway itself would send', async () => {
    const { audit } = await signedIn.request('alice', { url: `${upstream.url}/headers` });
    const headers = upstream.received[0]!.headers;
    const odd = Buffer.from(ODD).toString('latin1');
    for (const line of [
      `authorization: Bearer ${KEY}`,
      `x-both: ${KEY}/${odd}`,
      'x-literal: ${key} costs $5 $$ $',
      'user-agent: operator/1',
      'accept: application/xml',
    ]) {
      assert.equal(headers.filter((header) => header === line).length, 1, line);
    }
    const names = headers.map((header) => header.split(':')[0]);
    assert.equal(new Set(names).size, names.length, 'no header is repeated');
    assert.deepEqual(audit.injected, ['key', 'odd']);
  });

  for (const name of [
    'authorization',
    'X-BOTH',
    'x_both',
    'X.Both',
    'user-agent',
    'User_Agent',
    'ACCEPT',
  ]) {
    test(`cannot be set by the model as ${name}`, async () => {
      const { value } = await signedIn.request('alice', {
        url: `${upstream.url}/headers`,
        headers: { [name]: 'mine' },
      });
      assert.equal(value.error, 'reserved_header');
      assert.equal(upstream.received.length, 0);
    });
  }
});

describe('query parameters', () => {
  const injected = `api_key=${KEY}&odd%20name=${encodeURIComponent(ODD)}`;
  const rows: [given: string, kept: string][] = [
    ['', ''],
    ['?', ''],
    ['?a=1&b=2', '&a=1&b=2'],
    ['?api_key=mine', ''],
    ['?api_key=1&a=1&api_key=2', '&a=1'],
    ['?API_KEY=mine&Api_Key=mine', ''],
    ['?api%5Fkey=mine&%61pi_key=mine', ''],
    ['?api%5fKEY=mine', ''],
    ['?api_key', ''],
    // PHP, Rack and qs read these as the injected name or a list of it; each was tried there.
    ['?api_key[]=mine&api_key%5B%5D=mine&a=1', '&a=1'],
    ['?api_key[x]=mine&[api_key]=mine&[api_key=mine&api_key]=mine', ''],
    ['?api.key=mine&api%20key=mine&api[key=mine', ''],
    ['?%20api_key=mine&+api_key=mine&a=1', '&a=1'],
    ['?apiKey=mine&api-key=mine', ''],
    ['?a=1;api.key=mine', '&a=1'],
    ['?a=1;api_key=mine', '&a=1'],
    ['?a=1;b=2;Api%5Fkey=mine;c=3&d=4', '&a=1;b=2&d=4'],
    ['?api_key=mine;a=1', ''],
    ['?odd+name=mine&odd%20name=mine&ODD%20NAME=mine', ''],
    ['?&&a=1&&api_key=mine&&', '&&&a=1&&&'],
    ['?a=%7e%7E+%20&b=c=d&e', '&a=%7e%7E+%20&b=c=d&e'],
    ['?xapi_key=1&api_keys=2&x[api_key]=3', '&xapi_key=1&api_keys=2&x[api_key]=3'],
    ['?a=1#?api_key=mine', '&a=1'],
  ];
  for (const [given, kept] of rows) {
    test(`${given || '(none)'} is sent as what is injected and ${kept || 'nothing'}`, async () => {
      const { audit } = await signedIn.request('alice', { url: `${upstream.url}/query${given}` });
      assert.equal(upstream.received[0]?.target, `/query?${injected}${kept}`);
      const masked = `api_key=[REDACTED]&odd%20name=[REDACTED]${kept}`;
      assert.equal(audit.url, `${upstream.url}/query?${masked}`);
    });
  }

  test('stand before a thousand others, behind which PHP and qs read no more', async () => {
    const others = Array.from({ length: 1_200 }, (_, index) => `p${index}=1`).join('&');
    await signedIn.request('alice', { url: `${upstream.url}/query?${others}` });
    assert.equal(upstream.received[0]?.target, `/query?${injected}&${others}`);
  });

  test('with a NUL in the name are refused', async () => {
    const { value } = await signedIn.request('alice', {
      url: `${upstream.url}/query?api_key%00=mine`,
    });
    assert.equal(value.error, 'invalid_url');
    assert.equal(upstream.received.length, 0);
  });

  test('win over the argument of that name, too', async () => {
    await signedIn.request('alice', {
      url: `${upstream.url}/query`,
      query: { api_key: ['mine', 'too'], API_KEY: 'mine', 'odd name': 1, a: 'b' },
    });
    assert.equal(upstream.received[0]?.target, `/query?${injected}&a=b`);
  });
});

describe('body fields', () => {
  const set: [what: string, body: string, received: string][] = [
    ['an empty object', '{}', `{"auth":{"key":"${KEY}"}}`],
    ['spaces', ' \n{ }\t', ` \n{"auth":{"key":"${KEY}"} }\t`],
    ['another field', '{"a":1}', `{"a":1,"auth":{"key":"${KEY}"}}`],
    ['an object on the path', '{"auth":{"b":1}}', `{"auth":{"b":1,"key":"${KEY}"}}`],
    ['the field itself', '{"auth":{"key":"mine"},"z":0}', `{"auth":{"key":"${KEY}"},"z":0}`],
    ['the field as an object', '{"auth":{"key":{"a":[1]}}}', `{"auth":{"key":"${KEY}"}}`],
    ['the field twice', '{"auth":{"key":"a","key":"b"}}', `{"auth":{"key":"${KEY}"}}`],
    [
      'the object on the path twice',
      '{"auth":{"key":"a"},"x":1,"auth":{"key":"b"}}',
      `{"x":1,"auth":{"key":"${KEY}"}}`,
    ],
    [
      'an escaped name',
      '{"\\u0061uth":{"k\\u0065y":"a"}}',
      `{"\\u0061uth":{"k\\u0065y":"${KEY}"}}`,
    ],
    ['__proto__', '{"__proto__":{"auth":1}}', `{"__proto__":{"auth":1},"auth":{"key":"${KEY}"}}`],
    [
      'big integers, order and spacing',
      '{ "z" : 12345678901234567890.10 ,\r\n  "a":[ 1e400 , -0 ],"\\u00fc": "\\/" }',
      `{ "z" : 12345678901234567890.10 ,\r\n  "a":[ 1e400 , -0 ],"\\u00fc": "\\/","auth":{"key":"${KEY}"} }`,
    ],
    ['letters beyond ASCII', '{"ü":"\u{1f600}"}', `{"ü":"\u{1f600}","auth":{"key":"${KEY}"}}`],
  ];
  for (const [what, body, received] of set) {
    test(`are set in a body with ${what}`, async () => {
      const { value } = await signedIn.request('alice', {
        url: `${upstream.url}/body`,
        method: 'POST',
        body,
      });
      assert.equal(value.status, 200, JSON.stringify(value));
      assert.equal(upstream.received[0]?.body.toString(), received);
      assert.ok(upstream.received[0]?.headers.includes('content-type: application/json'));
    });
  }

  test('may be several, and are escaped as JSON', async () => {
    await signedIn.request('alice', {
      url: `${upstream.url}/bodies`,
      method: 'POST',
      body: '{"b":{"deep":true}}',
    });
    assert.equal(
      upstream.received[0]?.body.toString(),
      `{"b":"plain","a":{"x":"${KEY}","y":${JSON.stringify(ODD)}}}`,
    );
  });

  const json = { 'Content-Type': 'application/json' };
  const refused: [what: string, body: string | undefined, headers?: Record<string, string>][] = [
    ['no body', undefined],
    ['no body, but its type', undefined, json],
    ['an empty body', '', json],
    ['an array', '[]'],
    ['a string', '"auth"'],
    ['a number', '1'],
    ['null', 'null'],
    ['a scalar on the path', '{"auth":1}'],
    ['an array on the path', '{"auth":[]}'],
    ['null on the path', '{"auth":null}'],
    ['the field in another case', '{"auth":{"KEY":"mine"}}'],
    ['the field in another case before', '{"auth":{"KEY":"mine","key":"a"}}'],
    ['the field with an underscore', '{"auth":{"k_ey":"mine"}}'],
    ['the field again in another case', '{"auth":{"key":"a","KEY":"mine"}}'],
    ['the path again in another case', '{"auth":{},"Auth":{"key":"mine"}}'],
    ['the field again with an odd letter', '{"auth":{"key":"a","\\u212aey":"mine"}}'],
    ['a byte order mark', '\ufeff{}', json],
    ['two values', '{}{}', json],
    ['a comment', '{/**/}', json],
    ['a trailing comma', '{"a":1,}', json],
    ['single quotes', "{'a':1}", json],
    ['NaN', '{"a":NaN}', json],
    ['half a document', '{"a":', json],
    ['a raw control character', '{"a":"\u0001"}', json],
    ['a form', 'a=b', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['JSON of another type', '{}', { 'Content-Type': 'text/plain' }],
    ['JSON of no type', '{}', { 'Content-Type': '' }],
    ['JSON in UTF-16', '{}', { 'Content-Type': 'application/json; charset=utf-16' }],
    ['JSON in two types', '{}', { 'Content-Type': 'application/json, text/plain' }],
    ['a type that only begins so', '{}', { 'Content-Type': 'application/jsonp' }],
    ['lines of JSON', '{}\n{}', { 'Content-Type': 'application/x-ndjson' }],
  ];
  for (const [what, body, headers] of refused) {
    test(`are refused with ${what}`, async () => {
      const { value, audit } = await signedIn.request('alice', {
        url: `${upstream.url}/body`,
        method: 'POST',
        ...(body === undefined ? {} : { body }),
        ...(headers ? { headers } : {}),
      });
      assert.equal(value.error, 'body_injection_failed');
      assert.equal(value.status, 400);
      assert.deepEqual(audit.injected, []);
      assert.equal(upstream.received.length, 0);
    });
  }

  for (const type of [
    ...['application/json', 'APPLICATION/JSON', 'application/json;charset=utf-8'],
    ...[
      'application/json; charset="UTF-8"',
      'application/vnd.api+json',
      'application/ld+json; v=1',
    ],
  ]) {
    test(`are set in a body of type ${type}`, async () => {
      await signedIn.request('alice', {
        url: `${upstream.url}/body`,
        method: 'POST',
        headers: { 'content-type': type },
        body: '{}',
      });
      assert.equal(upstream.received[0]?.body.toString(), `{"auth":{"key":"${KEY}"}}`);
      assert.ok(upstream.received[0]?.headers.includes(`content-type: ${type}`));
    });
  }

  test('a body as deep as it is long harms nothing', async () => {
    const body = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    const { value } = await signedIn.request('alice', {
      url: `${upstream.url}/body`,
      method: 'POST',
      body,
    });
    assert.equal(value.status, 200);
    assert.equal(
      upstream.received[0]?.body.length,
      body.length + `,"auth":{"key":"${KEY}"}`.length,
    );
  });

  test('a body of thousands of twins holds the value once', async () => {
    const body = `{${'"auth":{"key":"a"},'.repeat(20_000)}"auth":{"key":"b"}}`;
    await signedIn.request('alice', { url: `${upstream.url}/body`, method: 'POST', body });
    assert.equal(upstream.received[0]?.body.toString(), `{"auth":{"key":"${KEY}"}}`);
  });
});

describe('everything at once', () => {
  test('is attached, named in the audit line and absent from the answer', async () => {
    upstream.script = (socket, request) => {
      const echo = `${request.target}\n${request.headers.join('\n')}\n${request.body}`;
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(echo)}\r\n\r\n${echo}`);
    };
    const { raw, audit } = await signedIn.request('alice', {
      url: `${upstream.url}/all`,
      method: 'POST',
      body: '{}',
    });
    const [received] = upstream.received;
    assert.equal(received?.target, `/all?key=${KEY}`);
    assert.ok(received?.headers.includes(`x-key: ${KEY}`));
    assert.equal(received?.body.toString(), `{"key":${JSON.stringify(ODD)}}`);
    assert.deepEqual(audit.injected, ['key', 'odd']);
    assert.equal(audit.redacted, 3);
    assert.ok(!raw.includes(KEY));
  });
});
