/** Minted tokens and signatures through the HTTP door, whose answers stream. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { formsWritten, TraceFinder, traces } from '../support/gateway/secret-forms.ts';
import { startSignedIn } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';

const DOOR_KEY = 'gh_0123456789abcdefghijklmnopqrstuvwxyz';
const TOKEN = 'minted-token-Vb5nM8qLx2Rt';

const upstream = await startUpstream();
upstream.routes.set('/token', (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 }));
});
const crm = {
  oauth2: {
    ...{ grant: 'client_credentials', token_url: `${upstream.url}/token` },
    ...{ client_id: 'client', client_secret: 'client-secret-Kq7vRzP2mXw9' },
  },
};
const hmac = { key: '${key}', message: '{method}{path}{body}', header: 'X-Signature' };
const inject = { headers: { Authorization: 'Bearer ${crm}' }, sign: { hmac } };
const target = { id: 'api', description: 'd', base_url: upstream.url, paths: ['/x/**'], inject };
const signedIn = await startSignedIn({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [
    {
      name: 'alice',
      secrets: { crm, key: 'signing-key-Ws3kPq9zTf1h' },
      targets: [target],
      keys: [{ name: 'laptop', key: DOOR_KEY }],
    },
  ],
});
after(async () => {
  await signedIn?.gateway.stop();
  await upstream.close();
});

for (const type of ['text/plain', 'text/event-stream']) {
  test(`${type}: token and signature are sent to the upstream and not to the client`, async () => {
    const hidden: string[] = [];
    upstream.answer = ({ headers }, response) => {
      hidden.push(String(headers.authorization).slice(7), String(headers['x-signature']));
      response.writeHead(200, { 'content-type': type, 'x-reflected': hidden });
      for (const [, form] of hidden.flatMap(formsWritten)) response.write(form);
      response.end('\n\n');
    };
    const headers = { authorization: `Bearer ${DOOR_KEY}` };
    const answer = await fetch(`${signedIn.gateway.url}/via/api/x/${type}`, { headers });
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(answer.status, 200);
    assert.deepEqual([hidden[0], hidden[1]!.length], [TOKEN, 64]);
    const finder = new TraceFinder(hidden.flatMap(traces));
    assert.equal(finder.find(bytes), undefined);
    assert.equal(finder.find(Buffer.from(JSON.stringify([...answer.headers]))), undefined);
    assert.ok(bytes.includes('[REDACTED]'));
  });
}

test('a client that signs by itself is refused', async () => {
  const headers = { authorization: `Bearer ${DOOR_KEY}`, 'x-signature': 'mine' };
  const answer = await fetch(`${signedIn.gateway.url}/via/api/x/y`, { headers });
  const { error } = (await answer.json()) as { error: string };
  assert.deepEqual([answer.status, error], [400, 'reserved_header']);
});
