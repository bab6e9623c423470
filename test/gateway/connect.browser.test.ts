/** `gateway connect` with a real browser and a real provider, and what others try meanwhile. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { runHere } from '../support/gateway/command-here.ts';
import { ENTRY } from '../support/gateway/gateway.ts';
import { CLIENT, startOAuthProvider } from '../support/gateway/oauth-provider.ts';
import { PASSWORD_HASH, startSignedIn } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';
import { launchBrowser, newContext } from '../support/pages/browser.ts';

const path = (name: string) => join(directory, name);

const user = (target?: object) => ({
  name: 'ann',
  password: PASSWORD_HASH,
  secrets: {
    calendar: {
      oauth2: {
        ...{ grant: 'refresh_token', token_url: `${provider.url}/token` },
        ...{ client_id: CLIENT.id, client_secret: CLIENT.secret },
        authorize_url: `${provider.url}/auth?prompt=consent`,
        scope: 'openid offline_access',
        refresh_token: `file:${path('calendar.token')}`,
      },
    },
    fixed: 'a-fixed-value',
  },
  targets: target ? [target] : [],
});
const server = { allow_networks: ['127.0.0.0/8'], public_url: 'https://gateway.test' };

const directory = mkdtempSync(join(tmpdir(), 'connect-'));
const provider = await startOAuthProvider();
const browser = await launchBrowser();
writeFileSync(path('config.yaml'), JSON.stringify({ server, users: [user()] }));
writeFileSync(path('xdg-open'), `#!/bin/sh\nprintf %s "$1" > ${path('opened')}\n`);
chmodSync(path('xdg-open'), 0o755);
after(async () => {
  await browser?.close();
  await provider.close();
  rmSync(directory, { recursive: true });
});
beforeEach(() => {
  rmSync(path('calendar.token'), { force: true });
  rmSync(path('opened'), { force: true });
});

interface Connecting {
  readonly url: URL;
  readonly child: ChildProcess;
  /** The exit code and everything that was printed. */
  readonly ended: Promise<{ code: number; output: string }>;
}

/** Starts the command and waits for the address that it prints. */
async function connecting(...flags: string[]): Promise<Connecting> {
  const args = [ENTRY, 'connect', 'ann/calendar', '--config', path('config.yaml'), ...flags];
  const child = spawn(process.execPath, args, {
    env: { PATH: `${directory}:${process.env.PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const url = new Promise<URL>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const found = /^http:.*$/m.exec(output);
      if (found) resolve(new URL(found[0]));
    });
    child.on('close', () => reject(new Error(output)));
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number, output }));
  return { url: await url, child, ended };
}

async function signIn(page: Page, url: URL): Promise<void> {
  await page.goto(url.href);
  await page.fill('input[name=login]', 'ann');
  await page.fill('input[name=password]', 'anything');
  await page.click('button[type=submit]');
}

async function withPage(work: (page: Page) => Promise<void>): Promise<void> {
  const context = await newContext(browser);
  try {
    await work(await context.newPage());
  } finally {
    await context.close();
  }
}

test('a person signs in, the token is written for its owner, and a call uses it', async () => {
  const { ended } = await connecting();
  while (!existsSync(path('opened'))) await setTimeout(20);
  const opened = new URL(readFileSync(path('opened'), 'utf8'));
  assert.equal(opened.searchParams.get('code_challenge_method'), 'S256');
  await withPage(async (page) => {
    await signIn(page, opened);
    await page.click('button[type=submit]');
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
  });
  const { code, output } = await ended;
  assert.equal(code, 0, output);
  assert.match(output, /\nwrote .*calendar\.token; a running gateway uses it/);
  const token = readFileSync(path('calendar.token'), 'utf8').trim();
  assert.equal(statSync(path('calendar.token')).mode & 0o777, 0o600);
  assert.ok(!output.includes(token) && !output.includes(CLIENT.secret));

  const upstream = await startUpstream();
  const target = {
    ...{ id: 't', description: 'd', base_url: upstream.url },
    inject: { headers: { Authorization: 'Bearer ${calendar}' } },
  };
  const { allow_networks } = server;
  const signedIn = await startSignedIn({ server: { allow_networks }, users: [user(target)] });
  const { value } = await signedIn.request('ann', { url: `${upstream.url}/` });
  assert.equal(value.status, 200, JSON.stringify(value));
  const sent = String(upstream.received[0]!.headers.authorization);
  assert.ok(await provider.accepts(sent.replace('Bearer ', '')));
  await signedIn.gateway.stop();
  await upstream.close();
});

test('with --no-browser none is opened; a person who refuses changes nothing', async () => {
  const { url, ended } = await connecting('--no-browser');
  await withPage(async (page) => {
    await page.goto(url.href);
    await page.getByText('Cancel').click();
    await page.getByRole('heading', { name: 'Not connected' }).waitFor();
  });
  const { code, output } = await ended;
  assert.equal(code, 1);
  assert.match(output, /the token request failed \(access_denied\)\n$/);
  assert.ok(!existsSync(path('opened')) && !existsSync(path('calendar.token')));
});

/** The status of a request as any program of this machine may send it. */
async function statusOf(url: URL, query: string, host = url.host): Promise<number> {
  const { hostname, port, pathname } = url;
  const path = `${pathname}${query}`;
  const sent = request({ hostname, port, path, headers: { host } }).end();
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
}

test('a callback without the state of this run, or for another host, is refused and ends nothing', async () => {
  const { url, child } = await connecting('--no-browser', '--redirect', 'http://localhost/back');
  const redirect = new URL(url.searchParams.get('redirect_uri')!);
  assert.match(redirect.href, /^http:\/\/localhost:\d+\/back$/);
  const state = url.searchParams.get('state');
  assert.equal(await statusOf(redirect, '?code=stolen'), 404);
  assert.equal(await statusOf(redirect, '?code=stolen&state=guessed'), 404);
  assert.equal(await statusOf(redirect, '?error=access_denied&state='), 404);
  assert.equal(await statusOf(redirect, `?code=stolen&state=${state}`, 'evil.example'), 404);
  assert.equal(await statusOf(new URL(redirect.origin), '/'), 404);
  assert.equal(child.exitCode, null);
  child.kill();
});

test('a code that the provider does not know ends in its error code', async () => {
  const { url, ended } = await connecting('--no-browser');
  const redirect = new URL(url.searchParams.get('redirect_uri')!);
  assert.equal(await statusOf(redirect, `?code=x&state=${url.searchParams.get('state')}`), 200);
  const { code, output } = await ended;
  assert.deepEqual([code, /failed \((.*)\)\n$/.exec(output)?.[1]], [1, 'invalid_grant']);
});

const misunderstood: [words: string[], message: RegExp][] = [
  [['ann/fixed'], /"ann\/fixed" is no secret with the grant refresh_token; known: ann\/calendar/],
  [['ann/calender'], /did you mean "ann\/calendar"\?/],
  [['ann/calendar', '--redirect', 'https://evil.example/'], /must be an http URL of this machine/],
  [['ann/calendar', '--redirect', 'http://127.0.0.1.evil.example/'], /of this machine/],
];
for (const [words, message] of misunderstood) {
  test(`not understood: ${words.join(' ')}`, async () => {
    const { code, stderr } = await runHere(['connect', '--config', path('config.yaml'), ...words]);
    assert.equal(code, 2);
    assert.match(stderr, message);
  });
}
