/** Requests that the gateway signs: over what is sent, anew for each hop, and redacted. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, beforeEach, describe, test } from 'node:test';
import { startPipeline } from '../support/gateway/pipeline-parts.ts';
import { formsWritten, TraceFinder, traces } from '../support/gateway/secret-forms.ts';
import { echo, type Received, startUpstream } from '../support/http/upstream.ts';

const KEY = 'signing-key-Kq7vRzP2mXw9';
const SESSION = 'session-token-Vb5nM8qLx2Rt';
const AWS_SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

const upstream = await startUpstream();
const hmac = {
  ...{ key: '${key}', message: '{timestamp}|{method}|{path}|{query}|{body}' },
  ...{ header: 'X-Signature', timestamp_header: 'X-Timestamp' },
};
const target = (id: string, sign: object, rest: object = {}) => ({
  ...{ id, description: 'd', base_url: upstream.url, paths: [`/${id}/**`] },
  ...{ methods: ['GET', 'POST', 'PUT'], follow_redirects: true, ...rest, inject: { sign } },
});
const inject = {
  headers: { 'X-Key': '${key}' },
  query: { 'api key': '${key}' },
  body: { '$.auth.key': '${key}' },
};
const pipeline = startPipeline({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [
    {
      name: 'alice',
      secrets: { key: KEY, aws_id: 'AKIDEXAMPLE', aws_secret: AWS_SECRET, aws_session: SESSION },
      targets: [
        target('hmac', { hmac }),
        target('millis', {
          hmac: { ...hmac, timestamp: 'milliseconds', algorithm: 'sha512', encoding: 'base64' },
        }),
        target('s3', {
          aws_sigv4: {
            ...{ access_key_id: '${aws_id}', secret_access_key: '${aws_secret}' },
            ...{ session_token: '${aws_session}', region: 'eu-central-1', service: 's3' },
          },
        }),
        {
          ...target('all', { hmac }),
          inject: { ...inject, sign: { hmac } },
        },
      ],
    },
  ],
});
after(async () => {
  pipeline.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.received.length = 0;
  upstream.answer = (_request, response) => response.end('ok');
});

async function call(path: string, args: object = {}) {
  const answer = await pipeline.request('alice', { url: `${upstream.url}${path}`, ...args });
  return answer as Record<string, unknown>;
}

/** As an upstream would judge it, from what arrived. */
function isSigned({ method, url, headers, body }: Received, algorithm = 'sha256'): boolean {
  const timestamp = String(headers['x-timestamp']);
  const [path, query = ''] = url.split('?');
  const message = [timestamp, method, path, query, body].join('|');
  const encoding = algorithm === 'sha256' ? 'hex' : 'base64';
  const expected = createHmac(algorithm, KEY).update(message).digest(encoding);
  return headers['x-signature'] === expected;
}

describe('hmac', () => {
  test('signs what arrives, whatever it is', async () => {
    await call('/hmac/x');
    await call('/hmac/a b/%C3%A9?q=ü&x=1+2', { method: 'POST', body: '{"ä": "€"}' });
    await call('/hmac/x', { query: { a: ['1', 2, true] } });
    assert.deepEqual(
      upstream.received.map((request) => isSigned(request)),
      [true, true, true],
    );
    const seconds = Number(upstream.received[0]!.headers['x-timestamp']);
    assert.ok(Math.abs(seconds * 1_000 - Date.now()) < 60_000);
  });

  test('with other units, algorithms and encodings', async () => {
    await call('/millis/x', { method: 'PUT', body: 'text' });
    const [request] = upstream.received;
    assert.ok(isSigned(request!, 'sha512'));
    assert.ok(Math.abs(Number(request!.headers['x-timestamp']) - Date.now()) < 60_000);
  });

  test('is computed after everything else was injected', async () => {
    await call('/all/x?q=1', { method: 'POST', body: '{}' });
    const [request] = upstream.received;
    assert.ok(request!.url.includes(KEY) && request!.body.includes(KEY));
    assert.ok(isSigned(request!));
  });
});

