/** A reload while a token request is under way, and a restart after the token was rotated. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { linesOf } from '../support/gateway/gateway.ts';
import { request } from '../support/gateway/redaction-bench.ts';
import { PASSWORD_HASH, type SignedIn, startSignedIn } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';

const tokenFile = () => join(directory, 'token');

const config = (scope: string) => ({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [
    {
      name: 'alice',
      password: PASSWORD_HASH,
      secrets: {
        crm: {
          oauth2: {
            ...{ grant: 'refresh_token', token_url: `${provider.url}/token`, scope },
            ...{ client_id: 'client', refresh_token: `file:${tokenFile()}` },
          },
        },
      },
      targets: [
        {
          ...{ id: 'api', description: 'd', base_url: upstream.url },
          inject: { headers: { Authorization: 'Bearer ${crm}' } },
        },
      ],
    },
  ],
});

/** Answers that wait to be written, by the scope that was asked for. */
const waiting = new Map<string, ServerResponse>();
/** Rotates the refresh token with every use, as a strict provider does. */
let valid = 'refresh-1-Kq7vRzP2mXw9';
let isHeld = false;
/** What happens while the provider refuses a refresh token. */
let onStale = () => {};

function issue(response: ServerResponse, scope: string): void {
  valid = valid.replace(/\d+/, (number) => String(Number(number) + 1));
  response.writeHead(200, { 'content-type': 'application/json' });
  const access_token = `access-${scope}-Vb5nM8qLx2Rt`;
  response.end(
    JSON.stringify({ access_token, token_type: 'Bearer', expires_in: 3600, refresh_token: valid }),
  );
}

const directory = mkdtempSync(join(tmpdir(), 'minted-reload-'));
writeFileSync(tokenFile(), valid);
const upstream = await startUpstream((_request, response) => response.end('ok'));
const provider = await startUpstream(({ body }, response) => {
  const parameters = new URLSearchParams(body);
  const scope = parameters.get('scope')!;
  if (parameters.get('refresh_token') !== valid) {
    onStale();
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end('{"error":"invalid_grant"}');
  } else if (isHeld) waiting.set(scope, response);
  else issue(response, scope);
});
after(async () => {
  await upstream.close();
  await provider.close();
  rmSync(directory, { recursive: true });
});

const call = async (signedIn: SignedIn) => request(signedIn, 'alice', { url: `${upstream.url}/` });
const sent = () => upstream.received.map(({ headers }) => headers.authorization);
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

test('the old request ends as it began, and its token is redacted although nobody keeps it', async () => {
  const signedIn = await startSignedIn(config('first'));
  isHeld = true;
  const old = call(signedIn);
  await until(() => waiting.has('first'));
  signedIn.gateway.writeConfig(JSON.stringify(config('second')));
  await linesOf(signedIn.gateway, ['config_reloaded'], 1);
  issue(waiting.get('first')!, 'first');
  assert.equal((await old).status, 200);
  assert.deepEqual(sent(), ['Bearer access-first-Vb5nM8qLx2Rt']);
  isHeld = false;
  upstream.answer = (_request, response) => {
    response.end('access-first-Vb5nM8qLx2Rt access-second-Vb5nM8qLx2Rt refresh-2-Kq7vRzP2mXw9');
  };
  const { body } = await call(signedIn);
  assert.equal(sent().at(-1), 'Bearer access-second-Vb5nM8qLx2Rt');
  assert.equal(body, '[REDACTED] [REDACTED] [REDACTED]');
  await signedIn.gateway.stop();
});

test('after a restart, the refresh token of the last rotation is used', async () => {
  const before = readFileSync(tokenFile(), 'utf8').trim();
  assert.equal(before, valid);
  const signedIn = await startSignedIn(config('third'));
  assert.equal((await call(signedIn)).status, 200);
  assert.notEqual(readFileSync(tokenFile(), 'utf8').trim(), before);
  await signedIn.gateway.stop();
});

test('a gateway that is killed during a token request starts again with the token in the file', async () => {
  const killed = await startSignedIn(config('fourth'));
  isHeld = true;
  call(killed).catch(() => {});
  await until(() => waiting.has('fourth'));
  killed.gateway.signal('SIGKILL');
  await killed.gateway.exited;
  isHeld = false;
  const signedIn = await startSignedIn(config('fourth'));
  assert.equal((await call(signedIn)).status, 200);
  await signedIn.gateway.stop();
});

test('a refresh token that another process spends at the same moment is read again, once', async () => {
  const signedIn = await startSignedIn(config('fifth'));
  writeFileSync(tokenFile(), 'spent-Kq7vRzP2mXw9');
  let refused = 0;
  onStale = () => {
    refused += 1;
    writeFileSync(tokenFile(), valid);
  };
  assert.equal((await call(signedIn)).status, 200);
  assert.equal(refused, 1);
  await signedIn.gateway.stop();

  const other = await startSignedIn(config('sixth'));
  onStale = () => {
    refused += 1;
    writeFileSync(tokenFile(), `spent-${refused}-Kq7vRzP2mXw9`);
  };
  onStale();
  const { error } = await call(other);
  assert.deepEqual([error, refused], ['credential_unavailable', 4]);
  await other.gateway.stop();
});
