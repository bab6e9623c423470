/** A person at the console of a running server, in a real browser that may be attacked from elsewhere. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { PASSWORD } from '../oauth/password.ts';
import { launchBrowser, newContext } from './browser.ts';
import { axeFaults, LOOKS, lookAt, nameOf, overflow, watchedPage } from './page-watch.ts';

export const EVIL = 'http://evil.example';
/** Runs where it becomes markup, in whatever place it is put. */
export const HOSTILE = '"><img src=x onerror=pwned=1><script>pwned=1</script>\u202e';

export interface ConsoleBrowser {
  readonly browser: Browser;
  /** What the site of the attacker answers with. */
  evilPage: string;
  /** Signs in and works on the page; any complaint of the browser or request elsewhere fails. */
  withPerson(
    url: string,
    user: string,
    work: (page: Page, context: BrowserContext) => Promise<void>,
    options?: BrowserContextOptions,
  ): Promise<void>;
  close(): Promise<void>;
}

export async function launchConsoleBrowser(): Promise<ConsoleBrowser> {
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(self.evilPage);
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  const { port } = site.address() as AddressInfo;
  const browser = await launchBrowser({ 'evil.example': `127.0.0.1:${port}` });
  const self: ConsoleBrowser = {
    browser,
    evilPage: '',
    withPerson: async (url, user, work, options = {}) => {
      const context = await newContext(browser, options);
      const isOwn = ({ origin }: URL) => origin === url || origin === EVIL;
      const { page, faults } = await watchedPage(context, isOwn);
      try {
        await signInAt(page, url, user);
        await work(page, context);
        assert.deepEqual(faults(), []);
      } finally {
        await context.close();
      }
    },
    close: async () => {
      await browser.close();
      site.close();
    },
  };
  return self;
}

export async function signInAt(page: Page, url: string, user: string): Promise<void> {
  await page.goto(`${url}/console`);
  await page.getByLabel('Name').fill(user);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(`Signed in as ${user}`).waitFor();
}

/** In every look nothing overflows and axe finds nothing; no text has become markup. */
export async function assertFlawless(page: Page, name: string): Promise<void> {
  for (const look of LOOKS) {
    await lookAt(page, look);
    assert.ok((await overflow(page)) <= 0, `${name}: ${nameOf(look)}`);
    if (look === LOOKS[0] || look === LOOKS[3]) {
      assert.deepEqual(await axeFaults(page), [], `${name}: ${nameOf(look)}`);
    }
  }
  await assertHarmless(page);
}

export async function assertHarmless(page: Page): Promise<void> {
  const found = await page.evaluate<unknown>(
    `[typeof pwned, document.querySelectorAll('main img, main script').length]`,
  );
  assert.deepEqual(found, ['undefined', 0]);
}
