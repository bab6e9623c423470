/**
 * Every page in a real browser, in light and dark, on phone and desktop: axe-core finds nothing,
 * nothing is wider than the window, and the page keeps to its own policy.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createServer } from '../../src/core/http/server.ts';
import { createLog } from '../../src/core/log/log.ts';
import { mountConnectPage } from '../../src/core/pages/connect-page.ts';
import { showNotFoundPage } from '../../src/core/pages/not-found-page.ts';
import { sendPage } from '../../src/core/pages/page.ts';
import { run } from '../../src/decoys/commands/cli.ts';
import { type Problem, problemPage } from '../../src/oauth/problem-page.ts';
import { authorizeUrl, register, startServer, type TestServer } from '../oauth/support.ts';
import { launchBrowser, newContext } from '../support/pages/browser.ts';
import {
  axeFaults,
  LOOKS,
  lookAt,
  nameOf,
  overflow,
  type WatchedPage,
  watch,
  watchedPage,
} from '../support/pages/page-watch.ts';
import { isLongRun } from '../support/property-runs.ts';

const LONG_URL = `https://${'a-rather-long-label.'.repeat(8)}example:8443`;
const UNBROKEN_URL = `https://${'x'.repeat(63)}.${'y'.repeat(63)}.example`;
const PRODUCT = 'Gatehouse gateway';
const PROBLEMS: Record<Problem, true> = {
  unknown_client: true,
  unknown_redirect: true,
  missing_client: true,
  unreadable_client: true,
  busy: true,
  foreign_origin: true,
  full: true,
  unreadable_form: true,
  internal: true,
};

let directory: string;
let server: TestServer;
let base: string;
let browser: Browser;
let context: BrowserContext;
let signIn: string;
const pages = createServer({
  log: createLog({ level: 'error', write: () => {} }),
  showNotFound: showNotFoundPage(PRODUCT),
});
before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pages-test-'));
  await writeReport('report.html', 24);
  await writeReport('empty.html', 0);
  await writeReport('one.html', 1);
  server = await startServer();
  const id = await register(server, {
    client_name: 'A name that is as long as names can be '.repeat(3),
    redirect_uris: [`https://${'long-host-name.'.repeat(6)}example/cb`],
  });
  signIn = authorizeUrl(server, id, { redirect_uri: undefined }).href;
  for (const problem of Object.keys(PROBLEMS)) {
    pages.get(`/${problem}`, async (_request, reply) =>
      sendPage(reply, 400, problemPage(problem as Problem, PRODUCT, UNBROKEN_URL)),
    );
  }
  connectPageAt('/well', 'ok', LONG_URL);
  connectPageAt('/ill', 'the vault cannot be read', UNBROKEN_URL);
  base = await pages.listen({ port: 0, host: '127.0.0.1' });
  browser = await launchBrowser();
  context = await newContext(browser);
});
after(async () => {
  await browser?.close();
  await pages.close();
  await server?.close();
  rmSync(directory, { recursive: true, force: true });
});

function connectPageAt(prefix: string, status: string, publicUrl: string): void {
  pages.register(
    async (scope) =>
      mountConnectPage(scope, {
        publicUrl,
        product: PRODUCT,
        name: 'gateway',
        about: 'This server lets an assistant be tested.',
        health: () => ({ status, version: '1.2.3' }),
      }),
    { prefix },
  );
}

async function writeReport(name: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => ({
    ts: new Date(Date.UTC(2026, 10, 1) + index * 100_000).toISOString(),
    'source.ip': `203.0.${index % 90}.7`,
    tag: ['aws-credentials', 'mcp-server-probe'][index % 2],
    ...(index % 12 === 11
      ? {
          event: 'honeytoken_used',
          'honeytoken.received_by': '198.51.100.9',
          'honeytoken.day': '2026-11-01',
          'honeytoken.presented_in': 'header authorization',
          'honeytoken.field': 'accessToken',
          'honeytoken.hash': 'f'.repeat(64),
          'honeytoken.confidence': 'high',
        }
      : {
          event: 'decoy_hit',
          'user_agent.original': `scanner ${'x'.repeat(index)}`,
          'mcp.client.name': 'probe',
        }),
  }));
  const file = join(directory, 'events.jsonl');
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  let page = '';
  const write = (text: string) => {
    page += text;
  };
  const output = { out: write, err: () => {}, write, isTerminal: false };
  assert.equal(await run(['report', file], {}, output), 0);
  writeFileSync(join(directory, name), page);
}

const at = (path: string) => (page: Page) => page.goto(base + path);
const file = (name: string) => (page: Page) => page.goto(pathToFileURL(join(directory, name)).href);
const openEverything = (page: Page) =>
  page.evaluate('for (const way of document.querySelectorAll("details")) way.open = true');

const shown: [name: string, show: (page: Page) => Promise<unknown>][] = [
  ['the sign-in page', (page) => page.goto(signIn)],
  [
    'the sign-in page with an error',
    async (page) => {
      await page.goto(signIn);
      await page.getByLabel('Name').fill('ada');
      await page.getByLabel('Password').fill('wrong');
      await page.getByRole('button').click();
      await page.getByRole('alert').waitFor();
    },
  ],
  ...Object.keys(PROBLEMS).map((problem): [string, (page: Page) => Promise<unknown>] => [
    `the page for ${problem}`,
    at(`/${problem}`),
  ]),
  ['the page of an unknown path', at('/nothing-is-here')],
  ['the connect page', at('/well')],
  [
    'the connect page with everything open',
    async (page) => {
      await at('/well')(page);
      await openEverything(page);
    },
  ],
  [
    'the connect page of a server that is not ready',
    async (page) => {
      await at('/ill')(page);
      await openEverything(page);
    },
  ],
  ['the report', file('report.html')],
  ['the report of nothing', file('empty.html')],
  ['the report of one hit', file('one.html')],
];

const isOwn = ({ hostname, protocol }: URL) => hostname === '127.0.0.1' || protocol === 'file:';

/** A page is loaded once and then looked at in every way: only styles know how it is looked at. */
const tabs = new Map<string, WatchedPage>();

