import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { buildInfo, VERSION } from './version.ts';

test('the version is that of the package', () => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  assert.equal(VERSION, version);
});

test('commit and date are known in a checkout, and said to be unknown elsewhere', () => {
  const { commit, date } = buildInfo();
  assert.match(commit, /^([0-9a-f]{7,40}|unknown)$/);
  assert.ok(date === 'unknown' || !Number.isNaN(Date.parse(date)));
});
