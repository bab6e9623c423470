/** What the page tells of thefts, whatever else is in the log. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { hitLine, logOf, runDecoys } from '../support/decoys/run-decoys.ts';

let directory: string;
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'decoys-report-'));
});
after(() => rmSync(directory, { recursive: true, force: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const RECEIVER = '203.0.113.7';
const THIEF = '198.51.100.9';
const theft = {
  ...hitLine(THIEF, { ts: '2026-11-16T10:00:00.000Z' }),
  event: 'honeytoken_used',
  site: 'gateway',
  'honeytoken.received_by': RECEIVER,
  'honeytoken.day': '2026-11-15',
  'honeytoken.field': 'aws_access_key_id',
  'honeytoken.presented_in': 'header authorization',
  'honeytoken.hash': 'abcdef123456789',
};
const taken = hitLine(RECEIVER, {
  honeytokens: 1,
  'http.request.method': 'GET',
  'url.path': '/.aws/credentials',
});
const after1 = hitLine(THIEF, { ts: '2026-11-16T11:00:00.000Z', 'url.path': '/v1/models' });
const invented = Array.from({ length: 600 }, (_, at) => ({
  ...hitLine('192.0.2.1'),
  event: 'honeytoken_used',
  'honeytoken.hash': `${at}`,
  'honeytoken.api_key_id': `${at}`,
}));

/** The texts of the rows below a heading. */
function rowsOf(page: string, title: string): string[] {
  const section =
    page.split('<section>').find((each) => each.startsWith(`<h2>${title}</h2>`)) ?? '';
  return [...section.matchAll(/<tr>(<td.*?)<\/tr>/gs)].map(([, row]) =>
    row!.replace(/<[^>]*>/g, '|').replace(/\|+/g, '|'),
  );
}

const titlesOf = (page: string) => [...page.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title);

test('a used token comes first and is counted apart from six hundred that somebody invented', async () => {
  const log = file('noise.jsonl', logOf(...invented, taken, theft, after1, ...invented));
  const { stdout, stderr } = await runDecoys(['report', log]);
  assert.equal(titlesOf(stdout)[0], 'Honeytokens used');
  const rows = rowsOf(stdout, 'Honeytokens used');
  assert.equal(rows.length, 1);
  assert.match(
    rows[0]!,
    /198\.51\.100\.9\|203\.0\.113\.7\|2026-11-15\|aws-credentials: aws_access_key_id/,
  );
  assert.match(
    stdout,
    /<dt>honeytokens used<\/dt><dd>1<\/dd>.*<dt>invented keys<\/dt><dd>1,200<\/dd>/s,
  );
  assert.match(
    stderr,
    /^honeytokens: 1 given out, 1 used\n {2}.* 198\.51\.100\.9 used what 203\.0\.113\.7 /m,
  );
});

test('the page tells what both did, who received the token and who used it', async () => {
  const noise = Array.from({ length: 3_000 }, (_, at) => hitLine(`10.0.${at >> 8}.${at & 255}`));
  const log = file('story.jsonl', logOf(after1, theft, ...noise, taken));
  const { stdout } = await runDecoys(['report', log]);
  assert.match(
    rowsOf(stdout, `What ${RECEIVER} did`)[0]!,
    /took 1 honeytoken from aws-credentials\|GET \/\.aws\/cred/,
  );
  const [used, next] = rowsOf(stdout, `What ${THIEF} did`);
  assert.match(used!, /used the aws_access_key_id of aws-credentials that 203\.0\.113\.7 received/);
  assert.match(next!, /asked for aws-credentials\|\/v1\/models/);
});

test('a token that was given to an IPv6 network has the story of that network', async () => {
  const ipv6 = { 'honeytoken.received_by': '2001:db8:5::/64' };
  const log = file(
    'v6.jsonl',
    logOf(hitLine('2001:db8:5::1', { honeytokens: 1 }), { ...theft, ...ipv6 }),
  );
  const { stdout } = await runDecoys(['report', log]);
  assert.equal(rowsOf(stdout, 'What 2001:db8:5::/64 did').length, 1);
});

test('more than five hundred used tokens are all on the page', async () => {
  const many = Array.from({ length: 700 }, (_, at) => ({ ...theft, 'honeytoken.hash': `${at}` }));
  const { stdout } = await runDecoys(['report', file('many.jsonl', logOf(...many, ...many))]);
  assert.equal(rowsOf(stdout, 'Honeytokens used').length, 700);
});

test('several logs are one report, plain or compressed, and a broken one is named', async () => {
  const one = file('one.jsonl', logOf(taken).trimEnd());
  const two = file(
    'two.jsonl.gz',
    Buffer.concat([gzipSync(logOf(theft)), gzipSync(logOf(after1))]),
  );
  const { stdout, stderr } = await runDecoys(['report', one, two]);
  assert.match(stderr, /^2 hits from 2 networks/);
  assert.equal(rowsOf(stdout, `What ${RECEIVER} did`).length, 1);
  const cut = file('cut.gz', gzipSync(logOf(...invented)).subarray(0, 300));
  const broken = await runDecoys(['report', one, cut]);
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /cannot be read: .*cut\.gz": its gzip data is cut or damaged/);
});

test('a log that inflates a thousandfold takes no more memory than it has lines that count', {
  timeout: 120_000,
}, async () => {
  const block = gzipSync(`${'x'.repeat(512 * 1024 - 1)}\n`.repeat(32), { level: 9 });
  const log = file('bomb.gz', Buffer.concat(Array.from({ length: 16 }, () => block)));
  const beforeBytes = process.memoryUsage().rss;
  const { stderr } = await runDecoys(['report', log]);
  assert.match(stderr, /512 lines are not event lines/);
  assert.ok(process.memoryUsage().rss - beforeBytes < 150_000_000);
});

test('an empty report says what to expect', async () => {
  const { stdout } = await runDecoys(['report', file('empty.jsonl', '')]);
  assert.deepEqual(titlesOf(stdout), ['What to expect']);
  assert.match(stdout, /decoys selftest/);
});

test('lines that were rewritten for ECS make the same report', async () => {
  const log = file('ours.jsonl', logOf(taken, theft, after1, ...invented));
  const { code, stdout: rewritten } = await runDecoys(['ecs', log]);
  assert.equal(code, 0);
  for (const line of rewritten.trimEnd().split('\n')) {
    const fields = JSON.parse(line);
    assert.ok(typeof fields['event.action'] === 'string' && fields.event === undefined);
  }
  const again = await runDecoys(['ecs', file('ecs.jsonl', rewritten)]);
  assert.equal(again.stdout, rewritten);
  const reports = await Promise.all(
    ['ours.jsonl', 'ecs.jsonl'].map((name) => runDecoys(['report', join(directory, name)])),
  );
  assert.equal(reports[0]!.stdout, reports[1]!.stdout);
});
