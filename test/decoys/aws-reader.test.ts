/** The reader of credential files that AWS's own clients use, at work on ours. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSharedConfigFiles } from '@smithy/shared-ini-file-loader';
import { startDecoys } from './support.ts';

test('a reader of AWS credential files reads ours', async () => {
  const decoys = await startDecoys();
  const directory = mkdtempSync(join(tmpdir(), 'decoys-aws-'));
  const filepath = join(directory, 'credentials');
  writeFileSync(filepath, (await decoys.ask('/.aws/credentials')).body);
  const configFilepath = join(directory, 'config');
  const { credentialsFile } = await loadSharedConfigFiles({ filepath, configFilepath });
  await decoys.close();
  rmSync(directory, { recursive: true, force: true });
  assert.match(credentialsFile.default?.aws_access_key_id ?? '', /^AKIA[A-Z2-7]{16}$/);
  assert.match(credentialsFile.default?.aws_secret_access_key ?? '', /^[A-Za-z0-9+/]{40}$/);
  assert.match(credentialsFile.default?.region ?? '', /^[a-z]{2}-[a-z]+-\d$/);
});
