/** Signature Version 4, judged by the implementation of the AWS SDK for JavaScript. */
import assert from 'node:assert/strict';
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { test } from 'node:test';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { propertyRuns } from '../../../test/support/property-runs.ts';
import type { OutboundRequest } from '../request/request.ts';
import { signAwsSigV4 } from './aws-sigv4.ts';

const CREDENTIALS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};
const NOW_MS = Date.UTC(2026, 10, 19, 1, 2, 3, 456);

class Sha256 {
  readonly #hash: Hash | Hmac;
  constructor(secret?: unknown) {
    this.#hash =
      secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Uint8Array);
  }
  update(data: unknown): void {
    this.#hash.update(data as Uint8Array);
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {}
}

async function judged(request: OutboundRequest, service: string, sessionToken?: string) {
  const credentials = { ...CREDENTIALS, sessionToken, region: 'eu-central-1', service };
  const signed = signAwsSigV4(request, credentials, NOW_MS);
  const ours = headersOf(signed.request);
  const url = new URL(`https://bucket.example.com:8443${signed.request.path}`);
  const names = [...new Set(url.searchParams.keys())];
  const query = Object.fromEntries(names.map((name) => [name, url.searchParams.getAll(name)]));
  const signer = new SignatureV4({
    credentials: { ...CREDENTIALS, ...(sessionToken && { sessionToken }) },
    ...{ region: 'eu-central-1', service, sha256: Sha256, uriEscapePath: service !== 's3' },
    applyChecksum: service === 's3',
  });
  const expected = await signer.sign(
    {
      ...{ method: request.method, protocol: 'https:', hostname: 'bucket.example.com', port: 8443 },
      path: signed.request.path.split('?')[0]!,
      query,
      headers: { ...headersOf(request), host: 'bucket.example.com:8443' },
      body: request.body ?? '',
    },
    // Ours are excluded, since a proxy may change them.
    { signingDate: new Date(NOW_MS), unsignableHeaders: new Set(['accept', 'accept-encoding']) },
  );
  assert.equal(ours.authorization, expected.headers.authorization);
  for (const name of ['x-amz-date', 'x-amz-content-sha256', 'x-amz-security-token']) {
    assert.equal(ours[name], expected.headers[name], name);
  }
  assert.ok(ours.authorization!.endsWith(`Signature=${signed.signature}`));
}

function headersOf({ headers }: OutboundRequest): Record<string, string> {
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]!]] : []));
  return Object.fromEntries(pairs);
}

const requestWith = (fields: Partial<OutboundRequest>): OutboundRequest => ({
  ...{ method: 'GET', scheme: 'https', host: 'bucket.example.com', port: 8443, path: '/' },
  ...{ headers: ['accept', '*/*', 'accept-encoding', 'identity'], body: undefined },
  ...fields,
});

const text = fc.string({ unit: 'binary', maxLength: 8 }).filter((value) => value.isWellFormed());
/** As a URL parser leaves it: some characters escaped, others not. */
const segment = text.map(
  (value) => new URL(`https://h/${value.replace(/[/?#\\]/g, '+')}`).pathname,
);
const parameter = fc
  .tuple(text, text)
  .map(([name, value]) => new URLSearchParams([[name, value]]).toString());
const header = fc
  .tuple(
    fc.stringMatching(/^x-amz-meta-[a-z]{1,5}$/),
    fc.stringMatching(/^[!-~]([ -~]{0,9}[!-~])?$/),
  )
  .map((pair) => pair as [string, string]);

for (const service of ['s3', 'execute-api', 'dynamodb']) {
  test(`${service}: any path, query, header and body is signed as the SDK signs it`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(segment, { maxLength: 4 }),
        fc.array(parameter, { maxLength: 4 }),
        fc.uniqueArray(header, { maxLength: 3, selector: ([name]) => name }),
        fc.option(text, { nil: undefined }),
        fc.option(fc.stringMatching(/^[\w+/=]{8,40}$/), { nil: undefined }),
        async (segments, parameters, headers, body, sessionToken) => {
          const path = segments.join('') || '/';
          const query = parameters.join('&');
          const request = requestWith({
            method: body === undefined ? 'GET' : 'PUT',
            path: query === '' ? path : `${path}?${query}`,
            headers: ['content-type', 'text/plain', ...headers.flat()],
            body,
          });
          await judged(request, service, sessionToken);
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  });
}

test('what is signed is what is sent: escapes of a URL parser are made canonical', () => {
  const path = "/a b(1)*'!/%c3%a9/%2f/%FF?b=1&a=x+y&a=%2B&flag&=v";
  const { request } = signAwsSigV4(
    requestWith({ path }),
    { ...CREDENTIALS, sessionToken: undefined, region: 'r', service: 's3' },
    NOW_MS,
  );
  assert.equal(request.path, '/a%20b%281%29%2A%27%21/%C3%A9/%2F/%FF?=v&a=%2B&a=x%20y&b=1&flag=');
});
