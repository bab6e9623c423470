/** The console of a running gateway in a real browser, and those who attack it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { digestOf, KEY } from '../support/gateway/door.ts';
import { callTool, type GatewayProcess, startGateway } from '../support/gateway/gateway.ts';
import { startUpstream, type Upstream } from '../support/http/upstream.ts';
import { signIn } from '../support/mcp/client.ts';
import { PASSWORD, PASSWORD_HASH } from '../support/oauth/password.ts';
import {
  assertFlawless,
  assertHarmless,
  type ConsoleBrowser,
  EVIL,
  HOSTILE,
  launchConsoleBrowser,
} from '../support/pages/console.ts';

/** What a page may weigh, without images, of which there are none. */
const MAX_PAGE_BYTES = 60_000;
const MINTED = 'a-minted-token-Wq8zX4vN7cRt2mLp';
const NOT_FOUND = { error: 'not_found', message: 'nothing is served at this path' };
const PAGES = ['/console', '/console/calls', '/console/sign-ins'];

let upstream: Upstream;
let gateway: GatewayProcess;
let people: ConsoleBrowser;
let token: string;
let clientId: string;
before(async () => {
  upstream = await startUpstream();
  const targets = [
    { id: 'tracker', description: 'd', base_url: `${upstream.url}/tracker` },
    { id: 'notes', description: 'd', base_url: `${upstream.url}/notes` },
  ];
  const crm = {
    oauth2: {
      ...{ grant: 'client_credentials', token_url: `${upstream.url}/token` },
      ...{ client_id: 'client', client_secret: 'client-secret-Kq7vRzP2mXw9' },
    },
  };
  upstream.routes.set('/token', (_request, response) => {
    const token = { access_token: MINTED, token_type: 'Bearer', expires_in: 7_300 };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(token));
  });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the name of a secret
  const inject = { headers: { Authorization: 'Bearer ${crm}' } };
  const minted = { id: 'crm', description: 'd', base_url: `${upstream.url}/crm`, inject };
  gateway = await startGateway({
    config: JSON.stringify({
      server: { allow_networks: ['127.0.0.0/8'], login_rate_limit: '100/m' },
      users: [
        {
          name: 'ada',
          password: PASSWORD_HASH,
          targets: [...targets, minted],
          secrets: { crm },
          keys: [{ name: 'laptop', key: digestOf(KEY) }],
        },
        { name: 'bob', password: PASSWORD_HASH, targets },
      ],
    }),
  });
  ({ accessToken: token, clientId } = await signIn(gateway.url, 'ada', PASSWORD, HOSTILE));
  people = await launchConsoleBrowser();
});
after(async () => {
  await people?.close();
  await gateway?.stop();
  await upstream?.close();
});

const call = (path: string, method = 'GET', as = token) =>
  callTool(gateway.url, as, 'http_request', { url: upstream.url + path, method });
const open = async (page: Page, path: string) => {
  await page.goto(gateway.url + path);
  await page.getByText('Signed in as').waitFor();
};
const isAlive = async (as: string) => {
  const answer = await fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  await answer.arrayBuffer();
  return answer.status !== 401;
};

