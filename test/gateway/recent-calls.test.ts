import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPipeline } from '../support/gateway/pipeline-parts.ts';

const SECRET = 'a-secret-of-ann-0123456789';

test('of a call are kept its host and path, without query, credentials or secret', async (t) => {
  const pipeline = startPipeline({
    users: [
      {
        name: 'ann',
        secrets: { key: SECRET },
        targets: [
          { id: 'api', description: 'An API.', base_url: 'https://api.test', paths: ['/v1/**'] },
        ],
      },
    ],
  });
  t.after(() => pipeline.close());
  for (const url of [
    `https://api.test/v1/${SECRET}?q=${SECRET}#f`,
    'https://u:p@elsewhere.test/x?token=1',
    'https://elsewhere.test/y;a=b?token=1',
  ]) {
    await pipeline.request('ann', { url, method: 'post', body: 'a body' });
  }
  const kept = pipeline.recent('ann');
  assert.deepEqual(
    kept.map(({ target, method, place, status, refusal, origin }) => [
      ...[target, method, place, status, refusal, origin.signInId],
    ]),
    [
      [undefined, 'POST', 'elsewhere.test/y;a=b', 403, 'no_target', 's'],
      [undefined, 'POST', '[REDACTED]@elsewhere.test/x', 400, 'invalid_url', 's'],
      ['api', 'POST', 'api.test/v1/[REDACTED]', 403, 'method_not_allowed', 's'],
    ],
  );
  assert.doesNotMatch(JSON.stringify(kept), /a-secret|token|a body/);
});
