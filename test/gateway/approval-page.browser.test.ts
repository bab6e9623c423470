/** The approval page in a real browser, with a real gateway: who decides, and what they see. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { callTool, signIn as connect } from '../support/gateway/gateway.ts';
import { PASSWORD, startSignedIn } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';
import { launchBrowser, newContext } from '../support/pages/browser.ts';
import { axeFaults, LOOKS, lookAt, overflow, watch } from '../support/pages/page-watch.ts';

const KEY = 'gh_approval-page-test-0000000000000000000000';

let sitePage = '';
let count = 0;

const upstream = await startUpstream();
const targets = [
  {
    ...{ id: 'tracker', description: 'd', base_url: upstream.url },
    ...{ methods: ['GET', 'POST', 'DELETE'], approve: ['POST', 'DELETE'] },
  },
  {
    ...{ id: 'brief', description: 'd', base_url: `${upstream.url}/brief` },
    ...{ methods: ['PUT'], approve: ['PUT'], approval_ttl: '1s' },
  },
];
const gateway = await startSignedIn({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [
    { name: 'ada', targets: [...targets].reverse(), keys: [{ name: 'laptop', key: KEY }] },
    { name: 'bob', targets: [...targets].reverse() },
  ],
});
const site = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html').end(sitePage);
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
const siteUrl = `http://evil.example:${(site.address() as AddressInfo).port}`;
const browser = await launchBrowser({
  'evil.example': `127.0.0.1:${(site.address() as AddressInfo).port}`,
});
const ada = await newContext(browser);
await signIn(await ada.newPage(), 'ada');
after(async () => {
  await browser?.close();
  site?.close();
  await gateway?.gateway.stop();
  await upstream?.close();
});

async function signIn(page: Page, name: string, path = '/approvals'): Promise<void> {
  await page.goto(`${gateway.gateway.url}${path}`);
  const more = page.getByRole('link', { name: 'Continue' });
  if (await more.count()) await more.click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`**${path}`);
}

/** A request of its own each time. */
async function ask(rest: object = {}) {
  const args = {
    url: `${upstream.url}/issues/${count++}`,
    method: 'POST',
    body: '{"a":1}',
    ...rest,
  };
  const { value } = await gateway.request('ada', args);
  assert.equal(value.error, 'approval_required', JSON.stringify(value));
  const again = async () => (await gateway.request('ada', args)).value;
  return { url: String(value.approval_url), id: String(value.approval_id), args, again };
}

async function opened(url: string): Promise<Page> {
  const page = await ada.newPage();
  await page.goto(url);
  return page;
}

test('a person approves once: nothing else is needed, and nothing more is approved', async () => {
  const { url, again } = await ask();
  const faults = await watch(
    browser,
    {},
    (own) => own.origin === gateway.gateway.url,
    async (page) => {
      await signIn(page, 'ada', new URL(url).pathname);
      const buttons = await page.getByRole('main').getByRole('button').allInnerTexts();
      assert.deepEqual(buttons.slice(-4), [
        ...['Approve once', 'Allow for 15 minutes', 'Allow for 1 hour', 'Deny'],
      ]);
      await page.getByRole('button', { name: 'Approve once' }).click();
      await page.getByRole('heading', { name: 'Approved once' }).waitFor();
    },
  );
  assert.deepEqual(faults, []);
  assert.equal((await again()).status, 200);
  assert.equal((await again()).error, 'approval_required');
});

test('a grant and its end; on phone and desktop, light and dark, axe-core finds nothing', async () => {
  const { url, again } = await ask({ headers: { 'X-Long': 'x'.repeat(300) } });
  const page = await opened(url);
  for (const look of LOOKS) {
    await lookAt(page, look);
    assert.deepEqual(await axeFaults(page), []);
    assert.ok((await overflow(page)) <= 0);
  }
  await page.getByRole('button', { name: 'Allow for 15 minutes' }).click();
  await page.getByRole('link', { name: 'All approvals' }).click();
  assert.deepEqual(await axeFaults(page), []);
  assert.equal((await again()).status, 200);
  await page.getByRole('button', { name: /^Take back/ }).click();
  await page.waitForURL('**/approvals');
  assert.equal((await again()).error, 'approval_required');
});

test('Enter in the reason denies, and the model reads the reason', async () => {
  const { url, again } = await ask();
  const page = await opened(url);
  await page.getByLabel(/Why not/).fill('too many\u202e issues');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Denied' }).waitFor();
  const denied = await again();
  assert.equal(denied.error, 'approval_denied');
  assert.match(String(denied.message), /who says: too many issues;/);
});