test('every page is flawless in light and dark, on phone and desktop, with hostile texts on it', async () => {
  for (let count = 0; count < 45; count++) {
    await call(`/tracker/${encodeURIComponent(HOSTILE).repeat(2)}/${count}`);
  }
  await call('/nowhere/<script>pwned=1</script>', HOSTILE);
  await call('/notes/1', 'DELETE');
  await fetch(`${gateway.url}/via/tracker/x`, { headers: { authorization: `Bearer ${KEY}` } });
  await people.withPerson(gateway.url, 'ada', async (page) => {
    for (const path of PAGES) {
      await open(page, path);
      await assertFlawless(page, path);
      const { length } = Buffer.from(await (await page.request.get(gateway.url + path)).text());
      assert.ok(length < MAX_PAGE_BYTES, `${path} has ${length} bytes`);
    }
    await open(page, `/console/calls?text=${encodeURIComponent(HOSTILE)}&target=${HOSTILE}`);
    await assertFlawless(page, 'filtered calls');
    await open(page, '/console');
    assert.match(await page.locator('#keys').innerText(), /laptop\s+all\s+20\d\d-/);
    assert.match(await page.locator('#targets').innerText(), /method_not_allowed/);
    assert.match(await page.locator('#minted').innerText(), /crm\s+not requested yet/);
    assert.equal((await call('/crm/x')).value.status, 200);
    await page.getByText('2 h', { exact: true }).waitFor();
    assert.ok(!(await page.content()).includes(MINTED));
    await open(page, '/console/calls?outcome=failed&target=notes');
    await page.locator('tbody a').first().click();
    await page.getByRole('heading', { name: 'One call' }).waitFor();
    await assertFlawless(page, 'one call');
    assert.match(await page.locator('dl').innerText(), /DELETE[\s\S]*method_not_allowed/);
  });
});

test('a call appears while the page is open', async () => {
  await people.withPerson(gateway.url, 'ada', async (page) => {
    await open(page, '/console/calls?text=live');
    await page.getByText('No call of yours').waitFor();
    const shown = page.locator('#calls').getByText('/tracker/live');
    await call('/tracker/live');
    await shown.waitFor();
    await assertHarmless(page);
  });
});

