import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';
import { contentHash } from '../files/content-hash.ts';
import { fileType } from '../tool-kit/file-type.ts';

const bytesOf = (latin1: string) => Buffer.from(latin1, 'latin1');
const PNG = bytesOf('\x89PNG\r\n\x1a\n\0\0\0\rIHDR');
const base64 = (bytes: Buffer) => bytes.toString('base64');

for (const [start, type] of [
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\x89PNG\n\x1a\n', undefined],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['GIF89a', 'image/gif'],
  ['GIF88a', undefined],
  ['RIFF\n\0\0\0WEBPVP8L', 'image/webp'],
  ['RIFF\n\0\0\0WAVEfmt ', undefined],
  ['\0\0\0\x1cftypavif', 'image/avif'],
  ['\0\0\0\x1cftypisom', undefined],
  ['BM\n\0\0\0\0\0\0\0', 'image/bmp'],
  ['BMW is a maker', undefined],
  ['II*\0', 'image/tiff'],
  ['MM\0*', 'image/tiff'],
  ['%PDF-1.7\n', 'application/pdf'],
  [' %PDF-1.7\n', undefined],
  ['<svg onload="x">', undefined],
  ['<html>', undefined],
  ['#!/bin/sh', undefined],
  ['MZ', undefined],
  ['PK\x03\x04', undefined],
  ['', undefined],
] as const) {
  test(`${JSON.stringify(start)} begins ${type ?? 'nothing that is stored'}`, () => {
    assert.equal(fileType(bytesOf(start)), type);
  });
}

test('a picture is stored below attachments, or where its path says', async (context) => {
  const bench = await notesBench(context);
  const result = await bench.call('attachment_put', { path: 'Plan.PNG', data: base64(PNG) });
  assert.deepEqual(await bench.bytes('attachments/Plan.PNG'), PNG);
  assert.equal(result.path, 'attachments/Plan.PNG');
  assert.deepEqual([result.type, result.bytes, result.diff], ['image/png', PNG.length, '']);
  assert.equal(result.content_hash, contentHash(PNG));
  const pdf = bytesOf('%PDF-1.7\nx');
  await bench.call('attachment_put', { path: 'work/files/a.pdf', data: base64(pdf) });
  assert.deepEqual(await bench.bytes('work/files/a.pdf'), pdf);
});

test('an attachment that is there is replaced only with its hash', async (context) => {
  const bench = await notesBench(context, { files: { 'attachments/a.png': PNG } });
  const other = Buffer.concat([PNG, PNG]);
  const put = { path: 'a.png', data: base64(other) };
  assert.equal((await bench.refusal('attachment_put', put)).code, 'note_exists');
  const stale = { ...put, content_hash: contentHash(other) };
  assert.equal((await bench.refusal('attachment_put', stale)).code, 'hash_mismatch');
  const same = await bench.call('attachment_put', { path: 'a.png', data: base64(PNG) });
  assert.deepEqual([same.change_id, same.content_hash], [null, contentHash(PNG)]);
  assert.deepEqual(await bench.bytes('attachments/a.png'), PNG);
  await bench.call('attachment_put', { ...put, content_hash: contentHash(PNG) });
  assert.deepEqual(await bench.bytes('attachments/a.png'), other);
});

const big = Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]);
const REFUSED = [
  [{ path: 'a.jpg', data: base64(PNG) }, 'type_refused'],
  [{ path: 'a.md', data: base64(PNG) }, 'type_refused'],
  [{ path: 'a.png.html', data: base64(PNG) }, 'type_refused'],
  [{ path: 'a', data: base64(PNG) }, 'type_refused'],
  [{ path: 'png', data: base64(PNG) }, 'type_refused'],
  [{ path: 'a.svg', data: base64(bytesOf('<svg/>')) }, 'type_refused'],
  [{ path: 'a.png', data: base64(bytesOf('<script>')) }, 'type_refused'],
  [{ path: 'a.png', data: '' }, 'invalid_arguments'],
  [{ path: 'a.png', data: base64(PNG).replace(/=*$/, '') }, 'invalid_arguments'],
  [{ path: 'a.png', data: `${base64(PNG)}\n` }, 'invalid_arguments'],
  [{ path: 'a.png', data: `data:image/png;base64,${base64(PNG)}` }, 'invalid_arguments'],
  [{ path: 'a.png', data: PNG.toString('base64url') }, 'invalid_arguments'],
  [{ path: 'a.png', data: 'QQ=' }, 'invalid_arguments'],
  [{ path: 'a.png', data: 'QR==' }, 'invalid_arguments'],
  [{ path: 'a.png', data: base64(big) }, 'too_large'],
  [{ path: '../a.png', data: base64(PNG) }, 'path_invalid'],
  [{ path: '.a.png', data: base64(PNG) }, 'path_hidden'],
] as const;

test('what is no picture, no base64 or too large is not stored', async (context) => {
  const bench = await notesBench(context);
  for (const [args, code] of REFUSED) {
    const refused = await bench.refusal('attachment_put', args);
    assert.equal(refused.code, code, JSON.stringify(args).slice(0, 100));
  }
  assert.ok(!bench.exists('attachments'));
});
