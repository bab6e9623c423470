/** Signing in with a second factor, for apps and for the pages of people, and the command that makes one. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import decodeQR from 'qr/decode.js';
import { Secret } from '../../src/core/secrets/secret.ts';
import { TOTP_STEP_MS, totpCode } from '../../src/core/secrets/totp.ts';
import { linesOf, runGateway, startGateway } from '../support/gateway/gateway.ts';
import { PASSWORD, PASSWORD_HASH } from '../support/gateway/signed-in.ts';
import { cookiesOf } from '../support/mcp/client.ts';
import { areReplicas, REPLICAS } from '../support/replicas/mode.ts';

const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const REDIRECT = 'http://127.0.0.1:9/callback';
/** The step of the first sign-in; each later one takes the next code, one of which is ahead. */
const now = () => Math.floor(Date.now() / TOTP_STEP_MS);
const codeAt = (step: number) => totpCode(new Secret('totp', SECRET), step);

const configWith = (passwordOfCarol: string) =>
  JSON.stringify({
    server: { login_rate_limit: '5/h', trusted_proxies: ['127.0.0.1'] },
    users: [
      { name: 'ada', password: PASSWORD_HASH, totp: SECRET },
      { name: 'eve', password: PASSWORD_HASH, totp: SECRET },
      { name: 'bob', password: PASSWORD_HASH },
      { name: 'carol', password: passwordOfCarol, totp: SECRET },
    ],
  });

const gateway = await startGateway({ config: configWith(PASSWORD_HASH) });
after(() => gateway?.stop());

