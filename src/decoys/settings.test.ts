import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSettings } from './settings.ts';

const WITH_COMMA = 'a key with a comma, and more';

for (const key of [WITH_COMMA, `literal:${WITH_COMMA}`]) {
  test(`the key ${key} is refused, because no list of old keys could hold it`, () => {
    const settings = readSettings({ DECOYS_KEY: key });
    assert.deepEqual('problems' in settings && settings.problems, [
      {
        file: 'environment',
        key: 'DECOYS_KEY',
        message:
          'has a comma, so it cannot be listed in DECOYS_OLD_KEYS later; use another, or file: with its path',
      },
    ]);
  });
}

test('a key with a comma that is read from elsewhere is an old key later', () => {
  const directory = mkdtempSync(join(tmpdir(), 'decoys-settings-'));
  const file = `file:${join(directory, 'key')}`;
  writeFileSync(join(directory, 'key'), `${WITH_COMMA}\n`);
  for (const reference of [file, 'env:ELSEWHERE']) {
    for (const name of ['DECOYS_KEY', 'DECOYS_OLD_KEYS']) {
      const settings = readSettings({ [name]: reference, ELSEWHERE: WITH_COMMA });
      assert.ok(!('problems' in settings));
      const { key, oldKeys } = settings;
      assert.ok((name === 'DECOYS_KEY' ? key : oldKeys[0]!).equals(WITH_COMMA));
    }
  }
  rmSync(directory, { recursive: true, force: true });
});

for (const [what, env, key, message] of [
  ['without a key', { DECOYS_METRICS_LISTEN: ':9090' }, 'DECOYS_METRICS_KEY', /is missing/],
  [
    'without a listener',
    { DECOYS_METRICS_KEY: 'x'.repeat(16) },
    'DECOYS_METRICS_LISTEN',
    /is missing/,
  ],
  [
    'with a short key',
    { DECOYS_METRICS_LISTEN: ':9090', DECOYS_METRICS_KEY: 'x' },
    'DECOYS_METRICS_KEY',
    /at least 16/,
  ],
  [
    'with a strange listener',
    { DECOYS_METRICS_LISTEN: 'x', DECOYS_METRICS_KEY: 'x'.repeat(16) },
    'DECOYS_METRICS_LISTEN',
    /is not :port/,
  ],
] as const) {
  test(`metrics ${what} are refused`, () => {
    const settings = readSettings(env as unknown as Record<string, string>);
    assert.ok('problems' in settings);
    const [problem] = settings.problems;
    assert.equal(problem?.key, key);
    assert.match(problem?.message ?? '', message);
  });
}
