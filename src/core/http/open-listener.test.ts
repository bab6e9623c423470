import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { openListener } from './open-listener.ts';

/** Fails as a machine without IPv6 does for its addresses, and notes what was tried. */
async function tried(host: string | undefined, code: string): Promise<string[]> {
  const hosts: string[] = [];
  const start = async (at: { readonly host: string }) => {
    hosts.push(at.host);
    if (at.host === '::') throw Object.assign(new Error(`listen ${code}`), { code });
  };
  const listen = { host, port: 2019, text: ':2019' };
  await openListener(createServer(), listen, start).catch((error: Error) =>
    hosts.push(error.message),
  );
  return hosts;
}

const rows: [host: string | undefined, code: string, expected: string[]][] = [
  [undefined, 'EAFNOSUPPORT', ['::', '0.0.0.0']],
  [undefined, 'EADDRNOTAVAIL', ['::', '0.0.0.0']],
  [undefined, 'EACCES', ['::', 'cannot listen on :2019: listen EACCES']],
  ['::', 'EAFNOSUPPORT', ['::', 'cannot listen on :2019: listen EAFNOSUPPORT']],
];
for (const [host, code, expected] of rows) {
  test(`with ${code} for ${host ?? 'every interface'}, ${expected.join(', then ')}`, async () => {
    assert.deepEqual(await tried(host, code), expected);
  });
}
