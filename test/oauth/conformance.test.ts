/** The official suite for authorization servers, with a user who signs in when it asks. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/programs/free-port.ts';
import { logIn, redirectOf, register, startServer } from './support.ts';

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

test('the official suite for authorization servers passes', async (context) => {
  const server = await startServer();
  context.after(() => server.close());
  const port = await freePort();
  const clientId = await register(server, {
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
  });
  const suite = spawn(
    process.execPath,
    [
      SUITE,
      'authorization',
      ...['--url', server.url],
      ...['--resource', `${server.url}/mcp`],
      ...['--client-id', clientId],
      ...['--port', String(port)],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  context.after(() => suite.kill());
  const ended = once(suite, 'close');

  let output = '';
  let signedIn: Promise<number> | undefined;
  for await (const chunk of suite.stdout) {
    output += chunk;
    const asked = /^http\S+\/authorize\?\S+$/m.exec(output)?.[0];
    if (asked && output.includes('Callback server started')) signedIn ??= signIn(asked);
  }
  assert.equal(await signedIn, 200);
  assert.match(output, /^Total: 3 passed, 0 failed$/m);
  assert.deepEqual(await ended, [0, null]);

  async function signIn(url: string): Promise<number> {
    return (await fetch(redirectOf(await logIn(server, new URL(url))))).status;
  }
});
