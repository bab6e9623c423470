import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingPart } from './missing-part.ts';

async function failureOf(specifier: string): Promise<unknown> {
  return import(specifier).then(
    () => assert.fail(`${specifier} is there`),
    (error: unknown) => error,
  );
}

test('a package, a file and a part of Node that are missing are one sentence that names them', async () => {
  const rows: [specifier: string, expected: RegExp][] = [
    ['no-such-package', /^the package no-such-package is missing; install the program again/],
    ['./no-such-file.ts', /^the file \S+no-such-file\.ts is missing; install the program again/],
    ['node:no-such-part', /^this Node \(v\S+\) has no node:no-such-part; use Node 24\.7/],
  ];
  for (const [specifier, expected] of rows) {
    assert.match(missingPart(await failureOf(specifier)) ?? '', expected);
  }
});

test('any other error is not about the installation', () => {
  for (const error of [new Error('x'), undefined, null, 'x', { code: 'ENOENT' }]) {
    assert.equal(missingPart(error), undefined);
  }
});
