/** Where in a request a honeytoken is found, and where it is not: the table of docs/decoys.md. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { parseAddress } from '../../src/core/net/address.ts';
import { Honeytokens } from '../../src/decoys/tokens/honeytoken.ts';
import { KEY, sendBytes, startDecoys, type TestDecoys } from './support.ts';

const tokens = new Honeytokens({ key: KEY, site: 'decoys' });
let issued = 0;
/** Each row has a token of its own, so that none is a repeat. */
function newTokens() {
  const thief = parseAddress(`203.0.${issued >> 8}.${issued++ & 255}`)!;
  return {
    long: tokens.issue('configToken', thief, 20_000),
    bare: tokens.seal('configDatabase', thief, 20_000),
    id: tokens.issueAccessKeyId(thief),
  };
}
type Tokens = ReturnType<typeof newTokens>;

const b64 = (text: string) => Buffer.from(text).toString('base64');
const b64url = (text: string) => Buffer.from(text).toString('base64url');
const percent = (text: string) =>
  [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
const escaped = (text: string) =>
  [...text].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('');
const mixed = (text: string) =>
  [...text].map((letter, at) => (at % 3 ? letter : letter.toUpperCase())).join('');
const jwt = (claims: object) =>
  `${b64url('{"alg":"none"}')}.${b64url(JSON.stringify(claims))}.c2ln`;

interface Sent {
  readonly target?: string;
  readonly headers?: string;
  readonly body?: string | Buffer;
  /** In chunks, with these trailers. */
  readonly trailers?: string;
}
type Row = readonly [place: string, send: (tokens: Tokens) => Sent, isFound?: false];

const header = (name: string, value: (tokens: Tokens) => string): Row[1] => {
  return (all) => ({ headers: `${name}: ${value(all)}\r\n` });
};
const query = (value: (tokens: Tokens) => string): Row[1] => {
  return (all) => ({ target: `/x?a=1&t=${value(all)}&b=2` });
};
const body = (value: (tokens: Tokens) => string | Buffer, headers = ''): Row[1] => {
  return (all) => ({ body: value(all), headers });
};

export const ROWS: readonly Row[] = [
  ['`Authorization: Bearer`', header('Authorization', ({ long }) => `Bearer ${long}`)],
  ['`Authorization: token`', header('Authorization', ({ long }) => `token ${long}`)],
  ['`Authorization` without a scheme', header('Authorization', ({ long }) => long)],
  ['the password of `Basic`', header('Authorization', ({ long }) => `Basic ${b64(`u:${long}`)}`)],
  ['the name of `Basic`', header('Authorization', ({ long }) => `Basic ${b64(`${long}:`)}`)],
  [
    'a database password in `Basic`',
    header('Authorization', ({ bare }) => `Basic ${b64(`app:${bare}`)}`),
  ],
  ['a scheme nobody knows, in base64', header('Authorization', ({ long }) => `X-Key ${b64(long)}`)],
  [
    '`Proxy-Authorization`',
    header('Proxy-Authorization', ({ long }) => `Basic ${b64(`u:${long}`)}`),
  ],
  [
    'an AWS signature',
    header(
      'Authorization',
      ({ id }) => `AWS4-HMAC-SHA256 Credential=${id}/20261115/us-east-1/s3/aws4_request`,
    ),
  ],
  ['an AWS key id in lower case', header('X-Amz-Id', ({ id }) => id.toLowerCase())],
  ['a claim of a JWT', header('Authorization', ({ long }) => `Bearer ${jwt({ sub: long })}`)],
  [
    'a later claim of a JWT',
    header(
      'Authorization',
      ({ bare }) => `Bearer ${jwt({ iss: 'https://a.example/?x=1', pw: bare })}`,
    ),
  ],
  ['`X-Api-Key`', header('X-Api-Key', ({ long }) => long)],
  ['`PRIVATE-TOKEN`', header('PRIVATE-TOKEN', ({ long }) => long)],
  ['`Mcp-Session-Id`', header('Mcp-Session-Id', ({ bare }) => bare)],
  ['`Referer`', header('Referer', ({ long }) => `https://a.example/?t=${long}`)],
  ['`User-Agent`', header('User-Agent', ({ long }) => `curl/8 (${long})`)],
  ['a header in upper case', header('X-Key', ({ long }) => long.toUpperCase())],
  ['a header in mixed case', header('X-Key', ({ long }) => mixed(long))],
  ['a bare token in mixed case', header('X-Key', ({ bare }) => mixed(bare))],
  [
    'a header, percent-encoded',
    header('X-Dsn', ({ bare }) => `postgresql%3A%2F%2Fapp%3A${bare}%40db`),
  ],
  [
    'a header, JSON in base64',
    header('X-Data', ({ long }) => b64(JSON.stringify({ a: { key: long } }))),
  ],
  ['a header, base64 in base64', header('X-Data', ({ long }) => b64(b64(long))), false],
  [
    'a header, in hexadecimal',
    header('X-Data', ({ long }) => Buffer.from(long).toString('hex')),
    false,
  ],
  ['a header, reversed', header('X-Data', ({ long }) => [...long].reverse().join('')), false],
  [
    'a header, in two halves',
    (all) => ({ headers: `X-A: ${all.long.slice(0, 20)}\r\nX-B: ${all.long.slice(20)}\r\n` }),
    false,
  ],
  ['the name of a header', ({ long }) => ({ headers: `${long}: 1\r\n` })],
  ['a cookie', header('Cookie', ({ long }) => `a=b; s=${long}; c=d`)],
  ['a cookie, percent-encoded', header('Cookie', ({ long }) => `s=${percent(long)}`)],
  ['a cookie, in base64', header('Cookie', ({ long }) => `s=${b64url(`{"k":"${long}"}`)}`)],
  ['the path', ({ long }) => ({ target: `/x/${long}/y` })],
  ['the path, in base64', ({ long }) => ({ target: `/x/${b64url(long)}/y` })],
  ['the query', query(({ long }) => long)],
  ['the query, percent-encoded', query(({ long }) => percent(long))],
  ['the query, percent-encoded twice', query(({ long }) => percent(percent(long)))],
  ['the query, percent-encoded three times', query(({ bare }) => `app%25253A${bare}%252540db`)],
  [
    'the query, percent-encoded five times',
    query(({ long }) => percent(percent(percent(percent(percent(long)))))),
    false,
  ],
  [
    'the query, beside bytes of no text',
    query(({ long }) => `%ff%C0${percent(long.slice(0, 8))}${long.slice(8)}`),
  ],
  ['the name in the query', ({ long }) => ({ target: `/x?${long}=1` })],
  ['a presigned URL of AWS', query(({ id }) => `${id}%2F20261115%2Fus-east-1`)],
  ['a URL in the absolute form', ({ long }) => ({ target: `http://a.example/?t=${long}` })],
  ['a form', body(({ long }) => `grant_type=refresh_token&refresh_token=${long}`)],
  ['a form, percent-encoded', body(({ bare }) => `dsn=postgresql%3A%2F%2Fapp%3A${bare}%40db`)],
  ['JSON', body(({ long }) => `{"arguments":{"password":"${long}"}}`)],
  ['the name in JSON', body(({ long }) => `{"${long}":1}`)],
  ['JSON, after an escape', body(({ bare }) => `{"note":"password:\\n${bare}\\n"}`)],
  ['JSON, with `\\u` escapes', body(({ long }) => `{"a":"${escaped(long)}"}`)],
  ['broken JSON, with `\\u` escapes', body(({ long }) => `{"a":"${escaped(long)}`)],
  ['broken JSON, percent-encoded', body(({ long }) => `{"a":"${percent(long)}`)],
  ['JSON, in base64', body(({ long }) => `{"data":"${b64(`key=${long}`)}"}`)],
  [
    'base64 of MIME, in lines',
    body(({ long }) => b64(`${'x'.repeat(40)}${long}`).replace(/(.{76})/g, '$1\r\n')),
    false,
  ],
  [
    'multipart',
    body(
      ({ long }) => `--b\r\nContent-Disposition: form-data; name="t"\r\n\r\n${long}\r\n--b--\r\n`,
    ),
  ],
  ['XML', body(({ long }) => `<a><b key="${long}"/></a>`)],
  [
    'XML, with character references',
    body(
      ({ long }) => `<a>${[...long].map((letter) => `&#${letter.charCodeAt(0)};`).join('')}</a>`,
    ),
    false,
  ],
  ['UTF-16', body(({ long }) => Buffer.from(long, 'utf16le')), false],
  ['gzip', body(({ long }) => gzipSync(`{"a":"${long}"}`), 'Content-Encoding: gzip\r\n')],
  ['gzip without its header', body(({ long }) => gzipSync(long))],
  [
    'gzip, cut off',
    body(
      ({ long }) => gzipSync(`${long}${'x'.repeat(500)}`).subarray(0, -9),
      'Content-Encoding: gzip\r\n',
    ),
  ],
  ['deflate', body(({ long }) => deflateSync(long), 'Content-Encoding: deflate\r\n')],
  [
    'deflate without the envelope',
    body(({ long }) => deflateRawSync(long), 'Content-Encoding: deflate\r\n'),
  ],
  ['brotli', body(({ long }) => brotliCompressSync(long), 'Content-Encoding: br\r\n')],
  [
    'gzip in gzip',
    body(({ long }) => gzipSync(gzipSync(long)), 'Content-Encoding: gzip, gzip\r\n'),
    false,
  ],
  ['the end of 64 KiB', body(({ long }) => `${' '.repeat(64 * 1024 - long.length)}${long}`)],
  ['beyond 64 KiB', body(({ long }) => `${' '.repeat(64 * 1024)}${long}`), false],
  [
    'beyond 64 KiB of what gzip holds',
    body(({ long }) => gzipSync(`${' '.repeat(64 * 1024)}${long}`)),
    false,
  ],
  ['a trailer', ({ long }) => ({ body: 'x', trailers: `X-Token: ${long}\r\n` })],
  ['behind 500 look-alikes', body(({ long }) => `${lookAlikes(500)} ${long}`)],
];

function lookAlikes(count: number): string {
  const letters = (n: number) => n.toString(2).replaceAll('0', 'a').replaceAll('1', 'b');
  return Array.from({ length: count }, (_, n) => `hp_live_${letters(n).padStart(32, 'c')}`).join(
    ' ',
  );
}

let decoys: TestDecoys;
before(async () => {
  decoys = await startDecoys();
});
after(() => decoys.close());

function bytesOf({ target = '/nothing', headers = '', body: sent, trailers }: Sent): Buffer {
  const head = `POST ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}`;
  if (sent === undefined) return Buffer.from(`${head}\r\n`, 'latin1');
  const payload = Buffer.from(sent as string);
  if (trailers !== undefined) {
    const chunk = `${payload.length.toString(16)}\r\n${payload}\r\n0\r\n${trailers}\r\n`;
    return Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`, 'latin1');
  }
  const start = Buffer.from(`${head}Content-Length: ${payload.length}\r\n\r\n`, 'latin1');
  return Buffer.concat([start, payload]);
}

for (const [place, send, isFound = true] of ROWS) {
  test(`${isFound ? 'found' : 'not found'}: ${place}`, async () => {
    const before = decoys.written.length;
    await sendBytes(decoys.port, bytesOf(send(newTokens())).toString('latin1'));
    await decoys.searched();
    const uses = decoys
      .lines()
      .slice(before)
      .filter(({ event }) => event === 'honeytoken_used');
    assert.equal(uses.length, isFound ? 1 : 0);
  });
}

test('the table of docs/decoys.md has these places', () => {
  const page = readFileSync(new URL('../../docs/decoys.md', import.meta.url), 'utf8');
  const [, found = '', notFound = ''] = /^Found: (.*?)\.\n\nNot found: (.*?)\.$/ms.exec(page) ?? [];
  const listed = (isFound: boolean) =>
    ROWS.filter(([, , found = true]) => found === isFound).map(([place]) => place);
  const plain = (text: string) => text.replace(/\s+/g, ' ').split('; ');
  assert.deepEqual(plain(found), listed(true));
  assert.deepEqual(plain(notFound), listed(false));
});