describe('aws_sigv4', () => {
  test('sends the headers of the signature, the session token among them', async () => {
    await call('/s3/x', { method: 'PUT', body: 'text', headers: { 'X-Amz-Acl': 'private' } });
    const { headers } = upstream.received[0]!;
    assert.match(
      String(headers.authorization),
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/s3\/aws4_request, SignedHeaders=content-type;host;x-amz-acl;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature=[\da-f]{64}$/,
    );
    assert.equal(headers['x-amz-security-token'], SESSION);
  });

  const reserved = [
    ...['X-Amz-Date', 'x-amz-content-sha256', 'X_Amz_Security_Token', 'Authorization'],
    ...['x-amz-copy-source', 'x-amz-rename-source'],
  ];
  for (const name of reserved) {
    test(`the model may not set ${name}`, async () => {
      assert.equal((await call('/s3/x', { headers: { [name]: 'x' } })).error, 'reserved_header');
    });
  }
});

for (const name of ['X-Signature', 'x_timestamp']) {
  test(`the model may not set ${name} where it is the signature's`, async () => {
    assert.equal((await call('/hmac/x', { headers: { [name]: 'x' } })).error, 'reserved_header');
  });
}

describe('redirects', () => {
  test('each hop is signed anew, over its own URL', async () => {
    upstream.answer = ({ url }, response) => {
      const hop = Number(/\d+/.exec(url)?.[0] ?? 0);
      if (hop < 3) response.writeHead(307, { location: `/hmac/${hop + 1}` });
      response.end();
    };
    assert.equal((await call('/hmac/0', { method: 'POST', body: 'x' })).status, 200);
    assert.deepEqual(
      upstream.received.map((request) => isSigned(request)),
      Array(4).fill(true),
    );
    assert.equal(new Set(upstream.received.map(({ headers }) => headers['x-signature'])).size, 4);
  });

  test('a hop that leaves the target is not signed, and not sent', async () => {
    upstream.answer = (_request, response) => {
      response.writeHead(307, { location: '/elsewhere' });
      response.end();
    };
    assert.equal((await call('/hmac/0')).error, 'redirect_out_of_scope');
    assert.equal(upstream.received.length, 1);
  });
});

describe('the signature is redacted from its answer', () => {
  for (const id of ['hmac', 'millis', 's3']) {
    test(`${id}: in every form, in the body and in headers, also of an earlier hop`, async () => {
      const signatures: string[] = [];
      upstream.answer = ({ url, headers }, response) => {
        const all = String(headers['x-signature'] ?? headers.authorization);
        signatures.push(/Signature=(.*)/.exec(all)?.[1] ?? all);
        if (url.endsWith('/first')) {
          response.writeHead(307, { location: `/${id}/second` });
          response.end();
          return;
        }
        const forms = signatures.flatMap((value) => formsWritten(value).map(([, form]) => form));
        response.setHeader('x-signature', signatures);
        response.end(Buffer.concat(forms.flatMap((form) => [form, Buffer.from('\n')])));
      };
      const answer = JSON.stringify(await call(`/${id}/first`));
      assert.equal(signatures.length, 2);
      const finder = new TraceFinder(signatures.flatMap(traces));
      assert.ok(finder.find(Buffer.from(signatures[0]!)), 'the search finds what it is meant to');
      assert.equal(finder.find(Buffer.from(answer)), undefined);
      assert.equal(finder.find(Buffer.from(JSON.stringify(pipeline.lines()))), undefined);
    });
  }

  test('for that call only', async () => {
    upstream.answer = echo;
    const first = await call('/hmac/x');
    assert.match(String(first.body), /"x-signature":"\[REDACTED\]"/);
    const signature = String(upstream.received[0]!.headers['x-signature']);
    upstream.answer = (_request, response) => response.end(signature);
    assert.equal((await call('/hmac/y')).body, signature);
  });
});
