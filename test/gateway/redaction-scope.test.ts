/** What the audit line shows of a URL, and whose values are redacted for whom. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { startSignedIn } from '../support/gateway/signed-in.ts';
import { echo, startUpstream } from '../support/http/upstream.ts';

const ALICE = 'Kq7vRzP2mXw9LtYbN4cZ';
const BOB = 'Hjd8sGt5w3FcVa6nQe1x';

const upstream = await startUpstream();
const base = { description: 'd', base_url: upstream.url };
const signedIn = await startSignedIn({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [
    {
      name: 'alice',
      secrets: { key: ALICE },
      targets: [
        {
          ...{ ...base, id: 'hops', paths: ['/hop/**'], follow_redirects: true },
          inject: { query: { api_key: '${key}' } },
        },
        {
          ...base,
          id: 'query',
          inject: { query: { api_key: '${key}', 'odd name&': 'x${key}' } },
        },
      ],
    },
    {
      name: 'bob',
      secrets: { key: BOB },
      targets: [
        { ...base, id: `of ${BOB}`, paths: ['/told'] },
        { ...base, id: 'plain', methods: ['POST'] },
      ],
    },
  ],
});
beforeEach(() => {
  upstream.answer = echo;
  upstream.routes.clear();
});
after(async () => {
  await signedIn.gateway.stop();
  await upstream.close();
});

test('an id that tells a secret is cleaned in the result, as in the list and the log', async () => {
  const { value, audit } = await signedIn.request('bob', { url: `${upstream.url}/told` });
  assert.deepEqual([value.target, audit.target], ['of [REDACTED]', 'of [REDACTED]']);
});

describe('an injected parameter is masked in the audit URL', () => {
  const injected = 'api_key=[REDACTED]&odd%20name%26=[REDACTED]';
  const rows: [what: string, query: string, logged: string][] = [
    ['when the model gave none', '', `?${injected}`],
    ['when the model gave one', '?api_key=guess', `?${injected}`],
    ['in another case', '?API_KEY=guess&Api_Key=guess', `?${injected}`],
    ['percent-encoded', '?api%5fkey=guess&%61pi_key=guess', `?${injected}`],
    ['twice, around another', '?api_key=guess&a=1&api_key=guess', `?${injected}&a=1`],
    ['with a plus for a space', '?odd+name%26=guess', `?${injected}`],
    ['without a value', '?api_key&api_key=', `?${injected}`],
  ];
  for (const [what, query, logged] of rows) {
    test(what, async () => {
      const { audit } = await signedIn.request('alice', { url: `${upstream.url}/a${query}` });
      assert.equal(audit.url, `${upstream.url}/a${logged}`);
      const { url } = upstream.received.at(-1)!;
      assert.equal(new URLSearchParams(url.split('?')[1]).getAll('api_key').join(), ALICE);
      assert.ok(!url.includes('guess'));
    });
  }

  test('when the model gave it in the query argument', async () => {
    const { audit } = await signedIn.request('alice', {
      url: `${upstream.url}/a`,
      query: { api_key: 'guess', API_KEY: ['guess', 'guess'] },
    });
    assert.equal(audit.url, `${upstream.url}/a?${injected}`);
  });

  test('when the call is refused after its target was found', async () => {
    const { audit } = await signedIn.request('alice', {
      url: `${upstream.url}/a?api_key=guess`,
      method: 'DELETE',
    });
    assert.deepEqual(
      [audit.error, audit.url],
      ['method_not_allowed', `${upstream.url}/a?${injected}`],
    );
  });

  test('after redirects, which are not in it at all', async () => {
    upstream.routes.set('/hop/1', (_request, response) => {
      response.writeHead(302, { location: `/hop/2?api_key=${ALICE}&api%5Fkey=guess` }).end();
    });
    const { audit, raw } = await signedIn.request('alice', {
      url: `${upstream.url}/hop/1?API_KEY=guess`,
    });
    assert.equal(audit.url, `${upstream.url}/hop/1?api_key=[REDACTED]`);
    assert.equal(upstream.received.at(-1)!.url, `/hop/2?api_key=${ALICE}`);
    assert.ok(!raw.includes(ALICE));
  });

  test('and a secret that the model writes anywhere in a URL is not logged either', async () => {
    for (const url of [
      `${upstream.url}/${ALICE}?a=${ALICE}`,
      `${upstream.url}/${Buffer.from(ALICE).toString('base64url')}`,
      `https://${ALICE}.else.where/${BOB}`,
      `https://user:${ALICE}@else.where/`,
      `not a URL ${BOB}`,
      // Across the lengths at which a URL is cut.
      ...[2_048, 4_096].map((cut) => `${`${upstream.url}/`.padEnd(cut - 10, 'a')}${ALICE}`),
    ]) {
      const { audit } = await signedIn.request('alice', { url });
      const line = JSON.stringify(audit).toLowerCase();
      for (const secret of [ALICE, BOB, Buffer.from(ALICE).toString('base64url')]) {
        for (let at = 0; at + 8 <= secret.length; at++) {
          assert.ok(!line.includes(secret.slice(at, at + 8).toLowerCase()), line);
        }
      }
    }
  });
});

describe('the values of one user', () => {
  const post = (body: string) =>
    signedIn.request('bob', { url: `${upstream.url}/b`, method: 'POST', body });

  test('are not redacted for another: that would tell guesses from misses', async () => {
    for (const guess of [ALICE, ALICE.slice(0, -1), Buffer.from(ALICE).toString('base64')]) {
      const { value, audit } = await post(guess);
      assert.equal(JSON.parse(value.body as string).body, guess);
      assert.equal(audit.redacted, 0);
    }
  });

  test('are redacted for their own user, and counted', async () => {
    const { value, audit } = await post(`${BOB} ${ALICE} ${BOB}`);
    assert.equal(JSON.parse(value.body as string).body, `[REDACTED] ${ALICE} [REDACTED]`);
    assert.equal(audit.redacted, 2);
  });

  test('are removed from the log, regardless of who wrote them', async () => {
    const { audit } = await signedIn.request('bob', { url: `${upstream.url}/${ALICE}` });
    assert.equal(audit.url, `${upstream.url}/[REDACTED]`);
    assert.ok(!signedIn.gateway.stdout().includes(ALICE));
  });
});
