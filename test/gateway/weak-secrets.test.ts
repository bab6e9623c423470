/** Secrets that can be guessed through an upstream that echoes: what redaction gives away, and the warning. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { linesOf, runGateway } from '../support/gateway/gateway.ts';
import { startSignedIn } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';

const PIN = '48213957';
const WORD = 'Sunshine2024';
const RANDOM = 'ghp_Kq7vRzP2mXw9LtYbN4cHjd8sGt5w3FcVa6n';

const configOf = (secrets: object) => ({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [
    {
      name: 'alice',
      secrets,
      targets: [{ id: 't', description: 'd', base_url: upstream.url, methods: ['POST'] }],
    },
  ],
});

const upstream = await startUpstream();
const signedIn = await startSignedIn(
  configOf({ pin: PIN, word: WORD, short: '12345', key: RANDOM }),
);

after(async () => {
  await signedIn.gateway.stop();
  await upstream.close();
});

test('of many guesses in one echoed body the right one is redacted: this is not defended', async () => {
  const first = Number(PIN) - 500;
  const guesses = Array.from({ length: 1_000 }, (_, index) => String(first + index));
  const { value } = await signedIn.request('alice', {
    url: `${upstream.url}/`,
    method: 'POST',
    body: guesses.join('\n'),
  });
  const shown = JSON.parse(value.body as string).body.split('\n');
  assert.equal(shown.indexOf('[REDACTED]'), guesses.indexOf(PIN));
});

test('the start warns of each by name, and says neither value nor length', async () => {
  const lines = await linesOf(signedIn.gateway, ['weak_secret', 'short_secret'], 3);
  assert.deepEqual(
    lines.map(({ level, event, user, secret }) => [level, event, user, secret]),
    [
      ['warn', 'weak_secret', 'alice', 'pin'],
      ['warn', 'weak_secret', 'alice', 'word'],
      ['warn', 'short_secret', 'alice', 'short'],
    ],
  );
  for (const { event, message, ...line } of lines) {
    assert.deepEqual(Object.keys(line).sort(), ['level', 'secret', 'ts', 'user']);
    if (event === 'weak_secret') assert.doesNotMatch(String(message), /\d/);
  }
});

test('so does a reload', async () => {
  const before = (await linesOf(signedIn.gateway, ['weak_secret'], 2)).length;
  const file = { ...configOf({ key: RANDOM, later: 'password1' }) };
  const users = file.users.map((user) => ({ password: 'a long password of alice', ...user }));
  writeFileSync(signedIn.gateway.configPath, JSON.stringify({ ...file, users }));
  const lines = await linesOf(signedIn.gateway, ['weak_secret'], before + 1);
  assert.equal(lines[before]?.secret, 'later');
});

test('and validate, which accepts the file', async () => {
  const { code, stderr, stdout } = await runGateway(['validate', signedIn.gateway.configPath], {
    env: { GATEWAY_PUBLIC_URL: 'https://gateway.example.com' },
  });
  assert.equal(code, 0, stderr);
  assert.match(
    stderr,
    /^warning: the secret later of alice can be guessed: .*use a random value$/m,
  );
  assert.doesNotMatch(stderr + stdout, /password1|of alice.*key/);
});
