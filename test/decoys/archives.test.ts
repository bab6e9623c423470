/** Backups that unpack, and hold the honeytokens of whoever took them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { startDecoys, type TestDecoys } from './support.ts';

let decoys: TestDecoys;
before(async () => {
  decoys = await startDecoys();
});
after(() => decoys.close());

/** The first file of a ZIP file, by its local header. */
function firstOf(zip: Buffer): Buffer {
  const start = 30 + zip.readUInt16LE(26) + zip.readUInt16LE(28);
  return inflateRawSync(zip.subarray(start, start + zip.readUInt32LE(18)));
}

for (const [path, type, unpack] of [
  ['/backup.zip', 'application/zip', firstOf],
  ['/www.tar.gz', 'application/gzip', gunzipSync],
  ['/site.tar', 'application/x-tar', (bytes: Buffer) => bytes],
  ['/dump.sql.gz', 'application/gzip', gunzipSync],
  ['/db.sqlite3', 'application/octet-stream', (bytes: Buffer) => bytes],
  ['/.svn/wc.db', 'application/octet-stream', (bytes: Buffer) => bytes],
  ['/actuator/heapdump', 'application/octet-stream', (bytes: Buffer) => bytes],
] as const) {
  test(`${path} holds a honeytoken that is known when it is used`, async () => {
    const reply = await fetch(decoys.url + path);
    assert.equal(reply.headers.get('content-type'), type);
    const text = unpack(Buffer.from(await reply.arrayBuffer())).toString();
    const token = /hp_live_[a-z2-7]{32}/.exec(text)?.[0];
    assert.ok(token);
    const hit = decoys.lines().find((line) => line['url.path'] === path);
    assert.ok(Number(hit?.honeytokens) >= 1);
    const seen = decoys.written.length;
    await decoys.ask('/', { headers: { authorization: `Bearer ${token}` } });
    const used = decoys.lines().slice(seen);
    assert.deepEqual([used[0]?.event, used[0]?.tag], ['honeytoken_used', hit?.tag]);
  });
}

test('an archive is sent in parts that fit together', async () => {
  const whole = Buffer.from(await (await fetch(`${decoys.url}/backup.zip`)).arrayBuffer());
  const range = { headers: { range: 'bytes=10-99' } };
  const part = Buffer.from(await (await fetch(`${decoys.url}/backup.zip`, range)).arrayBuffer());
  assert.deepEqual(part, whole.subarray(10, 100));
});
