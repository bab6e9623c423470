/** Parts of files and conditions on them, as file servers answer them (RFC 9110, 13 and 14). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Reply, startDecoys, type TestDecoys } from './support.ts';

const FILE = '/.claude/settings.json';
const LONG_AGO = 'Sat, 01 Jan 2000 00:00:00 GMT';

let decoys: TestDecoys;
let whole: Reply;
before(async () => {
  decoys = await startDecoys();
  whole = await decoys.ask(FILE);
});
after(() => decoys.close());

const ask = (headers: Record<string, string>, method = 'GET') =>
  decoys.ask(FILE, { method, headers });

test('a file says that parts of it can be had, and an answer of a service does not', async () => {
  assert.equal(whole.headers['accept-ranges'], 'bytes');
  assert.equal((await decoys.ask('/v1/models')).headers['accept-ranges'], undefined);
});

for (const [range, from, to] of [
  ['bytes=0-9', 0, 10],
  ['bytes=5-5', 5, 6],
  ['bytes=100-', 100, undefined],
  ['bytes=100-99999999', 100, undefined],
  ['bytes=-20', -20, undefined],
  ['bytes=-99999999', 0, undefined],
] as const) {
  test(`${range} is that part of the file`, async () => {
    const { status, headers, body } = await ask({ range });
    const part = whole.body.slice(from, to);
    const first = whole.body.length - whole.body.slice(from).length;
    assert.deepEqual([status, body], [206, part]);
    assert.deepEqual(
      [headers['content-range'], headers['content-length']],
      [`bytes ${first}-${first + part.length - 1}/${whole.body.length}`, String(part.length)],
    );
    for (const name of ['content-type', 'etag', 'last-modified'] as const) {
      assert.equal(headers[name], whole.headers[name]);
    }
  });
}

for (const range of ['bytes=99999999-', 'bytes=-0']) {
  test(`${range} is a part that the file has not`, async () => {
    const { status, headers, body } = await ask({ range });
    assert.deepEqual([status, body], [416, 'invalid range: failed to overlap\n']);
    assert.equal(headers['content-range'], `bytes */${whole.body.length}`);
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
  });
}

for (const [what, headers, method] of [
  ['another unit', { range: 'lines=1-2' }, 'GET'],
  ['no range', { range: 'bytes=-' }, 'GET'],
  ['a range that ends before it starts', { range: 'bytes=9-1' }, 'GET'],
  ['several ranges', { range: 'bytes=0-1,4-5' }, 'GET'],
  ['a range of a file that has changed', { range: 'bytes=0-9', 'if-range': '"0-0"' }, 'GET'],
  ['a range of POST', { range: 'bytes=0-9' }, 'POST'],
] as const) {
  test(`${what} is the whole file`, async () => {
    const { status, body } = await ask(headers, method);
    assert.deepEqual([status, body], [200, whole.body]);
  });
}

test('a range of the file that the client knows is that part', async () => {
  for (const known of [whole.headers.etag!, whole.headers['last-modified']!]) {
    assert.equal((await ask({ range: 'bytes=0-9', 'if-range': known })).status, 206);
  }
});

test('who asks for another file than this is told 412, and who asks for this one is sent it', async () => {
  const { etag, 'last-modified': modified } = whole.headers;
  for (const [headers, status] of [
    [{ 'if-match': '"0-0"' }, 412],
    [{ 'if-match': `W/${etag}` }, 412],
    [{ 'if-match': `"0-0", ${etag}` }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-unmodified-since': LONG_AGO }, 412],
    [{ 'if-unmodified-since': modified! }, 200],
    [{ 'if-unmodified-since': 'nonsense' }, 200],
    [{ 'if-match': etag!, 'if-unmodified-since': LONG_AGO }, 200],
    [{ 'if-match': '"0-0"', 'if-none-match': etag! }, 412],
    [{ 'if-match': etag!, 'if-none-match': etag! }, 304],
  ] as const) {
    const reply = await ask(headers as Record<string, string>);
    assert.equal(reply.status, status, JSON.stringify(headers));
    assert.equal(reply.body, status === 200 ? whole.body : '');
    assert.equal(reply.headers.etag, etag);
  }
});

test('the line of a part counts the honeytokens that are whole in it', async () => {
  const at = whole.body.indexOf('hp_live_');
  for (const [range, honeytokens] of [
    [`bytes=${at}-${at + 39}`, 1],
    [`bytes=${at}-${at + 38}`, 0],
    ['bytes=0-', 2],
    ['bytes=99999999-', 0],
  ] as const) {
    await ask({ range });
    assert.equal(decoys.lines().at(-1)?.honeytokens, honeytokens, range);
  }
});

test('two clients that get different bytes get different tags, and each its own file', async (t) => {
  const shared = await startDecoys({ isTrustedProxy: () => true });
  t.after(() => shared.close());
  const tags = new Set<string>();
  for (const path of [FILE, '/.aws/credentials', '/.claude/.credentials.json', '/.env']) {
    for (let client = 1; client <= 20; client++) {
      const from = { 'x-forwarded-for': `203.0.113.${client}` };
      const { headers } = await shared.ask(path, { headers: from });
      tags.add(`${path} ${headers.etag}`);
      const other = { 'x-forwarded-for': '198.51.100.9', 'if-none-match': headers.etag! };
      assert.equal((await shared.ask(path, { headers: other })).status, 200, path);
      const own = { ...from, 'if-none-match': headers.etag! };
      assert.equal((await shared.ask(path, { headers: own })).status, 304, path);
    }
  }
  assert.equal(tags.size, 4 * 20);
});
