/** Every variable, what it may hold, what it says when it holds something else, and what it hides. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { formatProblem } from '../core/config/problems.ts';
import { readNotesConfig } from './config.ts';

const BASE = {
  NOTES_PUBLIC_URL: 'https://notes.example.com',
  NOTES_USERNAME: 'ada',
  NOTES_PASSWORD: 'correct horse',
};
const KEY = 'key-of-16-letters';
const HASH = `$2b$04$${'a'.repeat(53)}`;
const directory = mkdtempSync(join(tmpdir(), 'notes-config-'));
after(() => rmSync(directory, { recursive: true, force: true }));
const file = (name: string, text: string) => {
  writeFileSync(join(directory, name), text);
  return `file:${join(directory, name)}`;
};

function configOf(env: Record<string, string> = {}) {
  const { config, problems } = readNotesConfig({ ...BASE, ...env });
  assert.deepEqual(problems.map(formatProblem), []);
  return config!;
}

function said(env: Record<string, string | undefined>): string[] {
  const { config, problems } = readNotesConfig({ ...BASE, ...env });
  assert.equal(config, undefined);
  return problems.map(formatProblem);
}

function warned(env: Record<string, string>): string[] {
  return readNotesConfig({ ...BASE, ...env }).warnings.map(formatProblem);
}

test('three variables are enough, and all others have their defaults', () => {
  const { password, secrets, loginRateLimit, ...rest } = configOf();
  assert.equal(password.kind, 'literal');
  assert.equal(secrets.length, 1);
  assert.equal(loginRateLimit.text, '10/m');
  assert.deepEqual(rest, {
    publicUrl: 'https://notes.example.com',
    username: 'ada',
    listen: { host: undefined, port: 2020, text: ':2020' },
    data: '/data',
    access: { policy: {}, hiddenTools: new Set() },
    defaultVault: 'default',
    isDefaultChosen: false,
    tokenTtlMs: 12 * 3_600_000,
    codeTtlMs: 60_000,
    trustedProxies: [],
    allowedOrigins: [],
    onTripwire: 'log',
    console: true,
    level: 'info',
  });
});

test('an empty variable is as good as none', () => {
  const empty = Object.fromEntries(
    ['NOTES_LISTEN', 'NOTES_DATA', 'NOTES_GIT', 'NOTES_METRICS', 'NOTES_METRICS_KEY'].map(
      (name) => [name, ''],
    ),
  );
  assert.equal(configOf(empty).listen.text, ':2020');
  assert.equal(configOf(empty).data, '/data');
  assert.deepEqual(said({ NOTES_USERNAME: '' }).length, 1);
});

test('git has an author, and a remote and a token where they are set', () => {
  const { git } = configOf({ NOTES_GIT: 'true' });
  assert.deepEqual(git, { author: { name: 'notes', email: 'notes@localhost' } });
  const full = configOf({
    NOTES_GIT: 'true',
    NOTES_GIT_REMOTE: 'https://git.example.com/{vault}.git',
    NOTES_GIT_TOKEN: file('token', 'ghp_token\n'),
    NOTES_GIT_AUTHOR: 'Ada',
    NOTES_GIT_EMAIL: 'ada@example.com',
  });
  assert.deepEqual(full.git?.author, { name: 'Ada', email: 'ada@example.com' });
  assert.equal(full.git?.remote, 'https://git.example.com/{vault}.git');
  assert.ok(full.git?.token?.equals('ghp_token'));
});

test('tools are switched off, or named alone, and folders are given that may be written', () => {
  const hidden = (NOTES_TOOLS: string) => [...configOf({ NOTES_TOOLS }).access.hiddenTools];
  assert.deepEqual(hidden('-vault_replace, -note_delete'), ['vault_replace', 'note_delete']);
  const only = hidden('note_read,note_search');
  assert.ok(only.includes('note_edit') && !only.includes('note_read'));
  assert.match(
    said({ NOTES_TOOLS: '-note_remove' })[0]!,
    /no tool "note_remove"; the tools are vault_list,/,
  );
  assert.match(
    said({ NOTES_TOOLS: 'note_read,-note_edit' })[0]!,
    /mixes tools with and without "-"/,
  );
  const { policy } = configOf({ NOTES_WRITE: 'Inbox/**, Journal/**' }).access;
  assert.deepEqual(policy, { folders: ['Inbox/**', 'Journal/**'] });
  assert.match(said({ NOTES_WRITE: '/etc/**' })[0]!, /the path is absolute/);
  assert.match(said({ NOTES_WRITE: '../**' })[0]!, /contains "\.\."/);
  assert.deepEqual(configOf({ NOTES_READONLY: 'true' }).access.policy, { readOnly: true });
  assert.match(warned({ NOTES_READONLY: 'true', NOTES_WRITE: 'x/**' })[0]!, /does nothing/);
});

describe('the password', () => {
  const rows: [what: string, value: string, kind: string, env?: Record<string, string>][] = [
    ['a literal', 'swordfish', 'literal'],
    ['a hash', `bcrypt:${HASH}`, 'bcrypt'],
    ['a file with a literal', file('password', 'swordfish\n'), 'literal'],
    ['a file with a hash', file('hash', `bcrypt:${HASH}\n`), 'bcrypt'],
    ['a variable', 'env:NOTES_PW', 'literal', { NOTES_PW: 'swordfish' }],
    ['a variable with a hash', 'env:PW', 'bcrypt', { PW: `bcrypt:${HASH}` }],
  ];
  for (const [what, value, kind, env = {}] of rows) {
    test(`may be ${what}`, () => {
      const { config, warnings } = readNotesConfig({ ...BASE, ...env, NOTES_PASSWORD: value });
      assert.equal(config?.password.kind, kind);
      assert.deepEqual(warnings, []);
    });
  }
});

test('a trailing newline in a key file is trimmed', () => {
  const env = { NOTES_METRICS: 'true', NOTES_METRICS_KEY: file('key', `${KEY}\n`) };
  assert.ok(configOf(env).metrics?.key.equals(KEY));
  const short = { ...env, NOTES_METRICS_KEY: file('short', `${'x'.repeat(15)}\n`) };
  assert.match(said(short)[0]!, /at least 16 characters/);
});

test('metrics are off by default, and on with a key, with or without a listener', () => {
  assert.equal(configOf().metrics, undefined);
  assert.equal(configOf({ NOTES_METRICS_KEY: KEY, NOTES_METRICS: 'false' }).metrics, undefined);
  const on = { NOTES_METRICS: 'true', NOTES_METRICS_KEY: KEY };
  assert.equal(configOf(on).metrics?.listen, undefined);
  assert.equal(configOf({ ...on, NOTES_METRICS_LISTEN: ':9090' }).metrics?.listen?.port, 9090);
  const host = { ...on, NOTES_METRICS_LISTEN: '127.0.0.1:9090' };
  assert.equal(configOf(host).metrics?.listen?.host, '127.0.0.1');
});

test('everything to be hidden is among what the log is cleaned of', () => {
  const { secrets } = configOf({
    NOTES_GIT: 'true',
    NOTES_GIT_TOKEN: 'git-token-value',
    NOTES_GIT_REMOTE: 'https://git.example.com/x.git',
    NOTES_METRICS: 'true',
    NOTES_METRICS_KEY: KEY,
    NOTES_DECOYS_KEY: 'decoys-key-of-16',
    NOTES_DECOYS_OLD_KEYS: 'decoys-key-old-1,decoys-key-old-2',
  });
  const hidden = [
    'correct horse',
    'git-token-value',
    KEY,
    'decoys-key-of-16',
    'decoys-key-old-1',
    'decoys-key-old-2',
  ];
  assert.equal(secrets.length, hidden.length);
  for (const [index, value] of hidden.entries()) assert.ok(secrets[index]?.equals(value), value);
});

/** The variables, and what is said of the one at fault. None of them may tell the value `hidden`. */
const refused: [what: string, env: Record<string, string | undefined>, said: RegExp][] = [
  [
    'no public URL',
    { NOTES_PUBLIC_URL: undefined },
    /NOTES_PUBLIC_URL: is missing; set it to an absolute http or https URL/,
  ],
  [
    'a public URL with a path',
    { NOTES_PUBLIC_URL: 'https://a.example/notes' },
    /"https:\/\/a\.example\/notes" is not an absolute/,
  ],
  [
    'a public URL with credentials',
    { NOTES_PUBLIC_URL: 'https://u:hidden@a.example' },
    /"https:\/\/\[REDACTED\]@a\.example" is not/,
  ],
  [
    'a public URL without a scheme',
    { NOTES_PUBLIC_URL: 'notes.example.com' },
    /"notes\.example\.com" is not an absolute/,
  ],
  ['no login name', { NOTES_USERNAME: undefined }, /NOTES_USERNAME: is missing/],
  [
    'a login name with a line break',
    { NOTES_USERNAME: 'a\nb' },
    /NOTES_USERNAME: "a…" is not a login name/,
  ],
  [
    'no password',
    { NOTES_PASSWORD: undefined },
    /NOTES_PASSWORD: is missing; make one with the hashpw command/,
  ],
  [
    'a malformed hash',
    { NOTES_PASSWORD: 'bcrypt:hidden' },
    /NOTES_PASSWORD: the bcrypt hash is malformed/,
  ],
  [
    'a password in a file that is not there',
    { NOTES_PASSWORD: 'file:/nowhere' },
    /NOTES_PASSWORD: the file "\/nowhere" cannot be read: there is no such file/,
  ],
  [
    'a password in a variable that is not set',
    { NOTES_PASSWORD: 'env:UNSET' },
    /the environment variable UNSET is not set or empty/,
  ],
  [
    'a listen address without a port',
    { NOTES_LISTEN: 'localhost' },
    /NOTES_LISTEN: "localhost" is not :port, host:port or \[v6\]:port/,
  ],
  ['git that is neither on nor off', { NOTES_GIT: 'yes' }, /NOTES_GIT: "yes" is not true or false/],
  [
    'a remote with a password',
    { NOTES_GIT_REMOTE: 'https://u:hidden@git.example/x' },
    /NOTES_GIT_REMOTE: the remote contains a password; set NOTES_GIT_TOKEN/,
  ],
  [
    'a remote with a token for a user',
    { NOTES_GIT_REMOTE: 'https://hidden@git.example/x' },
    /NOTES_GIT_REMOTE: holds a user name that may be a token/,
  ],
  [
    'a remote that is an option',
    { NOTES_GIT_REMOTE: '--upload-pack=hidden' },
    /the remote is not a URL/,
  ],
  [
    'a remote that is a command',
    { NOTES_GIT_REMOTE: 'ext::sh -c hidden' },
    /the remote is not a URL|not supported/,
  ],
  [
    'a token of two lines',
    {
      NOTES_GIT: 'true',
      NOTES_GIT_REMOTE: 'https://g.example/x',
      NOTES_GIT_TOKEN: 'hidden\nhidden',
    },
    /NOTES_GIT_TOKEN: holds a line break/,
  ],
  [
    'an author with a bracket',
    { NOTES_GIT_AUTHOR: 'Ada <x>' },
    /NOTES_GIT_AUTHOR: must be a plain text/,
  ],
  [
    'an author of nothing git keeps',
    { NOTES_GIT_EMAIL: ' . ' },
    /NOTES_GIT_EMAIL: must be a plain text/,
  ],
  [
    'metrics without a key',
    { NOTES_METRICS: 'true' },
    /NOTES_METRICS_KEY: is missing; metrics are never served without a key/,
  ],
  [
    'a short metrics key',
    { NOTES_METRICS: 'true', NOTES_METRICS_KEY: 'hidden' },
    /NOTES_METRICS_KEY: must have at least 16 characters/,
  ],
  [
    'a short metrics key while they are off',
    { NOTES_METRICS_KEY: 'hidden' },
    /NOTES_METRICS_KEY: must have at least 16 characters/,
  ],
  [
    'a metrics key with a space',
    { NOTES_METRICS: 'true', NOTES_METRICS_KEY: 'hidden hidden hidden' },
    /NOTES_METRICS_KEY: must be visible ASCII without spaces, since it is sent as a bearer token/,
  ],
  [
    'a metrics key with a space while they are off',
    { NOTES_METRICS_KEY: 'hidden hidden hidden' },
    /NOTES_METRICS_KEY: must be visible ASCII without spaces/,
  ],
  [
    'a hash as metrics key',
    { NOTES_METRICS: 'true', NOTES_METRICS_KEY: 'bcrypt:hidden' },
    /a bcrypt hash cannot serve as a secret/,
  ],
  [
    'a metrics listener without a port',
    { NOTES_METRICS: 'true', NOTES_METRICS_KEY: KEY, NOTES_METRICS_LISTEN: '9090' },
    /NOTES_METRICS_LISTEN: "9090" is not :port/,
  ],
  [
    'a metrics listener where the server listens',
    { NOTES_METRICS: 'true', NOTES_METRICS_KEY: KEY, NOTES_METRICS_LISTEN: '127.0.0.1:2020' },
    /NOTES_METRICS_LISTEN: 127.0.0.1:2020 is taken by NOTES_LISTEN; give it another port/,
  ],
  [
    'a short decoys key',
    { NOTES_DECOYS_KEY: 'hidden' },
    /NOTES_DECOYS_KEY: must have at least 16 characters/,
  ],
  [
    'a decoys key that no list could hold',
    { NOTES_DECOYS_KEY: 'hidden,and-longer-than-16' },
    /NOTES_DECOYS_KEY: has a comma, so it cannot be listed in NOTES_DECOYS_OLD_KEYS later/,
  ],
  [
    'a short old decoys key',
    { NOTES_DECOYS_KEY: KEY, NOTES_DECOYS_OLD_KEYS: `${KEY},hidden` },
    /NOTES_DECOYS_OLD_KEYS: must have at least 16/,
  ],
  [
    'every proxy',
    { NOTES_TRUSTED_PROXIES: '*' },
    /NOTES_TRUSTED_PROXIES: "\*" would let every client forge its address/,
  ],
  [
    'every address',
    { NOTES_TRUSTED_PROXIES: '10.0.0.0/8, 0.0.0.0/0' },
    /"0\.0\.0\.0\/0" would let every client forge/,
  ],
  ['a proxy by name', { NOTES_TRUSTED_PROXIES: 'proxy' }, /"proxy" is not a network such as/],
  [
    'a vault name with capitals',
    { NOTES_DEFAULT_VAULT: 'Notes' },
    /NOTES_DEFAULT_VAULT: "Notes" is not a vault name/,
  ],
  ['a vault name of 65 letters', { NOTES_DEFAULT_VAULT: 'n'.repeat(65) }, /is not a vault name/],
  [
    'a duration without a unit',
    { NOTES_TOKEN_TTL: '60' },
    /NOTES_TOKEN_TTL: "60" is not a duration/,
  ],
  [
    'a rate of nothing',
    { NOTES_LOGIN_RATE_LIMIT: '0/m' },
    /NOTES_LOGIN_RATE_LIMIT: "0\/m" is not a rate/,
  ],
  [
    'an origin with a path',
    { NOTES_ALLOWED_ORIGINS: 'https://a.example/x' },
    /NOTES_ALLOWED_ORIGINS: "https:\/\/a\.example\/x" is not an origin/,
  ],
  [
    'a level nobody knows',
    { NOTES_LOG_LEVEL: 'loud' },
    /NOTES_LOG_LEVEL: "loud" is not one of debug, info, warn, error/,
  ],
];
for (const [what, env, expected] of refused) {
  test(`refused: ${what}`, () => {
    const messages = said(env);
    assert.equal(messages.length, 1, messages.join('\n'));
    assert.match(messages[0]!, expected);
    assert.doesNotMatch(messages[0]!, /hidden/);
  });
}

