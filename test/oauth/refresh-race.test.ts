/** Ten processes of one client that refresh with the same token at once, as at a start. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { callMcp, errorOf, refresh, signedIn, startServer, type Tokens } from './support.ts';

const PROCESSES = 10;
const REFRESH = `
const [url, client_id, refresh_token] = process.argv.slice(1);
const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token });
const answer = await fetch(url + '/token', { method: 'POST', body });
console.log(await answer.text());`;

test('ten processes that refresh with one token all stay signed in, and a late thief ends it', async (context) => {
  const server = await startServer();
  context.after(() => server.close());
  const { clientId, tokens } = await signedIn(server);
  const run = async () => {
    const code = ['--input-type=module', '-e', REFRESH];
    const values = [server.url, clientId, tokens.refresh_token];
    const { stdout } = await promisify(execFile)(process.execPath, [...code, ...values]);
    return JSON.parse(stdout) as Tokens;
  };
  const granted = await Promise.all(Array.from({ length: PROCESSES }, run));
  assert.equal(new Set(granted.map((one) => one.refresh_token)).size, 1);
  for (const one of granted) {
    assert.equal((await callMcp(server, one.access_token)).status, 200);
  }
  server.clock.ms += 60_100;
  const stolen = await refresh(server, clientId, tokens.refresh_token);
  assert.equal(await errorOf(stolen), '400 invalid_grant');
  for (const one of granted) {
    assert.equal((await callMcp(server, one.access_token)).status, 401);
  }
});
