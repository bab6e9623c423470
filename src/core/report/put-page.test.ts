import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { putPage } from './put-page.ts';

function setUp(context: TestContext, isTerminal: boolean) {
  const directory = mkdtempSync(join(tmpdir(), 'put-page-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const told: string[] = [];
  const written: string[] = [];
  const output = {
    out: () => {},
    err: (line: string) => told.push(line),
    write: (text: string) => written.push(text),
    isTerminal,
  };
  return { file: join(directory, 'page.html'), output, told, written };
}

test('in a pipe the page is what is written, and no file is made', (context) => {
  const { file, output, written } = setUp(context, false);
  assert.equal(putPage('<p>', file, output), true);
  assert.deepEqual(written, ['<p>']);
  assert.throws(() => statSync(file), { code: 'ENOENT' });
});

test('at a terminal it is a file that only its owner may read', (context) => {
  const { file, output, written } = setUp(context, true);
  assert.equal(putPage('<p>', file, output), true);
  assert.deepEqual(written, []);
  assert.equal(readFileSync(file, 'utf8'), '<p>');
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('where the file cannot be made, that is said', (context) => {
  const { file, output, told } = setUp(context, true);
  mkdirSync(file);
  assert.equal(putPage('<p>', file, output), false);
  assert.equal(told.length, 1);
  assert.match(told[0]!, /^the page cannot be written: /);
});
