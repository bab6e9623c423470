/** The connect page in a real browser: copying, the keyboard, and a browser without script. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createServer } from '../../src/core/http/server.ts';
import { createLog } from '../../src/core/log/log.ts';
import { mountConnectPage } from '../../src/core/pages/connect-page.ts';
import { launchBrowser } from '../support/pages/browser.ts';
import { focused, watch } from '../support/pages/page-watch.ts';

const PUBLIC_URL = 'https://a-rather-long-name-that-wraps-on-a-phone.example.com';
/** The same server under a name that is not this machine's: without TLS, no secure context. */
const PLAIN_HOST = 'plain.example';
const PHONE = { viewport: { width: 360, height: 740 } };

let browser: Browser;
let url: string;
const app = createServer({ log: createLog({ level: 'error', write: () => {} }) });
before(async () => {
  mountConnectPage(app, {
    publicUrl: PUBLIC_URL,
    product: 'Gatehouse gateway',
    name: 'gateway',
    about: 'This server lets an assistant be tested.',
    health: () => ({ status: 'ok', version: '1.2.3' }),
  });
  url = await app.listen({ port: 0, host: '127.0.0.1' });
  browser = await launchBrowser({ [PLAIN_HOST]: new URL(url).host });
});
after(async () => {
  await browser?.close();
  await app.close();
});

async function withPage(
  options: BrowserContextOptions,
  work: (page: Page) => Promise<void>,
  address = url,
): Promise<void> {
  const isOwn = ({ hostname }: URL) => hostname === '127.0.0.1' || hostname === PLAIN_HOST;
  const faults = await watch(browser, { ...PHONE, ...options }, isOwn, async (page) => {
    await page.goto(address);
    await work(page);
  });
  assert.deepEqual(faults, []);
}

const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
const ways = (page: Page) => page.locator('details');

async function openEverything(page: Page): Promise<void> {
  for (const way of await ways(page).all()) {
    if ((await way.getAttribute('open')) === null) await way.locator('summary').click();
  }
}

test('what is said of the second button is not removed when the first is done', async () => {
  await withPage({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    await page.clock.install();
    await openEverything(page);
    const [first, second] = await page.locator('.snippet').all();
    await first!.getByRole('button').click();
    await first!.getByText('Copied', { exact: true }).waitFor();
    await page.clock.runFor(2_000);
    await second!.getByRole('button').click();
    await second!.getByText('Copied', { exact: true }).waitFor();
    await page.clock.runFor(1_000);
    assert.equal(await first!.getByText('Copied', { exact: true }).count(), 0);
    assert.equal(await page.getByRole('status').textContent(), 'Copied.');
    await page.clock.runFor(2_000);
    assert.equal(await page.getByRole('status').textContent(), '');
  });
});

test('each button copies exactly what is shown beside it, and says so', async () => {
  await withPage({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    await openEverything(page);
    const snippets = await page.locator('.snippet').all();
    assert.ok(snippets.length > (await ways(page).count()));
    const copied = new Set<string>();
    for (const snippet of snippets) {
      await page.evaluate('navigator.clipboard.writeText("something else")');
      await snippet.getByRole('button').click();
      await snippet.getByText('Copied', { exact: true }).waitFor();
      assert.equal(await page.getByRole('status').textContent(), 'Copied.');
      assert.equal(await clipboard(page), await snippet.locator('code').textContent());
      copied.add(await clipboard(page));
    }
    for (const expected of [
      `${PUBLIC_URL}/mcp`,
      `claude mcp add --transport http gateway ${PUBLIC_URL}/mcp`,
      `npx -y mcp-remote ${PUBLIC_URL}/mcp`,
      `code --add-mcp '{"name":"gateway","type":"http","url":"${PUBLIC_URL}/mcp"}'`,
      JSON.stringify({ mcpServers: { gateway: { url: `${PUBLIC_URL}/mcp` } } }, null, 2),
    ]) {
      assert.ok(copied.has(expected), expected);
    }
  });
});

test('the button is ready for the next copy', async () => {
  await withPage({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    const button = page.getByRole('button').first();
    await button.click();
    await page.getByText('Copied', { exact: true }).waitFor();
    await page.getByText('Copied', { exact: true }).waitFor({ state: 'detached' });
    assert.equal(await button.textContent(), 'Copy Server address');
    assert.equal(await page.getByRole('status').textContent(), '');
  });
});

test('on plain http, where pages have no clipboard, the same text is copied', async () => {
  const plain = `http://${PLAIN_HOST}/`;
  await withPage(
    {},
    async (page) => {
      assert.equal(await page.evaluate('isSecureContext'), false);
      await openEverything(page);
      for (const caption of ['claude_desktop_config.json', 'Install link']) {
        const snippet = page.locator('.snippet', { hasText: caption });
        await snippet.getByRole('button').click();
        await snippet.getByText('Copied', { exact: true }).waitFor();
        const secure = await page.context().newPage();
        await page.context().grantPermissions(['clipboard-read'], { origin: url });
        await secure.goto(url);
        assert.equal(await clipboard(secure), await snippet.locator('code').textContent());
        await secure.close();
      }
    },
    plain,
  );
});

test('without script everything can be read, and no button does nothing', async () => {
  await withPage({ javaScriptEnabled: false }, async (page) => {
    assert.equal(await page.getByRole('button').count(), 0);
    assert.equal(await page.getByText('Running').isVisible(), true);
    const command = page.getByText('npx -y mcp-remote');
    assert.equal(await command.isVisible(), false);
    await page.getByRole('heading', { name: 'mcp-remote' }).click();
    assert.equal(await command.isVisible(), true);
    assert.equal(await page.getByText('claude mcp add').isVisible(), true);
  });
});

test('a click on a text selects the whole of it', async () => {
  await withPage({}, async (page) => {
    const command = page.getByText('claude mcp add');
    await command.click();
    const selected = await page.evaluate<string>('getSelection().toString()');
    assert.equal(selected, await command.textContent());
  });
});

test('the keyboard reaches everything in the order of the page, and the focus shows', async () => {
  await withPage({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    const stops: string[] = [];
    // The first way is open, so its buttons come before the second way.
    const [first, ...others] = await ways(page).locator('summary').allTextContents();
    const buttons = ['Connector URL', 'Terminal', 'claude_desktop_config.json'];
    const expected = [
      'Copy Server address',
      first!,
      ...buttons.map((name) => `Copy ${name} for Claude`),
      ...others,
    ];
    while (stops.length < expected.length) {
      await page.keyboard.press('Tab');
      stops.push(await focused(page));
    }
    assert.deepEqual(
      stops,
      expected.map((name) => `${name} | solid | 3px`),
    );
    await page.keyboard.press('Enter');
    assert.equal(await ways(page).last().getAttribute('open'), '');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Copied', { exact: true }).waitFor();
    assert.match(await clipboard(page), /"mcpServers"/);
  });
});

test('everything to press is large enough for a finger', async () => {
  await withPage({}, async (page) => {
    await openEverything(page);
    for (const target of await page.locator('summary, button').all()) {
      const box = await target.boundingBox();
      assert.ok(box && box.height >= 32 && box.width >= 64, JSON.stringify(box));
    }
  });
});
