/** The page at `/` of a running gateway: for people alone, and silent about everything configured. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { startGateway } from '../support/gateway/gateway.ts';

const PAGE = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const NOT_FOUND = '{"error":"not_found","message":"nothing is served at this path"}';
/** What the configuration holds and the page must not. */
const PRIVATE = {
  user: 'alexandria',
  password: 'a-password-of-hers',
  secretName: 'payroll_token',
  secret: 'a-secret-of-hers-0123',
  target: 'payroll',
  description: 'Salaries of everyone',
  host: 'payroll.internal.example',
  key: 'a-honeytoken-master-key',
  publicUrl: 'https://tools.example.com',
};
const config = JSON.stringify({
  server: { decoys: { key: PRIVATE.key }, public_url: PRIVATE.publicUrl },
  users: [
    {
      name: PRIVATE.user,
      password: PRIVATE.password,
      secrets: { [PRIVATE.secretName]: PRIVATE.secret },
      targets: [
        {
          id: PRIVATE.target,
          description: PRIVATE.description,
          base_url: `https://${PRIVATE.host}`,
        },
      ],
    },
  ],
});

const gateway = await startGateway({ config, env: { GATEWAY_PUBLIC_URL: PRIVATE.publicUrl } });
after(() => gateway.stop());

function ask(method: string, headers: Record<string, string>) {
  return fetch(gateway.url, { method, headers });
}

test('a browser is shown how to connect, with the public URL and the version of /healthz', async () => {
  const page = await (await ask('GET', { accept: PAGE })).text();
  const health = (await (await fetch(`${gateway.url}/healthz`)).json()) as { version: string };
  assert.ok(page.includes(`version ${health.version}<`));
  assert.ok(
    page.includes(`claude mcp add --transport http gateway ${PRIVATE.publicUrl}/mcp</code>`),
  );
  assert.ok(!page.includes(String(gateway.port)));
  assert.ok(page.includes('<a href="/console">'));
});

test('no user, target, secret or key is in the page', async () => {
  const page = await (await ask('GET', { accept: PAGE })).text();
  const { publicUrl: _shown, ...hidden } = PRIVATE;
  assert.deepEqual(
    Object.values(hidden).filter((text) => page.includes(text)),
    [],
  );
});

test('HEAD gives the headers of the page', async () => {
  const [got, head] = [await ask('GET', { accept: PAGE }), await ask('HEAD', { accept: PAGE })];
  const ofConnection = ['date', 'connection', 'keep-alive'];
  const headersOf = (answer: Response) =>
    [...answer.headers].filter(([name]) => !ofConnection.includes(name));
  assert.equal(head.status, 200);
  assert.deepEqual(headersOf(head), headersOf(got));
  assert.equal(await head.text(), '');
});

for (const accept of [
  undefined,
  '*/*',
  'application/json',
  'application/json, text/event-stream',
]) {
  test(`with Accept ${accept ?? 'missing'} there is nothing, decoys or not`, async () => {
    const answer = await new Promise<{ status: number | undefined; body: string }>(
      (resolve, reject) => {
        const sent = request(gateway.url, { headers: accept ? { accept } : {} }, (reply) => {
          let body = '';
          reply.setEncoding('utf8').on('data', (text) => {
            body += text;
          });
          reply.on('end', () => resolve({ status: reply.statusCode, body }));
        });
        sent.on('error', reject).end();
      },
    );
    assert.deepEqual(answer, { status: 404, body: NOT_FOUND });
  });
}

test('asking for it is no hit of a decoy', async () => {
  await ask('GET', { accept: PAGE });
  await fetch(`${gateway.url}/.aws/credentials`);
  const first = await gateway.line((line) => line.event === 'decoy_hit');
  assert.equal(first.tag, 'aws-credentials');
  assert.equal(gateway.lines().filter((line) => line.event === 'decoy_hit').length, 1);
});
