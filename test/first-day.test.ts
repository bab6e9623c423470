/** What a new user types on the first day: each slip has an answer that says what to do. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { notesEnvironment } from './support/notes/notes.ts';
import { PASSWORD_HASH } from './support/oauth/password.ts';
import { entryOf } from './support/programs/entry.ts';
import { type ProgramProcess, runProgram, startProgram } from './support/programs/program.ts';

const ENTRIES = {
  gateway: entryOf('gateway'),
  notes: entryOf('notes'),
  decoys: entryOf('decoys'),
};
const directory = mkdtempSync(join(tmpdir(), 'first-day-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const config = (
  password: string,
  publicUrl = 'https://gateway.example.com',
  secret = 'literal:x',
) =>
  JSON.stringify({
    server: { public_url: publicUrl, listen: '127.0.0.1:0' },
    users: [{ name: 'ada', password, secrets: { token: secret } }],
  });

function written(text: string): string {
  const path = join(directory, 'config.yaml');
  writeFileSync(path, text);
  return path;
}

for (const [name, entry] of Object.entries(ENTRIES)) {
  test(`${name} -v shows the version`, async () => {
    const { code, stdout } = await runProgram(entry, ['-v']);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+`));
  });
}

const hash = PASSWORD_HASH.slice('bcrypt:'.length);
const weak: [what: string, password: string, url: string, said: RegExp][] = [
  ['a hash without its prefix', hash, 'https://x.example', /without its prefix .* write bcrypt: /],
  ['one letter', 'x', 'https://x.example', /fewer than 8 characters/],
  ['http:// on a public name', PASSWORD_HASH, 'http://x.example', /is not encrypted: .* https:/],
];
describe('what is allowed and surely not meant is a warning, in both programs', () => {
  for (const [what, password, url, said] of weak) {
    test(what, async () => {
      const ends = [
        await runProgram(ENTRIES.gateway, ['validate', written(config(password, url))]),
        await runProgram(ENTRIES.notes, ['validate'], {
          env: {
            ...notesEnvironment(directory),
            NOTES_PASSWORD: password,
            NOTES_PUBLIC_URL: url,
          },
        }),
      ];
      for (const { code, stderr } of ends) {
        assert.equal(code, 0);
        assert.match(stderr, said);
        assert.ok(!stderr.includes(hash));
      }
    });
  }
});

test('a path with ~ that a shell did not expand is explained wherever it may stand', async () => {
  const said = /~ is not expanded here, write the full path/;
  const secret = written(config('a long password', undefined, 'file:~/token'));
  const tilde = { ...notesEnvironment('~/notes') };
  const rows: [string, string[], Record<string, string>][] = [
    [ENTRIES.gateway, ['validate', secret], {}],
    [ENTRIES.gateway, ['validate', '~/gateway.yaml'], {}],
    [ENTRIES.notes, ['validate'], { ...notesEnvironment(directory), NOTES_PASSWORD: 'file:~/p' }],
    [ENTRIES.notes, ['validate'], tilde],
    [ENTRIES.notes, ['reindex'], tilde],
    [ENTRIES.decoys, [], { DECOYS_KEY: 'file:~/key' }],
  ];
  for (const [entry, words, env] of rows) {
    const { code, stdout, stderr } = await runProgram(entry, words, { env });
    assert.equal(code, 1);
    assert.match(stdout + stderr, said);
  }
});

test('a log that is not there or is a directory is said so in our own words', async () => {
  const rows: [string, string[]][] = [
    [ENTRIES.gateway, ['audit']],
    [ENTRIES.gateway, ['audit', '--html']],
    [ENTRIES.gateway, ['audit', '--follow']],
    [ENTRIES.decoys, ['report']],
    [ENTRIES.decoys, ['export', '--format', 'ips']],
  ];
  for (const [entry, words] of rows) {
    for (const [file, reason] of [
      ['/nope', 'there is no such file'],
      ['/', 'it is a directory; name a file'],
    ]) {
      const { code, stdout, stderr } = await runProgram(entry, [...words, file!]);
      assert.deepEqual([code, stdout], [1, ''], words.join(' '));
      assert.match(stderr, /^the \w+ lines cannot be read: [^\n]*\n$/);
      assert.ok(stderr.endsWith(`: "${file}": ${reason}\n`), stderr);
    }
  }
});

test('nothing is written but into the data directory', async () => {
  const places = ['home', 'tmp', 'data'].map((name) => join(directory, name));
  for (const place of places) mkdirSync(place);
  const [home, tmp, data] = places as [string, string, string];
  const outside = { HOME: home, TMPDIR: tmp, XDG_CACHE_HOME: home };
  const path = written(config('a long password'));
  const environments = {
    gateway: { GATEWAY_CONFIG: path },
    notes: { ...notesEnvironment(data), NOTES_GIT: 'true' },
    decoys: { DECOYS_LISTEN: '127.0.0.1:0' },
  };
  const began: ProgramProcess[] = [];
  for (const [name, env] of Object.entries(environments)) {
    const entry = ENTRIES[name as keyof typeof ENTRIES];
    began.push(await startProgram({ entry, env: { ...env, ...outside } }));
  }
  await began[1]!.line(({ event }) => event === 'index_ready');
  assert.deepEqual([readdirSync(home), readdirSync(tmp)], [[], []]);
  for (const program of began) assert.equal(await program.stop(), 0);
  await runProgram(ENTRIES.notes, ['reindex'], { env: { ...environments.notes, ...outside } });
  assert.deepEqual([readdirSync(home), readdirSync(tmp)], [[], []]);
  assert.deepEqual(readdirSync(data), ['.notes.lock', 'default']);
});
