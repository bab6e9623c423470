/**
 * All of it at once: awkward secrets, injected in three ways, reflected in every form
 * and at every place. Afterwards everything the gateway answered and wrote is searched.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { formsOf } from '../../src/core/redactor/forms.ts';
import { Secret } from '../../src/core/secrets/secret.ts';
import { callTool, linesOf, signIn, startGateway } from '../support/gateway/gateway.ts';
import { startRecordingProxy } from '../support/gateway/recording-proxy.ts';
import { AWKWARD, formsWritten, TraceFinder, traces } from '../support/gateway/secret-forms.ts';
import { PASSWORD, PASSWORD_HASH } from '../support/gateway/signed-in.ts';
import { type Received, startUpstream } from '../support/http/upstream.ts';
import { isLongRun } from '../support/property-runs.ts';

const KEY = 'gh_key-of-the-leak-matrix-0000000000000';

/** How the secret reaches the upstream. */
const WAYS = ['header', 'query', 'body'] as const;
type Way = (typeof WAYS)[number];

const INJECT: Record<Way, (name: string) => object> = {
  header: (name) => ({ headers: { 'X-Key': `Bearer \${${name}}` } }),
  query: (name) => ({ query: { key: `\${${name}}` } }),
  body: (name) => ({ body: { '$.auth.key': `\${${name}}` } }),
};

const fitsHeader = (value: string | Buffer) =>
  /^[\x20-\x7e\x80-\xff]*$/.test(Buffer.from(value as string).toString('latin1'));
const waysOf = (value: string) => WAYS.filter((way) => way !== 'header' || fitsHeader(value));
/** All ways in the long run; else one in turns, so that every secret and every place has each. */
const triedWays = (value: string, place: number) => {
  const ways = waysOf(value);
  const turn = Object.values(AWKWARD).indexOf(value) + place;
  return isLongRun ? ways : [ways[turn % ways.length]!];
};

let token: string;

const upstream = await startUpstream(reflect);
const targets = Object.entries(AWKWARD).flatMap(([name, value]) =>
  waysOf(value).map((way) => ({
    ...{ id: `${name}-${way}`, description: 'd', base_url: upstream.url },
    ...{ methods: ['POST'], paths: [`/${name}/${way}/*`] },
    inject: INJECT[way](name),
  })),
);
const gateway = await startGateway({
  config: JSON.stringify({
    server: { allow_networks: ['127.0.0.0/8'] },
    users: [
      {
        ...{ name: 'alice', password: PASSWORD_HASH, secrets: AWKWARD, targets },
        keys: [{ name: 'door', key: KEY }],
      },
    ],
  }),
  env: { GATEWAY_LOG_LEVEL: 'debug' },
});
const proxy = await startRecordingProxy(gateway.port);
({ accessToken: token } = await signIn(proxy.url, 'alice', PASSWORD));
after(async () => {
  await proxy.close();
  await gateway.stop();
  await upstream.close();
});

/** Takes the secret out of the request, as it was injected, and answers with all its forms. */
function reflect(request: Received, response: ServerResponse): void {
  const [, name, way, place] = request.url.split('?')[0]!.split('/');
  const value = injectedValue(request, way as Way);
  assert.equal(value, AWKWARD[name!], `${name} was not injected by ${way}`);
  PLACES[place!]!(value, response);
}

function injectedValue({ url, headers, body }: Received, way: Way): string {
  switch (way) {
    case 'header':
      return Buffer.from(String(headers['x-key']), 'latin1').toString('utf8').slice(7);
    case 'query':
      return new URLSearchParams(url.split('?')[1]).get('key')!;
    case 'body':
      return JSON.parse(body).auth.key;
  }
}

const document = (value: string) =>
  Buffer.concat(
    formsWritten(value).flatMap(([name, form]) => [Buffer.from(`\n(${name}) `), form, LINE]),
  );
const LINE = Buffer.from(' .\n');
/** Answers with more than 64 KiB of headers are refused, so the longest forms stay out of them. */
const headerForms = (value: string) =>
  formsWritten(value)
    .map(([, form]) => form)
    .filter((form) => fitsHeader(form) && form.length < 900)
    .map((form) => form.toString('latin1'));

