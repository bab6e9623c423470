import assert from 'node:assert/strict';
import { test } from 'node:test';
import { siblingModule } from './sibling-module.ts';

test('a thread is started from the source beside the source, and from the build beside the build', () => {
  for (const ending of ['ts', 'js']) {
    const url = siblingModule(`file:///a.b/index/worker-link.${ending}`, 'read-worker');
    assert.equal(url.href, `file:///a.b/index/read-worker.${ending}`);
  }
});