test('a request that expired is gone, for the page and for the form that was open', async () => {
  const { url } = await ask({ url: `${upstream.url}/brief/1`, method: 'PUT' });
  const page = await opened(url);
  let status = 200;
  while (status === 200) status = (await ada.request.get(url)).status();
  assert.equal(status, 404);
  const answer = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('button', { name: 'Approve once' }).click();
  assert.equal((await answer).status(), 409);
});

test('of two tabs that decide at once, one wins', async () => {
  const { url, again } = await ask();
  const tabs = await Promise.all([opened(url), opened(url)]);
  const answers = await Promise.all(
    tabs.map(async (page, at) => {
      const answer = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.getByRole('button', { name: at === 0 ? 'Approve once' : 'Deny' }).click();
      return (await answer).status();
    }),
  );
  assert.deepEqual([...answers].sort(), [200, 409]);
  const { status, error } = await again();
  if (answers[0] === 200) assert.equal(status, 200);
  else assert.equal(error, 'approval_denied');
});

test("another user's request is not there, to be seen or decided", async () => {
  const { url } = await ask();
  const bob = await newContext(browser);
  const page = await bob.newPage();
  await signIn(page, 'bob');
  const shown = await page.goto(url);
  assert.equal(shown!.status(), 404);
  await page.goto(`${gateway.gateway.url}/approvals`);
  assert.doesNotMatch(await page.content(), new RegExp(url.split('/').at(-1)!));
  const csrf = await page.locator('input[name=csrf]').first().inputValue();
  const headers = { origin: gateway.gateway.url };
  const form = { csrf, decision: 'once' };
  assert.equal((await bob.request.post(url, { form, headers })).status(), 409);
  assert.equal((await ada.request.get(url)).status(), 200);
  await bob.close();
});

describe('the model cannot approve:', () => {
  const decision = { decision: 'once' };
  const post = (url: string, headers: Record<string, string>, form: Record<string, string>) =>
    fetch(url, { method: 'POST', headers, body: new URLSearchParams(form), redirect: 'manual' });

  test('its bearer token opens no page and no form', async () => {
    const { url, again } = await ask();
    const authorization = `Bearer ${gateway.token('ada')}`;
    assert.equal((await fetch(url, { headers: { authorization } })).status, 403);
    assert.equal((await post(url, { authorization }, decision)).status, 403);
    const { origin } = new URL(url);
    assert.equal((await fetch(`${origin}/approvals`, { headers: { authorization } })).status, 403);
    assert.equal((await again()).error, 'approval_required');
  });

  test('nor does its token as a cookie, nor no session, nor one of its own making', async () => {
    const { url } = await ask();
    for (const value of [gateway.token('ada'), 'x'.repeat(43), '']) {
      const cookie = (await ada.cookies()).map(({ name }) => `${name}=${value}`).join('; ');
      assert.equal((await post(url, { cookie }, decision)).status, 401);
      assert.doesNotMatch(await (await fetch(url, { headers: { cookie } })).text(), /Approve once/);
    }
  });

  test('a session that it planted in the browser is not the one that signs in', async () => {
    const { url } = await ask();
    const victim = await newContext(browser);
    const planted = 'A'.repeat(43);
    const { name } = (await ada.cookies())[0]!;
    await victim.addCookies([{ name, value: planted, url: gateway.gateway.url }]);
    await signIn(await victim.newPage(), 'ada', new URL(url).pathname);
    const cookie = (await victim.cookies()).find((one) => one.name === name);
    assert.ok(cookie && cookie.value !== planted);
    assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, 'Strict']);
    const headers = { cookie: `${name}=${planted}` };
    assert.doesNotMatch(await (await fetch(url, { headers })).text(), /Approve once/);
    await victim.close();
  });
});

