import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLog } from '../log/log.ts';
import { countTokens, maskedBeginning, maskTokens } from './mask.ts';
import { mayHoldToken } from './shape.ts';

const BARE = 'mfrggzdfmztwq2lknnwg23tpobyxe43u';
const LONG = `hp_live_${BARE}`;
const SHORT = 'AKIAQWERTYUIOPASDFGH';
const API_KEY = 'sk_live_honeypot42';
const TOKENS = [LONG, BARE, SHORT, API_KEY];

const percent = (text: string) =>
  [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
const escaped = (text: string) =>
  [...text].map((character) => `\\u00${character.charCodeAt(0).toString(16)}`).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const base64url = (text: string) => Buffer.from(text).toString('base64url');

const SPELLINGS: readonly [string, (token: string) => string][] = [
  ['as it is', (token) => token],
  ['in a path', (token) => `/x/${token}/y`],
  ['in a query', (token) => `a=1&t=${token}&b=2`],
  ['in upper case', (token) => token.toUpperCase()],
  ['in lower case', (token) => token.toLowerCase()],
  ['percent-encoded', percent],
  ['percent-encoded twice', (token) => percent(percent(token))],
  ['percent-encoded three times', (token) => percent(percent(percent(token)))],
  ['behind an encoded colon', (token) => `dsn=app%3A${token}%40db`],
  ['with the escapes of JSON', escaped],
  ['behind an escaped line break', (token) => `note\\n${token}`],
  ['in base64', (token) => base64(`user:${token}`)],
  ['in base64, second alignment', (token) => base64(`u:${token}`)],
  ['in base64, third alignment', (token) => base64(`us:${token}`)],
  ['in base64 within a path', (token) => `/api/v1/${base64url(token)}/x`],
  ['as a claim of a JWT', (token) => `eyJhbGciOiJub25lIn0.${base64url(`{"sub":"${token}"}`)}.`],
];

for (const [how, spell] of SPELLINGS) {
  test(`a honeytoken ${how} is masked`, () => {
    for (const token of TOKENS) {
      const masked = maskTokens(spell(token));
      assert.match(masked, /\[honeytoken\]/, spell(token));
      assert.ok(!masked.toLowerCase().includes(token.slice(-12).toLowerCase()), masked);
      assert.equal(mayHoldToken(masked), false, masked);
    }
  });
}

test('what is no honeytoken stays as it is', () => {
  for (const text of [
    '/index.php?a=%20b',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)',
    'sk_live_51HqJYz2eZvKYlo2C',
    'AKIAIOSFODNN7EXAMPLE1x'.slice(4),
    createHash('sha256').update('x').digest('hex'),
    createHash('md5').update('x').digest('hex'),
    '550e8400-e29b-41d4-a716-446655440000',
    'AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEf',
    'io.modelcontextprotocol/protocolVersion',
    '100%',
    '%41%42',
    `x${BARE}y`,
  ]) {
    assert.equal(maskTokens(text), text);
  }
  assert.equal(countTokens(`${LONG} ${SHORT} ${API_KEY} AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEf`), 3);
});

test('wherever a long text is cut, no part of a honeytoken is left at its end', () => {
  for (const token of [LONG, percent(percent(percent(LONG))), escaped(LONG), base64(LONG)]) {
    for (let before = 0; before < 2_000; before += 7) {
      const text = `${'/'.repeat(before)}${token}/${'z/'.repeat(1_200)}`;
      const shown = maskedBeginning(text, 512);
      assert.ok(shown.length <= 513);
      assert.doesNotMatch(shown, /mfrg|%25|%6|u006|aHBf|hp_/, `at ${before}`);
    }
  }
  assert.equal(maskedBeginning('p'.repeat(10_000), 512).length, 513);
  assert.equal(maskedBeginning('short', 512), 'short');
});

test('every text that is masked was told by the fast look at it', () => {
  const spelled = fc
    .tuple(fc.constantFrom(...TOKENS), fc.constantFrom(...SPELLINGS))
    .map(([token, [, spell]]) => spell(token));
  fc.assert(
    fc.property(fc.string(), spelled, fc.string(), (before, token, after) => {
      const text = `${before} ${token} ${after}`;
      assert.ok(mayHoldToken(text));
      assert.notEqual(maskTokens(text), text);
    }),
  );
});

test('no line of a log holds a honeytoken, in whichever field, and the rest is as it was', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', write: (line) => lines.push(line) });
  log.info('client_registered', {
    client_name: `Claude ${LONG}`,
    redirect_uris: [`https://a.test/${percent(BARE)}`],
    more: { [SHORT]: { deep: base64(`x:${LONG}`) } },
    n: 7,
  });
  const line = JSON.parse(lines[0]!);
  assert.deepEqual(
    { ...line, ts: '' },
    {
      ts: '',
      level: 'info',
      event: 'client_registered',
      client_name: 'Claude [honeytoken]',
      redirect_uris: ['https://a.test/[honeytoken]'],
      more: { '[honeytoken]': { deep: '[honeytoken]' } },
      n: 7,
    },
  );
});
