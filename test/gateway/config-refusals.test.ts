/** What the configuration file may not hold: one problem for each mistake, and no secret in it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readWith } from './config-file.ts';

const MIB = 1_048_576;
const long = (count: number) => 'a'.repeat(count);

const refused: [what: string, parts: Parameters<typeof readWith>[0], problem: RegExp][] = [
  [
    'a listen address without a colon',
    { server: { listen: '2019' } },
    /server\.listen: "2019" is not a listen address/,
  ],
  ['a port that is none', { server: { listen: ':65536' } }, /":65536" is not a listen address/],
  [
    'a listen address that is a number',
    { server: { listen: 2019 } },
    /must be a listen address such as .*, not 2019$/,
  ],
  [
    'no public_url',
    { server: { public_url: undefined } },
    /^1: server: public_url is missing; set server\.public_url to an absolute/,
  ],
  [
    'a public_url with a path',
    { server: { public_url: 'https://a.example/gw' } },
    /"https:\/\/a\.example\/gw" is not an absolute http or https URL without path/,
  ],
  [
    'a public_url with a query',
    { server: { public_url: 'https://a.example/?' } },
    /is not an absolute/,
  ],
  ['a relative public_url', { server: { public_url: '//a.example' } }, /is not an absolute/],
  [
    'a public_url with a tab',
    { server: { public_url: 'https://a\t.example' } },
    /is not an absolute/,
  ],
  [
    'a response cap over 1 TiB',
    { server: { max_response_bytes: MIB * MIB + 1 } },
    /must be a whole number from 1 to 1099511627776, not 1099511627777/,
  ],
  ['a fraction of a byte', { server: { max_response_bytes: 1.5 } }, /not 1\.5/],
  [
    'a duration without a unit',
    { server: { request_timeout: '30' } },
    /"30" is not a duration such as "30s"/,
  ],
  ['no time at all', { target: { timeout: '0s' } }, /"0s" is not a duration/],
  ['a negative duration', { target: { timeout: '-1s' } }, /"-1s" is not a duration/],
  [
    'a duration no timer reaches',
    { server: { request_timeout: '1000h' } },
    /"1000h" is not a duration .*, at most 596h/,
  ],
  [
    'a lifetime of more than ten years',
    { server: { token_ttl: '99999h' } },
    /"99999h" is not a duration .*, at most 87600h/,
  ],
  ['a rate of none', { target: { rate_limit: '0/s' } }, /"0\/s" is not a rate such as "10\/s"/],
  ['a rate per day', { target: { rate_limit: '10/d' } }, /"10\/d" is not a rate/],
  [
    'a network with too many bits',
    { server: { allow_networks: ['10.0.0.0/33'] } },
    /server\.allow_networks\[0\]: "10\.0\.0\.0\/33" is not a network/,
  ],
  [
    'every peer as a trusted proxy',
    { server: { trusted_proxies: ['0.0.0.0/0'] } },
    /server\.trusted_proxies\[0\]: "0\.0\.0\.0\/0" would let every client forge its address/,
  ],
  [
    'a trusted proxy that is no network',
    { server: { trusted_proxies: ['proxy.example'] } },
    /"proxy\.example" is not a network such as/,
  ],
  [
    'an origin with a path',
    { server: { allowed_origins: ['https://a.example/x'] } },
    /is not an origin/,
  ],
  [
    'metrics without a key',
    { server: { metrics: {} } },
    /server\.metrics: key is missing; metrics are never served without one/,
  ],
  [
    'a metrics key of 15 characters',
    { server: { metrics: { key: long(15) } } },
    /server\.metrics\.key: must have at least 16 characters/,
  ],
  [
    'a metrics key with a space',
    { server: { metrics: { key: 'two words of a key' } } },
    /server\.metrics\.key: must be visible ASCII without spaces, since it is sent as a bearer/,
  ],
  ['a name of 65 characters', { user: { name: long(65) } }, /is not a name of 1 to 64 letters/],
  ['an empty name', { user: { name: '' } }, /"" is not a name/],
  ['a name with a line break', { user: { name: 'a\n' } }, /"a…" is not a name/],
  [
    'no password',
    { user: { password: undefined } },
    /users\[0\]: password is missing; make one with the hashpw command/,
  ],
  ['an empty password', { user: { password: '' } }, /password: is empty/],
  [
    'a password that is a number',
    { user: { password: 12345678 } },
    /password: must be text, not a number; put it into quotes/,
  ],
  [
    'a malformed hash',
    { user: { password: 'bcrypt:$2b$12$short' } },
    /the bcrypt hash is malformed; make one/,
  ],
  [
    'a hash too costly to check',
    { user: { password: `bcrypt:$2b$31$${long(53)}` } },
    /the bcrypt hash is malformed/,
  ],
  [
    'a secret of more than 16 KiB',
    { user: { secrets: { a: long(16_385) } } },
    /secrets\.a: has 16385 characters; the maximum of a secret is 16384/,
  ],
  [
    'a secret name with a dash',
    { user: { secrets: { 'a-b': 'x' } } },
    /secrets\.a-b: is not a name of 1 to 64 letters, digits and underscores/,
  ],
  [
    'a secret name of 65 characters',
    { user: { secrets: { [long(65)]: 'x' } } },
    /is not a name of/,
  ],
  [
    'a hash as a secret',
    { user: { secrets: { a: 'bcrypt:x' } } },
    /a bcrypt hash cannot serve as a secret/,
  ],
  ['a target without an id', { target: { id: undefined } }, /targets\[0\]: id is missing/],
  [
    'an id with a line break',
    { target: { id: 'a\nb' } },
    /"a…" is not an id of 1 to 256 printable/,
  ],
  [
    'a target without a description',
    { target: { description: undefined } },
    /description is missing/,
  ],
  ['a blank description', { target: { description: ' ' } }, /description: " " is not text/],
  ['a target without a base_url', { target: { base_url: undefined } }, /base_url is missing/],
  [
    'another scheme',
    { target: { base_url: 'ftp://a.example' } },
    /must begin with http:\/\/ or https:\/\//,
  ],
  [
    'a query',
    { target: { base_url: 'https://a.example/?key=hidden' } },
    /"https:\/\/a\.example\/\?…" must have no query and no fragment/,
  ],
  [
    'an empty fragment',
    { target: { base_url: 'https://a.example/#' } },
    /must have no query and no fragment/,
  ],
  [
    'user info',
    { target: { base_url: 'https://u:hidden@a.example/' } },
    /"https:\/\/\[REDACTED\]@a\.example\/" cannot be a base URL: /,
  ],
  ['traversal', { target: { base_url: 'https://a.example/a/%2e%2e/b' } }, /cannot be a base URL: /],
  [
    'a host with a trailing dot',
    { target: { base_url: 'https://a.example./' } },
    /must not end in a dot/,
  ],
  [
    'an unknown method',
    { target: { methods: ['CONNECT'] } },
    /methods\[0\]: "CONNECT" is not one of GET, HEAD/,
  ],
  ['no method', { target: { methods: [] } }, /methods: must not be empty/],
  ['no path', { target: { paths: [] } }, /paths: must not be empty/],
  ['methods that are no list', { target: { methods: 'GET' } }, /methods: must be a list, not text/],
  [
    'a pattern that starts nowhere',
    { target: { paths: ['v1/**'] } },
    /"v1\/\*\*" is not a path pattern: it must begin with \//,
  ],
  [
    '** within a segment',
    { target: { paths: ['/a**'] } },
    /\*\* is valid only as a complete segment/,
  ],
  [
    'a pattern outside the base path',
    paths('/v1', ['/v2/**']),
    /"\/v2\/\*\*" matches nothing under base_url; patterns start at the root, such as "\/v1\/\*\*"/,
  ],
  [
    'a pattern with an escape, which no decoded path contains',
    { target: { approve: { paths: ['/admin%20area/**'] } } },
    /"\/admin%20area\/\*\*" is not a path pattern: it is compared with the decoded path; write the character, not %20/,
  ],
  ['a pattern above the base path', paths('/v1/x', ['/v1']), /matches nothing under base_url/],
  [
    'an injected header that frames the request',
    { target: { inject: { headers: { 'Content-Length': '1' } } } },
    /the header Content-Length is set by the gateway/,
  ],
  [
    'a header twice',
    { target: { inject: { headers: { 'X-A': 'a', 'x-a': 'b' } } } },
    /the header x-a is defined twice; names are case-insensitive/,
  ],
  [
    'a line break in a literal header',
    { target: { inject: { headers: { 'X-A': 'a\nb' } } } },
    /the template has a line break or control character/,
  ],
  [
    'a secret with a line break in a header',
    lineBreak('a\r\nb'),
    /the secret s has a line break or control character, which a header cannot carry/,
  ],
  [
    'a secret with a NUL in a header',
    lineBreak('a\0b'),
    /the secret s has a line break or control character/,
  ],
  [
    'an unknown secret',
    { target: { inject: { query: { k: ref('tokn') } } } },
    /there is no secret for \$\{tokn\}; this user has no secrets$/,
  ],
  ['an empty template', { target: { inject: { query: { k: '' } } } }, /inject\.query\.k: is empty/],
  [
    '$.__proto__',
    { target: { inject: { body: { '$.__proto__.a': 'x' } } } },
    /\$\.__proto__\.a: is not a JSON path: it must not contain __proto__/,
  ],
  [
    '$.constructor',
    { target: { inject: { body: { '$.constructor': 'x' } } } },
    /it must not contain constructor/,
  ],
  [
    'a path without $',
    { target: { inject: { body: { 'a.b': 'x' } } } },
    /it must have the form \$\.a\.b/,
  ],
  [
    'a field within a field that is text',
    { target: { inject: { body: { '$.a.b': 'x', '$.a': 'y' } } } },
    /\$\.a: overlaps another injected field/,
  ],
  [
    'an unknown key of the server',
    { server: { lisen: 1 } },
    /server\.lisen: unknown key \(did you mean "listen"\?\); known are listen, /,
  ],
  [
    'an unknown key of a user',
    { user: { admin: true } },
    /users\[0\]\.admin: unknown key; known are name, /,
  ],
  [
    'an unknown key of a target',
    { target: { path: [] } },
    /targets\[0\]\.path: unknown key \(did you mean "paths"\?\)/,
  ],
  [
    'an unknown key of inject',
    { target: { inject: { header: {} } } },
    /inject\.header: unknown key \(did you mean "headers"\?\)/,
  ],
  [
    'allow_any as text',
    { user: { allow_any: 'true' } },
    /allow_any: must be true or false, not "true"/,
  ],
];
for (const [what, parts, problem] of refused) {
  test(`refused: ${what}`, () => {
    const { config, problems } = readWith(parts);
    assert.equal(config, undefined);
    assert.equal(problems.length, 1, problems.join('\n'));
    assert.match(problems[0]!, problem);
    assert.doesNotMatch(problems[0]!, /hidden/);
  });
}

/** docs/gateway.md and the list of attacks: a private base_url in any notation is refused at load. */
const privateHosts = [
  '127.0.0.1 127.1 2130706433 0x7f.1 0x7f000001 0177.0.0.1 0 0.0.0.0 10.0.0.1 172.16.0.1',
  '172.31.255.255 192.168.0.1 169.254.1.1 100.64.0.1 224.0.0.1 255.255.255.255 198.18.0.1',
  '[::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::7f00:1] [64:ff9b::7f00:1] [2002:7f00:1::]',
  '[fd00::1] [fe80::1] [ff02::1] localhost LOCALHOST a.localhost １２７.０.０.１ 127。0。0。1',
].flatMap((row) => row.split(' '));
for (const host of privateHosts) {
  test(`refused: the base URL http://${host}:8080/x`, () => {
    const { problems } = readWith({ target: { base_url: `http://${host}:8080/x` } });
    assert.equal(problems.length, 1);
    assert.match(
      problems[0]!,
      /leads to a [a-z-]+ address, which is blocked; if you mean it, open/,
    );
  });
}
for (const host of ['169.254.169.254', '[fd00:ec2::254]', '100.100.100.200', '0xa9fea9fe']) {
  test(`refused even when every network is opened: http://${host}/`, () => {
    const { problems } = readWith({
      server: { allow_networks: ['0.0.0.0/0', '::/0'] },
      target: { base_url: `http://${host}/` },
    });
    assert.match(problems[0]!, /leads to a metadata address, which is never allowed/);
  });
}

function paths(basePath: string, patterns: string[]): Parameters<typeof readWith>[0] {
  return { target: { base_url: `https://api.example.com${basePath}`, paths: patterns } };
}

function ref(name: string): string {
  return `\${${name}}`;
}

function lineBreak(value: string): Parameters<typeof readWith>[0] {
  const inject = { headers: { 'X-A': `Bearer ${ref('s')}` } };
  const target = { id: 't', description: 'd', base_url: 'https://a.example', inject };
  return { user: { secrets: { s: value }, targets: [target] } };
}
