/**
 * Real scanners, as Debian packages them, against the decoys on loopback: what they find is the
 * decoys, and only those. Needs `apt-get install ffuf gobuster dirb wfuzz whatweb`.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { CORPUS } from '../../src/decoys/catalogue.ts';
import { startDecoys, type TestDecoys } from '../decoys/support.ts';

const run = promisify(execFile);
const COMMON = '/usr/share/dirb/wordlists/common.txt';
/** What a word list of our time holds beside the common words. */
const WORDS = [
  ...CORPUS.filter(({ method }) => method === 'GET').map(({ target }) => target.slice(1)),
  'sse',
];

let decoys: TestDecoys;
let directory: string;
let words: string;
before(async () => {
  decoys = await startDecoys();
  directory = mkdtempSync(join(tmpdir(), 'decoys-scan-'));
  words = join(directory, 'words.txt');
  const common = readFileSync(COMMON, 'latin1').split('\n').filter(Boolean);
  writeFileSync(words, [...common, ...WORDS].join('\n'), 'latin1');
});
after(async () => {
  await decoys.close();
  rmSync(directory, { recursive: true, force: true });
});

const scan = (program: string, args: readonly string[]) =>
  run(program, args, { cwd: directory, maxBuffer: 64 * 1024 * 1024, timeout: 300_000 });
const sorted = (paths: Iterable<string>) => [...new Set(paths)].sort();
const EXPECTED = sorted(WORDS.map((word) => `/${word}`));
/** Some scanners do not tell the query of what they found. */
const EXPECTED_PATHS = sorted(EXPECTED.map((path) => path.replace(/\?.*/, '')));

test('ffuf finds the decoys and nothing else', async () => {
  const out = join(directory, 'ffuf.json');
  await scan('ffuf', [
    '-u',
    `${decoys.url}/FUZZ`,
    '-w',
    words,
    '-mc',
    'all',
    '-fc',
    '404',
    '-of',
    'json',
    '-o',
    out,
    '-s',
    '-t',
    '20',
  ]);
  const { results } = JSON.parse(readFileSync(out, 'utf8'));
  assert.deepEqual(
    sorted(results.map(({ input }: { input: { FUZZ: string } }) => `/${input.FUZZ}`)),
    EXPECTED,
  );
});

test('gobuster finds the decoys and nothing else', async () => {
  const { stdout } = await scan('gobuster', [
    'dir',
    '-u',
    decoys.url,
    '-w',
    words,
    '-b',
    '404',
    '-q',
    '-z',
    '-t',
    '20',
    '--no-color',
  ]);
  const found = stdout
    .split('\n')
    .flatMap((line) => /(\/\S+)\s+\(Status: \d+\)/.exec(line)?.[1] ?? []);
  assert.deepEqual(sorted(found), EXPECTED);
});

test('dirb finds the decoys and nothing else', async () => {
  const { stdout } = await scan('dirb', [decoys.url, words, '-r', '-S', '-w']);
  const found = stdout
    .split('\n')
    .flatMap((line) => /^\+ http:\/\/[^/]+(\/\S+) \(CODE:/.exec(line)?.[1] ?? []);
  assert.deepEqual(sorted(found.map((path) => path.replace(/\?.*/, ''))), EXPECTED_PATHS);
});

test('wfuzz finds the decoys and nothing else', async () => {
  const out = join(directory, 'wfuzz.json');
  await scan('wfuzz', [
    '-z',
    `file,${words}`,
    '--hc',
    '404',
    '-f',
    `${out},json`,
    '-t',
    '20',
    `${decoys.url}/FUZZ`,
  ]);
  const results: { payload: string }[] = JSON.parse(readFileSync(out, 'utf8'));
  assert.deepEqual(sorted(results.map(({ payload }) => `/${payload}`)), EXPECTED);
});

test('whatweb recognises no software', async () => {
  const out = join(directory, 'whatweb.json');
  const targets = ['/', '/v1/models', '/.claude/settings.json', '/sse'].map(
    (path) => decoys.url + path,
  );
  await scan('whatweb', ['-q', '--color=never', '-a', '3', `--log-json=${out}`, ...targets]);
  const reports: { plugins: Record<string, unknown> }[] = JSON.parse(readFileSync(out, 'utf8'));
  const harmless = new Set(['Country', 'IP', 'UncommonHeaders', 'Title', 'Email']);
  const recognised = reports.flatMap(({ plugins }) => Object.keys(plugins));
  assert.ok(reports.length >= targets.length);
  assert.deepEqual(sorted(recognised.filter((plugin) => !harmless.has(plugin))), []);
});

test('every find has its line, with the tag of its decoy', () => {
  const tags = sorted(decoys.lines().map(({ tag }) => String(tag)));
  assert.deepEqual(tags, sorted(CORPUS.map(({ tag }) => tag)));
});