const PLACES: Record<string, (value: string, response: ServerResponse) => void> = {
  body: (value, response) => response.end(document(value)),
  'known-forms': (value, response) => {
    const forms = formsOf(new Secret('s', value)).flatMap((form) => [Buffer.from(form), LINE]);
    response.end(Buffer.concat(forms));
  },
  compressed: (value, response) => {
    response.setHeader('content-encoding', 'gzip');
    response.end(gzipSync(document(value)));
  },
  pieces: (value, response) => {
    const bytes = document(value);
    for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
    response.end();
  },
  events: (value, response) => {
    response.setHeader('content-type', 'text/event-stream');
    for (const [name, form] of formsWritten(value)) {
      const lines = form.toString('latin1').split(/\r?\n/).join('\n');
      response.write(Buffer.from(`event: ${name}\ndata: ( ${lines} )\n\n`, 'latin1'));
    }
    response.end();
  },
  error: (value, response) => {
    response.statusCode = 500;
    response.statusMessage = 'Failed';
    response.end(document(value));
  },
  header: (value, response) => {
    const forms = headerForms(value);
    for (const [index, form] of forms.entries()) response.setHeader(`x-${index}`, `( ${form} )`);
    response.setHeader('x-all', forms);
    response.setHeader('set-cookie', forms);
    response.end();
  },
  location: (value, response) => {
    response.statusCode = 302;
    response.setHeader(
      'location',
      headerForms(value).map((form) => `https://h/?k=${form}`),
    );
    response.end();
  },
  'header-name': (value, response) => {
    for (const form of headerForms(value)) {
      if (/^[\w!#$%&'*+.^`|~-]+$/.test(form)) response.setHeader(`x-${form}-y`, '1');
    }
    response.end();
  },
};

/** The same request through the HTTP door: the whole answer, headers and body. */
async function throughDoor(name: string, way: Way, place: string): Promise<Buffer> {
  const path = `/via/${name}-${way}/${name}/${way}/${place}`;
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
  const request = { method: 'POST', body: '{}', headers, redirect: 'manual' } as const;
  const response = await fetch(`${proxy.url}${path}`, request);
  const body = Buffer.from(await response.arrayBuffer());
  const sent = [...response.headers].flat().map((text) => Buffer.from(text, 'latin1'));
  const plain = Buffer.concat([body, ...sent]);
  shown.push(plain);
  return plain;
}

/** Everything shown to the model, strings unescaped and base64 decoded. */
const shown: Buffer[] = [];

describe('reflected in every form', () => {
  for (const [name, value] of Object.entries(AWKWARD)) {
    for (const [at, place] of Object.keys(PLACES).entries()) {
      test(`the secret "${name}" does not come through: ${place}`, async () => {
        const finder = new TraceFinder(traces(value));
        for (const way of triedWays(value, at)) {
          const outcome = await callTool(proxy.url, token, 'http_request', {
            ...{ url: `${upstream.url}/${name}/${way}/${place}`, method: 'POST', body: '{}' },
          });
          assert.equal(outcome.isError, false, outcome.raw);
          assert.equal(outcome.value.truncated, false, 'all of it is searched');
          const { body, headers, body_encoding: encoding } = outcome.value;
          const plain = Buffer.concat([
            Buffer.from(body as string, encoding === 'base64' ? 'base64' : 'utf8'),
            Buffer.from(JSON.stringify(headers)),
            ...Object.entries(headers as Record<string, string>)
              .flat()
              .map((text) => Buffer.from(text)),
          ]);
          shown.push(plain);
          assert.equal(finder.find(plain), undefined);
          assert.equal(finder.find(await throughDoor(name, way, place)), undefined);
        }
      });
    }
  }
});

describe('after all that', () => {
  const everyTrace = () =>
    new TraceFinder(
      Object.values(AWKWARD).flatMap((value) => [
        ...traces(value),
        ...formsOf(new Secret('s', value)).map((form) => Buffer.from(form).toString('latin1')),
      ]),
    );

  test('the search finds what it is meant to find', () => {
    const finder = everyTrace();
    for (const value of Object.values(AWKWARD)) {
      for (const [name, form] of formsWritten(value)) {
        const text = Buffer.concat([Buffer.from('before '), form, Buffer.from(' after')]);
        assert.ok(finder.find(text), `${name} of ${value}`);
      }
    }
  });

  test('no answer of the gateway holds a form of a secret, as bytes or as text', () => {
    const finder = everyTrace();
    const answers = proxy.answers();
    assert.ok(
      Buffer.concat(answers).includes('access_token'),
      'the answers of OAuth are among them',
    );
    for (const bytes of [...answers, ...shown]) assert.equal(finder.find(bytes), undefined);
  });

  test('and the audit lines name what was attached and count what was removed', async () => {
    const matrix = Object.values(AWKWARD).flatMap((value) =>
      Object.keys(PLACES).flatMap((_, at) => triedWays(value, at)),
    );
    const calls = 2 * matrix.length;
    const audits = await linesOf(gateway, ['request'], calls);
    assert.equal(audits.length, calls);
    for (const audit of audits) {
      assert.deepEqual(audit.injected, [String(audit.target).replace(/-\w+$/, '')]);
      const isName = String(audit.url).includes('header-name');
      assert.ok(isName || (audit.redacted as number) > 0, JSON.stringify(audit));
    }
  });

  test('nothing it wrote holds a form of a secret either', () => {
    const finder = everyTrace();
    assert.equal(finder.find(Buffer.from(gateway.stdout())), undefined);
    assert.equal(gateway.stderr(), '');
  });
});