async function tab(name: string, show: (page: Page) => Promise<unknown>): Promise<WatchedPage> {
  const open = tabs.get(name);
  if (open) return open;
  const watched = await watchedPage(context, isOwn);
  tabs.set(name, watched);
  await show(watched.page);
  return watched;
}

/**
 * Each width and each colour scheme once. `npm run test:long` takes the other pairs, too, of which
 * nothing that axe looks at depends on both.
 */
const lookedAtByAxe = isLongRun ? LOOKS : [LOOKS[0], LOOKS[3]];

for (const look of LOOKS) {
  describe(nameOf(look), () => {
    for (const [name, show] of shown) {
      test(`${name} has no fault`, async () => {
        const { page, faults } = await tab(name, show);
        await lookAt(page, look);
        assert.equal(await overflow(page), 0);
        const ground = await page.evaluate<string>(
          'getComputedStyle(document.body).backgroundColor',
        );
        const isDark = Number(/\d+/.exec(ground)?.[0]) < 128;
        assert.equal(isDark, look.colorScheme === 'dark', ground);
        if (lookedAtByAxe.includes(look)) assert.deepEqual(await axeFaults(page), []);
        assert.deepEqual(faults(), []);
      });
    }
  });
}

test('what breaks the rules is found', async () => {
  const spoiled = await watch(browser, LOOKS[0]!, isOwn, async (page) => {
    await page.goto(signIn);
    await page.evaluate(`
      document.querySelector('label').remove();
      document.querySelector('main').append(Object.assign(new Image(), { src: 'http://a.example/' }));
      document.querySelector('h1').style.width = '2000px';
    `);
    assert.ok((await overflow(page)) > 1_000);
    const rules = (await axeFaults(page)).map((fault) => fault.split(':')[0]);
    assert.ok(rules.includes('label') && rules.includes('image-alt'), rules.join());
  });
  assert.ok(spoiled.includes('policy: img-src http://a.example/'), spoiled.join());
});
