import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readingText, showReading } from './show-reading.ts';

const MEBIBYTE = 1024 * 1024;

test('who waits sees how far it is, until it is done', async () => {
  const shown: string[] = [];
  let onStatus = () => {};
  const status = (line: string) => {
    shown.push(line);
    onStatus();
  };
  await showReading({ status }, async (progress) => {
    progress.totalBytes = 4 * MEBIBYTE;
    progress.readBytes = MEBIBYTE;
    await new Promise<void>((resolve) => {
      onStatus = resolve;
    });
  });
  assert.deepEqual([shown[0], shown.at(-1)], ['25 % of 4 MiB read', '']);
});

test('what is read at once shows nothing, and neither does a program that nobody watches', async () => {
  await showReading({ status: assert.fail }, async () => {});
  let isRead = false;
  await showReading({}, async () => {
    isRead = true;
  });
  assert.ok(isRead);
});

test('a stream has no end, and a log may grow while it is read', () => {
  assert.equal(readingText({ readBytes: 3.5 * MEBIBYTE, totalBytes: undefined }), '3 MiB read');
  assert.equal(readingText({ readBytes: 9, totalBytes: 5 }), '100 % of 1 MiB read');
  assert.equal(readingText({ readBytes: 0, totalBytes: 0 }), '100 % of 0 MiB read');
});