describe('another site cannot approve:', () => {
  async function visit(html: string): Promise<Page> {
    sitePage = html;
    const page = await ada.newPage();
    await page.goto(siteUrl);
    return page;
  }

  test('its form is refused, and so is any origin but ours, even with the right token', async () => {
    const { url, again } = await ask();
    const page = await visit(
      `<form method="post" action="${url}"><button name="decision" value="once">x</button></form>`,
    );
    const answer = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('button').click();
    assert.equal((await answer).status(), 403);
    const own = await opened(url);
    const csrf = await own.locator('input[name=csrf]').first().inputValue();
    const form = { csrf, decision: 'once' };
    for (const headers of [
      { origin: siteUrl },
      { origin: 'null' },
      { origin: gateway.gateway.url, 'sec-fetch-site': 'cross-site' },
      { origin: gateway.gateway.url, 'sec-fetch-site': 'same-site' },
    ]) {
      assert.equal((await ada.request.post(url, { form, headers })).status(), 403);
    }
    const headers = { origin: gateway.gateway.url };
    const wrong = { ...form, csrf: `${csrf.slice(0, -1)}${csrf.endsWith('A') ? 'B' : 'A'}` };
    assert.equal((await ada.request.post(url, { form: wrong, headers })).status(), 400);
    assert.equal((await again()).error, 'approval_required');
    assert.equal((await ada.request.post(url, { form, headers })).status(), 200);
  });

  test('it cannot frame the page', async () => {
    const { url } = await ask();
    const page = await visit(`<iframe src="${url}" width="900" height="900"></iframe>`);
    const frame = page.frames().at(-1)!;
    assert.doesNotMatch(await frame.content(), /Approve once/);
    const { headers } = await fetch(url);
    assert.match(headers.get('content-security-policy')!, /frame-ancestors 'none'/);
    assert.equal(headers.get('x-frame-options'), 'DENY');
  });

  test('a link from it first shows Continue, and then the page', async () => {
    const { url } = await ask();
    const page = await visit(`<a href="${url}">open</a>`);
    await page.getByRole('link', { name: 'open' }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Approve once' }).waitFor();
  });
});

test('whatever the model writes is shown as text, with what is hidden in it', async () => {
  const evil = '<img src=x onerror=alert(1)></code></pre><button>Approve</button>';
  const { url } = await ask({
    url: `${upstream.url}/x?q=${encodeURIComponent(evil)}&r=<b>`,
    headers: { 'X-Evil': `"><script>alert(2)</script>` },
    body: `{"note":"${evil.replaceAll('"', '\\"')}\u202edlrow\u200b","a":1,"a":2,"n":1.00000000000000000001}`,
  });
  const faults = await watch(
    browser,
    {},
    (own) => own.origin === gateway.gateway.url,
    async (page) => {
      await signIn(page, 'ada', new URL(url).pathname);
      const shown = await page.getByRole('main').innerText();
      for (const text of [
        ...['<img src=x onerror=alert(1)>', '"><script>alert(2)</script>', '\\u202edlrow\\u200b'],
        ...['"a": 1,', '"a": 2,', '"n": 1.00000000000000000001'],
      ]) {
        assert.ok(shown.includes(text), text);
      }
      assert.equal(await page.locator('img, script, pre button').count(), 0);
      assert.equal(await page.locator('mark').count(), 4);
    },
  );
  assert.deepEqual(faults, []);
});

test('the name that a client gives itself is shown as text', async () => {
  const name = 'Mail<img src=x onerror=alert(3)>';
  const { url: base } = gateway.gateway;
  const { accessToken } = await connect(base, 'ada', PASSWORD, name);
  const args = { url: `${upstream.url}/named`, method: 'DELETE' };
  const { value } = await callTool(base, accessToken, 'http_request', args);
  const faults = await watch(
    browser,
    {},
    (own) => own.origin === base,
    async (page) => {
      await signIn(page, 'ada', new URL(String(value.approval_url)).pathname);
      assert.ok((await page.getByRole('main').innerText()).includes(name));
      assert.equal(await page.locator('img').count(), 0);
    },
  );
  assert.deepEqual(faults, []);
});

test('bytes that are no text, of a call through the HTTP door, are shown before they are sent', async () => {
  const ask = () =>
    fetch(`${gateway.gateway.url}/via/tracker/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/octet-stream' },
      body: Buffer.from([0, 0xff, 0x1b, 0x41]),
    });
  const refused = await ask();
  assert.equal(refused.status, 403);
  const { approval_url: url } = (await refused.json()) as { approval_url: string };
  const page = await opened(url);
  const shown = await page.getByRole('main').innerText();
  assert.match(shown, /the key laptop/);
  assert.match(shown, /4 bytes/);
  await page.getByRole('button', { name: 'Approve once' }).click();
  await page.getByRole('heading', { name: 'Approved once' }).waitFor();
  assert.equal((await ask()).status, 200);
  await page.close();
});

test('control characters in a text are made visible, and the console lists what waits', async () => {
  const body = JSON.stringify({ a: '\u0000' });
  const { url } = await ask({ body, headers: { 'Content-Type': 'text/plain' } });
  const page = await opened(url);
  assert.match(await page.getByRole('main').innerText(), /Body as it is sent: 14 bytes/);
  await page.goto(`${gateway.gateway.url}/console`);
  await page.getByText('Waiting for you').first().waitFor();
  assert.match(await page.getByRole('main').innerText(), /POST http:\/\/127\.0\.0\.1/);
});
