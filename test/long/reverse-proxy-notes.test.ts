/**
 * The notes behind the real nginx and the real Caddy with the configurations that are shipped,
 * over TLS on loopback. Needs what `test/long/reverse-proxy.test.ts` needs.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setDefaultCACertificates } from 'node:tls';
import { items, toolCall } from '../mcp/wire.ts';
import { open, type SendOptions, textOf } from '../support/http/https.ts';
import {
  caddy,
  freePorts,
  HINT,
  isMissing,
  METRICS_PATHS,
  nginx,
  type ProxyKind,
  type ReverseProxy,
} from '../support/http/reverse-proxy.ts';
import { callTool, signIn } from '../support/mcp/client.ts';
import {
  cleaner,
  dataDirectory,
  type NotesProcess,
  PASSWORD,
  startNotes,
  USERNAME,
} from '../support/notes/notes.ts';

const METRICS_KEY = 'a-metrics-key-of-the-tests';

for (const kind of [nginx, caddy]) {
  describe(`behind ${kind.name}`, { skip: isMissing(kind.name.toLowerCase(), HINT) }, () =>
    behind(kind),
  );
}

function behind(kind: ProxyKind): void {
  const suite = cleaner();
  let notes: NotesProcess;
  let proxy: ReverseProxy;
  let url: string;
  let token: string;
  /** While it exists, git does not go on, and no call that asks it. */
  let hold: string;

  before(async () => {
    const place = dataDirectory(suite);
    hold = join(place, 'hold');
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const script = `#!/bin/sh\nwhile [ -e ${hold} ]; do sleep 0.1; done\nexec ${real} "$@"\n`;
    writeFileSync(join(place, 'git'), script, { mode: 0o755 });
    const ports = await freePorts();
    url = `https://${kind.host}:${ports.notes}`;
    notes = await startNotes(suite, {
      files: { 'default/a.md': '# Quince\n' },
      env: {
        PATH: `${place}:${process.env.PATH}`,
        NOTES_PUBLIC_URL: url,
        NOTES_GIT: 'true',
        NOTES_TRUSTED_PROXIES: '127.0.0.1',
        NOTES_METRICS: 'true',
        NOTES_METRICS_KEY: METRICS_KEY,
      },
    });
    proxy = await kind.start(ports, { gateway: 1, notes: notes.port, decoys: 1 });
    suite.after(() => proxy.stop());
    setDefaultCACertificates([proxy.authority]);
    token = (await signIn(url, USERNAME, PASSWORD)).accessToken;
  });
  after(() => suite.clean());

  const call = (name: string, args: object, accept = 'application/json'): SendOptions => ({
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept },
    body: JSON.stringify(toolCall(name, args)),
  });

  test('signing in, writing and searching work through TLS', async () => {
    const { accessToken } = await signIn(url, USERNAME, PASSWORD);
    const made = await callTool(url, accessToken, 'note_create', { path: 'b.md', content: 'b\n' });
    assert.equal(made.isError, false, made.raw);
    const { value } = await callTool(url, accessToken, 'note_search', { query: 'quince' });
    assert.equal((value.hits as unknown[]).length, 1);
  });

  test('the discovery documents name the public address', async () => {
    const { incoming } = await open(url, '/.well-known/oauth-authorization-server');
    assert.equal(JSON.parse(await textOf(incoming)).issuer, url);
    const { incoming: refused } = await open(url, '/mcp');
    refused.resume();
    assert.ok(refused.headers['www-authenticate']?.includes(`"${url}/`), 'of another address');
  });

  test('a call of 40 seconds is kept alive, or stays open for a client that takes no stream', {
    timeout: 120_000,
  }, async () => {
    writeFileSync(hold, '');
    const silent = open(url, '/mcp', call('note_history', {}));
    const types = 'application/json, text/event-stream';
    const { incoming } = await open(url, '/mcp', call('note_history', {}, types));
    const stream = items(incoming);
    // The first after 10 seconds, the others 15 seconds apart.
    for (const comment of ['open', 'keep-alive', 'keep-alive']) {
      assert.deepEqual((await stream.next()).value, { comment });
    }
    rmSync(hold);
    const { value } = await stream.next();
    assert.ok(value && 'message' in value, JSON.stringify(value));
    assert.match(JSON.stringify(value.message.result), /revisions/);
    assert.match(await textOf((await silent).incoming), /revisions/);
  });

  test('a note of 1 MiB is let through, however long its escaped form', async () => {
    const content = '\u0001'.repeat(1024 * 1024);
    const options = call('note_create', { path: 'long.md', content });
    assert.ok(options.body!.length > 6 * 1024 * 1024);
    const { incoming } = await open(url, '/mcp', options);
    const { result } = JSON.parse(await textOf(incoming));
    assert.notEqual(result.isError, true, JSON.stringify(result));
  });

  test('metrics are closed however their path is written', async () => {
    const headers = { authorization: `Bearer ${METRICS_KEY}` };
    const direct = await fetch(`${notes.url}/metrics`, { headers });
    assert.match(await direct.text(), /gatehouse_build_info/);
    for (const path of METRICS_PATHS) {
      const { incoming } = await open(url, path, { headers });
      assert.ok([400, 404].includes(incoming.statusCode!), `${path}: ${incoming.statusCode}`);
      assert.doesNotMatch(await textOf(incoming), /gatehouse_build_info/, path);
    }
  });

  test('the notes learn the address of the client, whatever the client claims', async () => {
    const { incoming } = await open(url, '/mcp', {
      headers: { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' },
      localAddress: '127.0.0.5',
    });
    assert.equal(incoming.statusCode, 401);
    incoming.resume();
    await notes.line(({ status, ip }) => status === 401 && ip === '127.0.0.5');
    assert.doesNotMatch(notes.stdout(), /192\.0\.2\.1/);
  });
}