/** Each from a network of its own, so that the limit of one does not meet another. */
function visitor(address: string) {
  const headers = { 'x-forwarded-for': address, origin: gateway.url };
  const jar = new Map<string, string>();
  const keep = (answer: Response) => {
    for (const pair of cookiesOf(answer).split('; ')) {
      const at = pair.indexOf('=');
      if (at > 0) jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return answer;
  };
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const get = async (path: string) =>
    keep(await fetch(`${gateway.url}${path}`, { headers: { ...headers, cookie: cookie() } }));
  const post = async (path: string, body: URLSearchParams) =>
    keep(
      await fetch(`${gateway.url}${path}`, {
        method: 'POST',
        body,
        headers: { ...headers, cookie: cookie() },
        redirect: 'manual',
      }),
    );
  return { get, post };
}

function fieldsOf(page: string): URLSearchParams {
  const hidden = /<input[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g;
  const pairs = [...page.matchAll(hidden)].map(([, name, value]) => [name!, value!]);
  return new URLSearchParams(pairs as [string, string][]);
}

/** Up to the page that asks for the code, or where signing in without one leads. */
async function typePassword(name: string, address: string) {
  const app = visitor(address);
  const registered = await fetch(`${gateway.url}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [REDIRECT] }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const challenge = createHash('sha256').update(randomBytes(32)).digest('base64url');
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id, redirect_uri: REDIRECT, state: 's' },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
  });
  const form = fieldsOf(await (await app.get(`/authorize?${query}`)).text());
  form.set('username', name);
  form.set('password', PASSWORD);
  return { app, answer: await app.post('/authorize', form) };
}

async function typeCode(app: ReturnType<typeof visitor>, page: string, code: string, path: string) {
  const form = fieldsOf(page);
  form.set('code', code);
  return app.post(path, form);
}

test('an app is signed in with password and code; a wrong, old or used code signs nobody in', async () => {
  const step = now();
  const { app, answer } = await typePassword('ada', '192.0.2.1');
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('location'), null);
  let page = await answer.text();
  assert.match(page, /six digits/);
  assert.doesNotMatch(page, /password"/);
  for (const wrong of ['000000', codeAt(step - 3), codeAt(step + 4)]) {
    const refused = await typeCode(app, page, wrong, '/authorize/code');
    assert.equal(refused.status, 401);
    page = await refused.text();
  }
  const used = page;
  const right = await typeCode(app, page, codeAt(step), '/authorize/code');
  assert.equal(right.status, 302);
  const location = new URL(right.headers.get('location')!);
  assert.equal(location.origin + location.pathname, REDIRECT);
  assert.ok(location.searchParams.get('code'));
  // Neither the form nor the code serves again.
  assert.equal((await typeCode(app, used, codeAt(step + 1), '/authorize/code')).status, 400);
  const again = await typePassword('ada', '192.0.2.2');
  const replay = await typeCode(
    again.app,
    await again.answer.text(),
    codeAt(step),
    '/authorize/code',
  );
  assert.equal(replay.status, 401);

  const person = visitor('192.0.2.3');
  const form = fieldsOf(await (await person.get('/sign-in')).text());
  form.set('username', 'ada');
  form.set('password', PASSWORD);
  const asked = await person.post('/sign-in', form);
  assert.equal(asked.status, 200);
  const codePage = await asked.text();
  assert.doesNotMatch(await (await person.get('/console')).text(), /Signed in as/);
  const inside = await typeCode(person, codePage, codeAt(step + 1), '/sign-in/code');
  assert.equal(inside.status, 303);
  assert.match(await (await person.get('/console')).text(), /Signed in as <bdi>ada/);
});

test('the form for the code serves no other user, and none without the right password', async () => {
  const { app, answer } = await typePassword('ada', '192.0.2.4');
  const page = await answer.text();
  for (const user of ['eve', 'bob', 'nobody', '']) {
    const form = fieldsOf(page);
    form.set('code_user', user);
    form.set('code', codeAt(now()));
    assert.equal((await app.post('/authorize/code', form)).status, 400, user);
  }
  const { app: other, answer: wrong } = await typePassword('nobody', '192.0.2.5');
  assert.equal(wrong.status, 401);
  const form = fieldsOf(await wrong.text());
  form.set('code_user', 'eve');
  form.set('code', codeAt(now()));
  assert.equal((await other.post('/authorize/code', form)).status, 400);
});

test('the form for the code ends with the password that it was shown for', async () => {
  const { app, answer } = await typePassword('carol', '192.0.2.9');
  const page = await answer.text();
  gateway.writeConfig(configWith('another password of hers'));
  const servers = areReplicas ? REPLICAS : 1;
  await linesOf(gateway, ['config_reloaded'], servers);
  const refused = await typeCode(app, page, codeAt(now()), '/authorize/code');
  assert.equal(refused.status, 400);
  gateway.writeConfig(configWith(PASSWORD_HASH));
  await linesOf(gateway, ['config_reloaded'], 2 * servers);
});

test('wrong codes count against the login limit', async () => {
  const { app, answer } = await typePassword('eve', '192.0.2.6');
  let page = await answer.text();
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 6; attempt++) {
    const refused = await typeCode(app, page, '000000', '/authorize/code');
    statuses.push(refused.status);
    page = await refused.text();
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
});

test('a user without a second factor is asked for none', async () => {
  const { answer } = await typePassword('bob', '192.0.2.7');
  assert.equal(answer.status, 302);
});

test('an empty or invalid secret is a problem of the configuration, never no second factor', async () => {
  const secrets = ['', null, 'short', 'env:NOT_SET'];
  const users = secrets.map((totp, at) => ({ name: `user${at}`, password: PASSWORD_HASH, totp }));
  gateway.writeConfig(JSON.stringify({ users }));
  const env = { GATEWAY_CONFIG: gateway.configPath, GATEWAY_PUBLIC_URL: gateway.url };
  const { code, stderr } = await runGateway(['validate'], { env });
  assert.equal(code, 1);
  for (const at of secrets.keys()) assert.ok(stderr.includes(`users[${at}].totp`), stderr);
});

test('gateway totp prints a secret, its URI and a QR code that says the same', async () => {
  const { stdout } = await runGateway(['totp', '--user', 'ada lovelace']);
  const [secret, uri, ...rows] = stdout.trimEnd().split('\n');
  assert.match(secret!, /^[A-Z2-7]{32}$/);
  assert.equal(uri, `otpauth://totp/Gatehouse:ada%20lovelace?secret=${secret}&issuer=Gatehouse`);
  assert.equal(decoded(rows), uri);
});

/** Reads the code as a camera would, four pixels for each module; half blocks are two rows. */
function decoded(rows: readonly string[]): string {
  const isLight = rows.flatMap((row) => [
    [...row].map((block) => block === '█' || block === '▀'),
    [...row].map((block) => block === '█' || block === '▄'),
  ]);
  const scale = 4;
  const [width, height] = [isLight[0]!.length * scale, isLight.length * scale];
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const shade = isLight[Math.floor(y / scale)]![Math.floor(x / scale)] ? 255 : 0;
      data.set([shade, shade, shade, 255], (y * width + x) * 4);
    }
  }
  return decodeQR({ width, height, data });
}