test('without JavaScript everything works', async () => {
  const alone = { javaScriptEnabled: false };
  const work = async (page: Page) => {
    const other = await signIn(gateway.url, 'ada', PASSWORD, 'Second app');
    await page.getByRole('link', { name: 'Sign-ins' }).click();
    const row = page.getByRole('row').filter({ hasText: other.clientId });
    await row.getByRole('button').click();
    await page.getByText('The app is signed out.').waitFor();
    assert.equal(await isAlive(other.accessToken), false);
    assert.equal(await isAlive(token), true);
    await page.getByRole('link', { name: 'Calls' }).click();
    await page.getByLabel('Answer').selectOption('failed');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.locator('tbody a').first().click();
    await page.getByRole('heading', { name: 'One call' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out').waitFor();
    await page.goto(`${gateway.url}/console`);
    await page.getByLabel('Password').waitFor();
  };
  await people.withPerson(gateway.url, 'ada', work, alone);
});

test('another user sees and ends nothing of hers', async () => {
  await call('/tracker/hers');
  await people.withPerson(gateway.url, 'ada', async (page) => {
    await open(page, '/console/calls');
    const own = await page.locator('tbody a').first().getAttribute('href');
    await open(page, '/console/sign-ins');
    const id = await page.locator('input[name=id]').first().getAttribute('value');
    await people.withPerson(gateway.url, 'bob', async (his) => {
      for (const path of PAGES) {
        await open(his, path);
        assert.doesNotMatch(await his.locator('main').innerText(), /hers|laptop|pwned/);
      }
      assert.equal((await his.goto(gateway.url + own!))?.status(), 404);
      await open(his, '/console/sign-ins');
      const csrf = await his.locator('input[name=csrf]').first().getAttribute('value');
      for (const form of [
        { csrf: csrf!, id: id! },
        { csrf: csrf!, client: clientId },
      ]) {
        const url = `${gateway.url}/console/sign-ins/end`;
        const headers = { origin: gateway.url };
        assert.equal((await his.request.post(url, { form, headers })).status(), 404);
      }
    });
  });
  assert.equal(await isAlive(token), true);
});

test('a form of another site changes nothing, though it has the right token', async () => {
  await people.withPerson(gateway.url, 'ada', async (page) => {
    await open(page, '/console/sign-ins');
    const [csrf, id] = await Promise.all(
      ['csrf', 'id'].map((name) =>
        page.locator(`input[name=${name}]`).first().getAttribute('value'),
      ),
    );
    people.evilPage = `<form method="post" action="${gateway.url}/console/sign-ins/end">
<input name="csrf" value="${csrf}"><input name="id" value="${id}"></form><script>document.forms[0].submit()</script>`;
    await page.goto(EVIL);
    await page.getByText('This came from another site').waitFor();
    assert.equal(await isAlive(token), true);
  });
});

test('no page can be framed, and none is read by another site', async () => {
  await people.withPerson(gateway.url, 'ada', async (_page, context) => {
    const tab = await context.newPage();
    people.evilPage = `<iframe src="${gateway.url}/console"></iframe><script>
fetch('${gateway.url}/console', { credentials: 'include', mode: 'no-cors' }).then(() => (document.title = 'asked'));
</script>`;
    const refused = tab.waitForResponse((answer) => answer.request().resourceType() === 'fetch');
    await tab.goto(EVIL);
    assert.equal((await refused).status(), 403);
    await tab.waitForFunction('document.title === "asked"');
    const [, frame] = tab.frames();
    assert.doesNotMatch(await frame!.content(), /Signed in|Sign in|Continue/);
  });
});

test('a link of another site leads to the page by way of Continue', async () => {
  await people.withPerson(gateway.url, 'ada', async (page) => {
    people.evilPage = `<a href="${gateway.url}/console/calls?text=x">look</a>`;
    await page.goto(EVIL);
    await page.getByRole('link', { name: 'look' }).click();
    const link = page.getByRole('link', { name: 'Continue' });
    await link.waitFor();
    assert.equal(await page.getByText('Signed in as').count(), 0);
    await assertFlawless(page, 'Continue');
    await link.click();
    await page.getByText('Signed in as ada').waitFor();
    assert.equal(page.url(), `${gateway.url}/console/calls?text=x`);
  });
});

test('an id that was planted before signing in opens nothing afterwards', async () => {
  const planted = 'p'.repeat(43);
  const context = await people.browser.newContext();
  await context.addCookies([{ name: 'gatehouse-gateway', value: planted, url: gateway.url }]);
  const page = await context.newPage();
  await page.goto(`${gateway.url}/console`);
  await page.getByLabel('Name').fill('ada');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Signed in as ada').waitFor();
  const [own] = (await context.cookies()).filter(({ name }) => name === 'gatehouse-gateway');
  assert.deepEqual([own!.httpOnly, own!.sameSite, own!.value === planted], [true, 'Strict', false]);
  const headers = { cookie: `gatehouse-gateway=${planted}`, 'sec-fetch-site': 'same-origin' };
  const answer = await fetch(`${gateway.url}/console`, { headers, redirect: 'manual' });
  assert.equal(answer.status, 303);
  await context.close();
});

test('the token of an app opens no page', async () => {
  for (const path of [...PAGES, '/console/events', '/sign-in']) {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(gateway.url + path, { headers, redirect: 'manual' });
    assert.equal(answer.status, 403, path);
  }
});

test('without the console its paths are like any unknown one', async () => {
  const config = { server: { console: false }, users: [{ name: 'ada', password: PASSWORD_HASH }] };
  const other = await startGateway({ config: JSON.stringify(config) });
  for (const path of [...PAGES, '/sign-in', '/console/events']) {
    const answer = await fetch(other.url + path);
    assert.deepEqual([answer.status, await answer.json()], [404, NOT_FOUND], path);
  }
  await other.stop();
});

test('a keyboard alone signs an app out, and the focus can be seen', async () => {
  const other = await signIn(gateway.url, 'bob', PASSWORD, 'Some app');
  await people.withPerson(gateway.url, 'bob', async (page) => {
    await open(page, '/console/sign-ins');
    const focused = () =>
      page.evaluate<string>(
        'document.activeElement.textContent.trim() + getComputedStyle(document.activeElement).outlineStyle',
      );
    while (!(await focused()).startsWith('Sign out Some app')) await page.keyboard.press('Tab');
    assert.match(await focused(), /solid$/);
    await page.keyboard.press('Enter');
    await page.getByText('The app is signed out.').waitFor();
  });
  assert.equal(await isAlive(other.accessToken), false);
});