test('all problems are reported at once', () => {
  const messages = said({ NOTES_PUBLIC_URL: '', NOTES_PASSWORD: '', NOTES_LOG_LEVEL: 'loud' });
  assert.equal(messages.length, 3);
});

const warnings: [what: string, env: Record<string, string>, said: RegExp | undefined][] = [
  [
    'a misspelt variable',
    { NOTES_PASWORD: 'x' },
    /^environment: NOTES_PASWORD: is not known here and does nothing \(did you mean "NOTES_PASSWORD"\?\)$/,
  ],
  [
    'a variable that resembles none',
    { NOTES_COLOUR_OF_THE_SKY: 'x' },
    /^environment: NOTES_COLOUR_OF_THE_SKY: is not known here and does nothing$/,
  ],
  [
    'a remote while git is off',
    { NOTES_GIT_REMOTE: 'https://g.example/x' },
    /NOTES_GIT_REMOTE: does nothing unless NOTES_GIT is true/,
  ],
  [
    'a token without a remote',
    { NOTES_GIT: 'true', NOTES_GIT_TOKEN: 'x' },
    /NOTES_GIT_TOKEN: does nothing unless NOTES_GIT_REMOTE is set/,
  ],
  [
    'a key while metrics are off',
    { NOTES_METRICS_KEY: KEY },
    /NOTES_METRICS_KEY: does nothing unless NOTES_METRICS is true/,
  ],
  [
    'old decoy keys without a key',
    { NOTES_DECOYS_OLD_KEYS: KEY },
    /NOTES_DECOYS_OLD_KEYS: does nothing unless NOTES_DECOYS_KEY is set/,
  ],
  [
    'nothing: what a cluster sets itself',
    { NOTES_PORT: 'tcp://10.0.0.1:2020', NOTES_SERVICE_HOST: '10.0.0.1', NOTES_PORT_2020_TCP: 'x' },
    undefined,
  ],
  ['nothing: variables of others', { NOTE: 'x', MY_NOTES_X: 'x' }, undefined],
  [
    'nothing: every variable that there is',
    { NOTES_DATA: '/d', NOTES_LISTEN: ':1', NOTES_ALLOWED_ORIGINS: 'https://a.example' },
    undefined,
  ],
];
for (const [what, env, expected] of warnings) {
  test(`warned of ${what}`, () => {
    const messages = warned(env);
    assert.equal(messages.length, expected ? 1 : 0, messages.join('\n'));
    if (expected) assert.match(messages[0]!, expected);
  });
}
