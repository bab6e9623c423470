import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseConfig } from '../config/read-config.ts';
import { parseRequestUrl, type RequestUrl } from '../request/request-url.ts';
import { matchTarget } from './match-target.ts';

const ADMIN = {
  ...{ id: 'admin', description: 'd', base_url: 'https://api.test/' },
  ...{ paths: ['/admin/**'], methods: ['GET', 'POST'], approve: ['POST'] },
};
const REST = { id: 'rest', description: 'd', base_url: 'https://api.test/', methods: ['POST'] };

async function targetOf(url: string, targets: readonly object[], allowAny = false) {
  const text = JSON.stringify({
    server: { public_url: 'http://localhost' },
    users: [{ name: 'ann', password: 'a-long-password', allow_any: allowAny, targets }],
  });
  const { config } = parseConfig(text, 'c.yaml', { env: {} });
  const user = config!.users.get('ann')!;
  return matchTarget(user, parseRequestUrl(url) as RequestUrl)?.id;
}

describe('a spelling of a URL that another target wants approved', () => {
  for (const path of [
    'ADMIN/users',
    'Admin/x',
    '%2561dmin/users',
    '%252561dmin/x',
    'ADMIN;x/users',
  ]) {
    test(`is refused for a later target: ${path}`, async () => {
      const url = `https://api.test/${path}`;
      await assert.rejects(targetOf(url, [ADMIN, REST]), { code: 'no_target' });
    });
  }

  for (const url of [
    'https://api.test./admin/users',
    'http://api.test/admin/users',
    'https://api.test/ADMIN/users',
  ]) {
    test(`is refused for an address that allow_any permits: ${url}`, async () => {
      await assert.rejects(targetOf(url, [ADMIN], true), { code: 'no_target' });
    });
  }

  test('is no matter of paths, ports and hosts that the target does not have', async () => {
    assert.equal(await targetOf('https://api.test/administration', [ADMIN, REST]), 'rest');
    assert.equal(await targetOf('https://api.test:8443/admin/x', [ADMIN], true), undefined);
    assert.equal(await targetOf('https://other.test/admin/x', [ADMIN], true), undefined);
    assert.equal(await targetOf('https://api.test/admin/x', [ADMIN, REST]), 'admin');
  });

  test('passes a target that stands before the one that asks', async () => {
    assert.equal(await targetOf('https://api.test/ADMIN/x', [REST, ADMIN]), 'rest');
  });
});
