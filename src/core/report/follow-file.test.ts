import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { followFile } from './follow-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'follow-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** Reads until the text is there; an empty chunk is the end for now. */
async function until(chunks: AsyncGenerator<Buffer>, wanted: string): Promise<string> {
  let text = '';
  while (!text.includes(wanted)) {
    const { value, done } = await chunks.next();
    assert.ok(!done, `it ended after ${JSON.stringify(text)}`);
    text += value.toString();
  }
  return text;
}

test('what is added, cut short or put in its place is read, until the signal', async () => {
  const path = join(directory, 'log');
  writeFileSync(path, 'one\n');
  const aborter = new AbortController();
  const chunks = followFile(path, aborter.signal);
  assert.equal(await until(chunks, 'one\n'), 'one\n');
  assert.equal((await chunks.next()).value?.length, 0);
  appendFileSync(path, 'two\nhalf');
  assert.equal(await until(chunks, 'half'), 'two\nhalf');
  renameSync(path, `${path}.1`);
  writeFileSync(path, 'three\n');
  assert.equal(await until(chunks, 'three\n'), '\nthree\n');
  writeFileSync(path, '4\n');
  assert.equal(await until(chunks, '4\n'), '\n4\n');
  aborter.abort();
  assert.deepEqual(await Array.fromAsync(chunks), []);
});

test('a file that is not there is an error', async () => {
  const chunks = followFile(join(directory, 'missing'), new AbortController().signal);
  await assert.rejects(chunks.next(), { code: 'ENOENT' });
});
