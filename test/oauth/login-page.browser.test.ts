/** The pages in a real browser: with and without script, by keyboard, on phone and desktop. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchBrowser, newContext } from '../support/pages/browser.ts';
import {
  authorizeUrl,
  CALLBACK,
  exchange,
  PASSWORD,
  register,
  startServer,
  type TestServer,
  tokensOf,
} from './support.ts';

const fixture = (name: string) =>
  readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
/** The element that has the focus, and how that shows. */
const FOCUSED = `(() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
  const { id, localName } = document.activeElement;
  return [id || localName, outlineStyle, outlineWidth].join(' ');
})()`;
const PAGE_FAULTS = fixture('page-faults.js');

let server: TestServer;
let browser: Browser;
/** The app on this machine, and the one on a separate site. */
let app: Server;
let site: Server;
let appUrl: string;
before(async () => {
  server = await startServer({ loginRateLimit: '3/h' });
  const answer: RequestListener = (_request, response) => response.end('back in the app');
  app = createServer(answer);
  const [cert, key] = [fixture('client.example.cert.pem'), fixture('client.example.key.pem')];
  site = createTlsServer({ cert, key }, answer);
  appUrl = `http://127.0.0.1:${await listen(app)}/callback`;
  browser = await launchBrowser({ 'app.example': `127.0.0.1:${await listen(site)}` });
});
after(async () => {
  await browser.close();
  app.close();
  site.close();
  await server.close();
});

async function listen(listener: Server): Promise<number> {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return (listener.address() as AddressInfo).port;
}

/** A page on which any request to a stranger, and any complaint of the browser, fails the test. */
async function withPage(
  options: BrowserContextOptions,
  work: (page: Page) => Promise<void>,
): Promise<void> {
  server.clock.ms += 24 * 3_600_000;
  const context = await newContext(browser, { ignoreHTTPSErrors: true, ...options });
  const strangers: string[] = [];
  const complaints: string[] = [];
  const page = await context.newPage();
  page.on('request', (request) => {
    const { hostname } = new URL(request.url());
    if (hostname !== '127.0.0.1' && hostname !== 'app.example') strangers.push(request.url());
  });
  page.on('console', (message) => complaints.push(message.text()));
  try {
    await work(page);
    assert.deepEqual(strangers, []);
    assert.deepEqual(
      complaints.filter((text) => /Content Security Policy/i.test(text)),
      [],
    );
  } finally {
    await context.close();
  }
}

