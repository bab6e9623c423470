import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  describeDestination,
  matchesRedirectUri,
  redirectUriProblem,
  withParameters,
} from './redirect-uri.ts';

const accepted = [
  'https://claude.ai/api/mcp/auth_callback',
  'https://app.example:8443/cb?tenant=a&b=c',
  'https://app.example',
  'http://127.0.0.1/callback',
  'http://127.0.0.1:33418/',
  'http://[::1]:8080/cb',
  'http://localhost:6274/oauth/callback',
  'http://localhost',
  'cursor://anysphere.cursor-retrieval/oauth/user-x/callback',
  'com.example.app:/oauth2redirect',
  'vscode://vendor.extension/cb',
];
for (const uri of accepted) {
  test(`may be registered: ${uri}`, () => assert.equal(redirectUriProblem(uri), undefined));
}

const refused = [
  '',
  '/callback',
  'callback',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'blob:https://a.example/x',
  'vbscript:x',
  'about:blank',
  'filesystem:https://a.example/x',
  'view-source:https://a.example/',
  'http://app.example/cb',
  'http://127.0.0.1.evil.example/cb',
  'http://localhost.evil.example/cb',
  'http://127.0.0.1@evil.example/cb',
  'http://localhost:80@evil.example/cb',
  'http://127.0.0.2/cb',
  'http://127.1/cb',
  'http://192.168.1.5/cb',
  'http://0.0.0.0/cb',
  'http://localhost:99999/cb',
  'http:/localhost/cb',
  'https:app.example/cb',
  'https:///app.example/cb',
  'https://',
  'https://user@app.example/cb',
  'https://@app.example/cb',
  'https://app.example/cb#',
  'https://app.example/cb#x',
  'cursor://a/b#c',
  'https://app.example\\@evil.example/',
  'https://app.example/a b',
  'https://app.example/\r\nX: y',
  'https://app.example/"><script>',
  'https://ünicode.example/',
  'https://app.example/\u202egpj',
  `https://app.example/${'a'.repeat(2_048)}`,
];
for (const uri of refused) {
  test(`may not be registered: ${JSON.stringify(uri.slice(0, 60))}`, () => {
    assert.equal(typeof redirectUriProblem(uri), 'string');
  });
}

const matches: [string, string, boolean][] = [
  ['https://a.example/cb', 'https://a.example/cb', true],
  ['https://a.example/cb', 'https://a.example/cb/', false],
  ['https://a.example/cb', 'https://a.example/CB', false],
  ['https://a.example/cb', 'https://A.example/cb', false],
  ['https://a.example/cb', 'https://a.example:443/cb', false],
  ['https://a.example/cb', 'https://a.example/cb?x=1', false],
  ['https://a.example/cb', 'https://a.example/cb%2f', false],
  ['https://a.example/cb', 'http://a.example/cb', false],
  ['https://a.example/cb', 'https://a.example.evil.example/cb', false],
  ['http://127.0.0.1:1/cb', 'http://127.0.0.1:65535/cb', true],
  ['http://127.0.0.1/cb', 'http://127.0.0.1:4000/cb', true],
  ['http://127.0.0.1:4000/cb', 'http://127.0.0.1/cb', true],
  ['http://[::1]/cb', 'http://[::1]:4000/cb', true],
  ['http://localhost:1/cb?a=1', 'http://localhost:2/cb?a=1', true],
  ['http://localhost:1/cb?a=1', 'http://localhost:2/cb?a=2', false],
  ['http://localhost:1/cb', 'http://localhost:2/other', false],
  ['http://localhost/cb', 'http://127.0.0.1/cb', false],
  ['http://localhost/cb', 'https://localhost/cb', false],
  ['http://localhost/cb', 'http://localhost:1@evil.example/cb', false],
  ['http://localhost/cb', 'http://localhost:99999/cb', false],
  ['http://localhost', 'http://localhost.evil.example', false],
  ['cursor://a/cb', 'cursor://a:1/cb', false],
];
for (const [registered, presented, expected] of matches) {
  test(`${presented} ${expected ? 'is' : 'is not'} ${registered}`, () => {
    assert.equal(matchesRedirectUri(registered, presented), expected);
  });
}

test('whatever matches a registered URI leads to the same host', () => {
  const registered = 'http://localhost/cb';
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
      const presented = `http://localhost${text}`;
      if (matchesRedirectUri(registered, presented)) {
        assert.equal(new URL(presented).hostname, 'localhost');
        assert.equal(new URL(presented).pathname, '/cb');
      }
    }),
    { numRuns: 2_000 },
  );
});

test('parameters join the query that is there and are encoded', () => {
  assert.equal(
    withParameters('https://a.example/cb', { code: 'x' }),
    'https://a.example/cb?code=x',
  );
  assert.equal(
    withParameters('cursor://a/cb?k=v', { state: 'a b&c', iss: 'https://g.example' }),
    'cursor://a/cb?k=v&state=a+b%26c&iss=https%3A%2F%2Fg.example',
  );
});

const destinations: [string, string][] = [
  ['https://claude.ai/api/cb', 'claude.ai'],
  ['https://app.example:8443/cb', 'app.example:8443'],
  ['http://127.0.0.1:33418/', 'an app on this device (127.0.0.1:33418)'],
  ['cursor://x/cb', 'the app on this device that opens cursor: links'],
];
for (const [uri, words] of destinations) {
  test(`the page says that ${uri} leads to ${words}`, () => {
    assert.equal(describeDestination(uri), words);
  });
}
