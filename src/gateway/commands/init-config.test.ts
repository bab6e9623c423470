import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerProblem } from './init-config.ts';

test('a base URL is taken with whatever path it may have', () => {
  for (const path of ['', '/', '/api', '/a%20b/api', '/a b/', '/%C3%A9', '//x/./y/']) {
    const baseUrl = `https://git.example.com${path}`;
    assert.equal(answerProblem('', { target: 'gitlab', baseUrl }), undefined, baseUrl);
  }
});