async function signInWith(page: Page, password: string): Promise<void> {
  await page.getByLabel('Name').fill('ada');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

for (const javaScriptEnabled of [true, false]) {
  const script = javaScriptEnabled ? 'with script' : 'without script';

  test(`signing in ${script} returns to an app on this machine with a code that works`, async () => {
    const id = await register(server, {
      client_name: 'Desk app',
      redirect_uris: ['http://127.0.0.1/callback'],
    });
    await withPage({ javaScriptEnabled }, async (page) => {
      await page.goto(authorizeUrl(server, id, { redirect_uri: appUrl }).href);
      assert.match(await page.title(), /^Sign in – Gatehouse gateway$/);
      assert.equal(await page.getByText('Desk app').isVisible(), true);
      assert.equal(await page.getByText(new URL(appUrl).host).isVisible(), true);
      await signInWith(page, PASSWORD);
      await page.waitForURL(`${appUrl}?**`);
      const { searchParams } = new URL(page.url());
      assert.equal(searchParams.get('state'), 'st&te');
      assert.equal(searchParams.get('iss'), server.url);
      const code = searchParams.get('code')!;
      await tokensOf(await exchange(server, id, code, { redirect_uri: appUrl }));
    });
  });

  test(`signing in ${script} returns to a site on another origin, without a referrer`, async () => {
    const id = await register(server);
    await withPage({ javaScriptEnabled }, async (page) => {
      await page.goto(authorizeUrl(server, id).href);
      const arrival = page.waitForRequest((request) => request.url().startsWith(CALLBACK));
      await signInWith(page, PASSWORD);
      const request = await arrival;
      assert.equal((await request.allHeaders()).referer, undefined);
      await page.waitForURL(`${CALLBACK}?code=**`);
      assert.equal(await page.textContent('body'), 'back in the app');
    });
  });

  test(`a wrong password ${script} keeps the name, says so to everyone, and can be mended`, async () => {
    const id = await register(server);
    await withPage({ javaScriptEnabled }, async (page) => {
      await page.goto(authorizeUrl(server, id).href);
      await signInWith(page, 'wrong');
      const alert = page.getByRole('alert');
      assert.match((await alert.textContent()) ?? '', /do not match/);
      assert.match(await page.title(), /Wrong name or password/);
      assert.equal(await page.getByLabel('Name').inputValue(), 'ada');
      assert.equal(await page.getByLabel('Password').inputValue(), '');
      const password = page.getByLabel('Password');
      assert.equal(await password.getAttribute('aria-describedby'), await alert.getAttribute('id'));
      assert.equal(await password.getAttribute('aria-invalid'), 'true');
      assert.equal(await page.locator('#password:focus').count(), 1);
      await password.fill(PASSWORD);
      await page.getByRole('button').click();
      await page.waitForURL(`${CALLBACK}?code=**`);
    });
  });
}

test('a page that opened the sign-in in a separate window hears from that window', async () => {
  const id = await register(server, { redirect_uris: ['http://127.0.0.1/callback'] });
  const url = authorizeUrl(server, id, { redirect_uri: appUrl }).href;
  await withPage({}, async (page) => {
    await page.goto(appUrl);
    const opened = page.waitForEvent('popup');
    await page.evaluate(`addEventListener('message', ({ data }) => (document.title = data));
      popup = open(${JSON.stringify(url)}); undefined`);
    const popup = await opened;
    await popup.getByLabel('Name').waitFor();
    assert.equal(await page.evaluate('popup.closed'), false);
    await signInWith(popup, PASSWORD);
    await popup.waitForURL(`${appUrl}?**`);
    await popup.evaluate(`opener.postMessage('signed in', '*')`);
    await page.waitForFunction(`document.title === 'signed in'`);
  });
});

test('two forms that another site opened, in two tabs at once, both sign in', async () => {
  const id = await register(server, { redirect_uris: ['http://127.0.0.1/callback'] });
  await withPage({}, async (page) => {
    const tabs = [page, await page.context().newPage()];
    for (const tab of tabs) {
      await tab.goto(CALLBACK);
      const url = authorizeUrl(server, id, { redirect_uri: appUrl }).href;
      await tab.evaluate(`location.href = ${JSON.stringify(url)}; undefined`);
      await tab.getByLabel('Name').waitFor();
    }
    for (const tab of tabs) {
      await signInWith(tab, PASSWORD);
      await tab.waitForURL(`${appUrl}?code=**`);
    }
  });
});

test('without cookies the form says what to do and keeps the name', async () => {
  const id = await register(server);
  await withPage({ javaScriptEnabled: false }, async (page) => {
    await page.goto(authorizeUrl(server, id).href);
    await page.context().clearCookies();
    await signInWith(page, PASSWORD);
    assert.match((await page.getByRole('alert').textContent()) ?? '', /Allow cookies/);
    assert.equal(await page.getByLabel('Name').inputValue(), 'ada');
    await signInWith(page, PASSWORD);
    await page.waitForURL(`${CALLBACK}?code=**`);
  });
});

test('a form that another site posts is refused', async () => {
  const id = await register(server);
  await withPage({}, async (page) => {
    await page.goto(CALLBACK);
    const url = authorizeUrl(server, id);
    await page.evaluate(`(() => {
      const form = document.createElement('form');
      form.method = 'post';
      form.action = ${JSON.stringify(`${server.url}/authorize`)};
      document.body.append(form);
      form.submit();
    })()`);
    await page.getByText('This form came from another site').waitFor();
    assert.equal(url.origin, new URL(page.url()).origin);
  });
});

test('the limit is explained, with the time to wait, and the form stays', async () => {
  const id = await register(server);
  await withPage({ javaScriptEnabled: false }, async (page) => {
    await page.goto(authorizeUrl(server, id).href);
    for (let attempt = 0; attempt < 4; attempt += 1) await signInWith(page, 'wrong');
    assert.match((await page.getByRole('alert').textContent()) ?? '', /Try again in 20 minutes/);
    assert.match(await page.title(), /Too many attempts/);
    server.clock.ms += 20 * 60_000;
    await signInWith(page, PASSWORD);
    assert.match((await page.getByRole('alert').textContent()) ?? '', /open for too long/);
    await signInWith(page, PASSWORD);
    await page.waitForURL(`${CALLBACK}?code=**`);
  });
});

test('an unknown client gets a page that says what to do and names the address', async () => {
  await withPage({}, async (page) => {
    const response = await page.goto(authorizeUrl(server, 'A'.repeat(22)).href);
    assert.equal(response?.status(), 400);
    assert.match((await page.textContent('h1')) ?? '', /not known here/);
    assert.equal(await page.getByRole('listitem').count(), 3);
    assert.equal(await page.textContent('code'), `${server.url}/mcp`);
  });
});

test('a keyboard alone is enough, and the focus can be seen at every stop', async () => {
  const id = await register(server);
  await withPage({}, async (page) => {
    await page.goto(authorizeUrl(server, id).href);
    const focused = () => page.evaluate<string>(FOCUSED);
    assert.equal(await focused(), 'username solid 3px');
    await page.keyboard.type('ada');
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'password solid 3px');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Tab');
    assert.equal(await focused(), 'button solid 3px');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${CALLBACK}?code=**`);
  });
});

test('Enter in either field sends the form', async () => {
  const id = await register(server);
  await withPage({ javaScriptEnabled: false }, async (page) => {
    await page.goto(authorizeUrl(server, id).href);
    await page.getByLabel('Password').fill('wrong');
    await page.getByLabel('Name').fill('ada');
    await page.getByLabel('Name').press('Enter');
    assert.match((await page.getByRole('alert').textContent()) ?? '', /do not match/);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByLabel('Password').press('Enter');
    await page.waitForURL(`${CALLBACK}?code=**`);
  });
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [320, 390, 1280]) {
    test(`every text is readable and nothing overflows at ${width} pixels in ${colorScheme}`, async () => {
      const id = await register(server, {
        client_name: 'A name that is as long as names can be '.repeat(3),
        redirect_uris: [`https://${'long-host-name.'.repeat(6)}example/cb`],
      });
      const url = authorizeUrl(server, id, { redirect_uri: undefined }).href;
      await withPage({ colorScheme, viewport: { width, height: 844 } }, async (page) => {
        await page.goto(url);
        await signInWith(page, 'wrong');
        assert.deepEqual(await faultsOf(page), []);
        await page.goto(authorizeUrl(server, 'A'.repeat(22)).href);
        assert.deepEqual(await faultsOf(page), []);
      });
    });
  }
}

/** What WCAG 2.2 AA would object to. */
function faultsOf(page: Page): Promise<string[]> {
  return page.evaluate(PAGE_FAULTS);
}
