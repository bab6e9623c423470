/** Blocklists as the programs take them that block, and whom no list may hold. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { hitLine, logOf, runDecoys } from '../support/decoys/run-decoys.ts';
import { pathOf, unlessInstalled } from '../support/programs/installed.ts';

let directory: string;
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'decoys-export-'));
});
after(() => rmSync(directory, { recursive: true, force: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const thrice = (ip: string, fields: object = {}) =>
  Array.from({ length: 3 }, () => hitLine(ip, fields));

/** What a stranger can put into a line, around two sources that belong into the list. */
const HOSTILE = [
  ...thrice('1.1.1.1', {
    'user_agent.original': '"\n9.9.9.9; drop',
    'url.path': '/\u0000\u202e9.9.9.9',
  }),
  ...thrice('2001:db8:5:0:aaaa::1', {
    'url.query': '2026-11-15T10:00:00.000Z gatehouse-decoys: block 9.9.9.9, hits 3',
  }),
  ...thrice('9.9.9.9; flush ruleset'),
  ...thrice('9.9.9.9/0'),
  ...thrice('0.0.0.0/0'),
  ...thrice('fe80::1%eth0'),
  ...thrice('127.0.0.1'),
  ...thrice('::1'),
  ...thrice('::ffff:127.0.0.1'),
  ...thrice('0.0.0.0'),
  { ...hitLine('9.9.9.9'), 'source.ip': ['9.9.9.9'] },
  { ...hitLine('9.9.9.9'), 'source.ip': { toString: '9.9.9.9' } },
];
const hostile = () =>
  file('hostile.jsonl', `not JSON 9.9.9.9\n{"event":\n[]\n7\n${logOf(...HOSTILE)}`);

const exported = async (format: string, ...more: readonly string[]) => {
  const { code, stdout, stderr } = await runDecoys(['export', '--format', format, ...more]);
  assert.equal(code, 0, stderr);
  return stdout;
};

test('a list holds each source once, IPv6 by its /64, and nothing that a line only quotes', async () => {
  assert.equal(await exported('plain', hostile()), '1.1.1.1\n2001:db8:5::/64\n');
});

test('a source with fewer hits is not in the list', async () => {
  const log = file(
    'few.jsonl',
    logOf(hitLine('1.1.1.1'), hitLine('1.1.1.1'), ...thrice('8.8.8.8')),
  );
  assert.equal(await exported('plain', log), '8.8.8.8\n');
  assert.equal(await exported('plain', '--min-hits', '2', log), '1.1.1.1\n8.8.8.8\n');
});

test('hits from before --since do not count', async () => {
  const old = thrice('1.1.1.1', { ts: '2026-11-01T00:00:00.000Z' });
  const log = file('since.jsonl', logOf(...old, ...thrice('8.8.8.8')));
  assert.equal(await exported('plain', '--since', '2026-11-15', log), '8.8.8.8\n');
});

test('an allowed network is not in the list, nor a network that holds or is held by it', async () => {
  const log = file(
    'allow.jsonl',
    logOf(...['10.1.2.3', '1.1.1.1', '2001:db8:5::1', '2001:db8:6::1'].flatMap((ip) => thrice(ip))),
  );
  const allow = ['--allow', '10.0.0.0/8,2001:db8:5::7', '--allow', '2001:db8:6::/48'];
  assert.equal(await exported('plain', ...allow, log), '1.1.1.1\n');
  const { code, stderr } = await runDecoys(['export', '--format', 'plain', '--allow', 'home', log]);
  assert.deepEqual([code, stderr], [2, '--allow: "home" is not a network such as 10.0.0.0/8\n']);
});

test('a trusted proxy is not in the list', async () => {
  const log = file('proxy.jsonl', logOf(...thrice('192.0.2.1'), ...thrice('1.1.1.1')));
  const env = { DECOYS_TRUSTED_PROXIES: '192.0.2.0/30' };
  const { stdout, stderr } = await runDecoys(['export', '--format', 'plain', log], env);
  assert.equal(stdout, '1.1.1.1\n');
  assert.match(stderr, /^1 source left out: in an allowed network/);
});

test('an address that somebody signed in from is not in the list, whichever log says so', async () => {
  const decoys = file(
    'a.jsonl',
    logOf(...thrice('1.1.1.1'), ...thrice('2001:db8::1'), ...thrice('8.8.8.8')),
  );
  const signIn = { ts: '2026-11-01T00:00:00.000Z', level: 'info', event: 'login_success' };
  const gateway = file('gateway.jsonl.gz', gzipSync(logOf({ ...signIn, ip: '1.1.1.1' })));
  const notes = file('notes.jsonl', logOf({ ...signIn, ip: '2001:db8::beef' }));
  assert.equal(await exported('plain', decoys, gateway, notes), '8.8.8.8\n');
});

test('what a page of another site makes a browser send does not count, used tokens included', async () => {
  const crossSite = { sec_fetch_site: 'cross-site' };
  const use = { ...crossSite, event: 'honeytoken_used', 'honeytoken.received_by': '8.8.8.8' };
  const log = file('img.jsonl', logOf(...thrice('1.1.1.1', crossSite), ...thrice('1.1.1.1', use)));
  const { stdout, stderr } = await runDecoys(['export', '--format', 'plain', log]);
  assert.equal(stdout, '');
  assert.match(stderr, /^6 hits not counted: another site sent them/);
});

for (const format of ['nftables', 'ipset', 'fail2ban', 'crowdsec', 'nginx', 'plain', 'stix']) {
  test(`${format}: no line of a stranger reaches the list`, async () => {
    const list = await exported(format, hostile());
    assert.doesNotMatch(list, /9\.9\.9\.9|flush ruleset|127\.0\.0|eth0/);
    assert.match(list, /1\.1\.1\.1/);
    assert.match(list, /2001:db8:5::/);
  });
}

/** With the file in a network namespace of its own, where there is nothing to block. */
function inNamespace(program: string, ...args: readonly string[]) {
  return spawnSync('unshare', ['-rn', pathOf(program)!, ...args], { encoding: 'utf8' });
}

test('nft takes the list, twice, and an empty one', {
  skip: unlessInstalled('nft', 'unshare'),
}, async () => {
  const nft = file('nft', await exported('nftables', hostile()));
  const empty = file('empty.nft', await exported('nftables', '--min-hits', '99', hostile()));
  for (const list of [nft, empty]) {
    assert.deepEqual(inNamespace('nft', '-c', '-f', list).stderr, '');
  }
  const all = `exec 2>&1; nft -f ${nft}; nft -f ${nft}; nft list ruleset; nft -f ${empty}; nft list ruleset`;
  const { stdout } = spawnSync('unshare', ['-rn', 'sh', '-c', `PATH=$PATH:/usr/sbin; ${all}`], {
    encoding: 'utf8',
  });
  assert.equal(stdout.match(/1\.1\.1\.1/g)?.length, 1, stdout);
  assert.equal(stdout.match(/2001:db8:5::\/64/g)?.length, 1, stdout);
  assert.equal(stdout.match(/table inet gatehouse_decoys/g)?.length, 2, stdout);
});

test('ipset restores the list, twice', { skip: unlessInstalled('ipset', 'unshare') }, async () => {
  const list = file('ipset', await exported('ipset', hostile()));
  const all = `exec 2>&1; ipset restore -file ${list}; ipset restore -file ${list}; ipset save`;
  const { stdout } = spawnSync('unshare', ['-rn', 'sh', '-c', `PATH=$PATH:/usr/sbin; ${all}`], {
    encoding: 'utf8',
  });
  const added = stdout.split('\n').filter((line) => line.startsWith('add'));
  assert.deepEqual(
    added,
    ['add gatehouse-decoys4 1.1.1.1', 'add gatehouse-decoys6 2001:db8:5::/64'],
    stdout,
  );
});

test('fail2ban finds every source with our filter', {
  skip: unlessInstalled('fail2ban-regex'),
}, async () => {
  const list = file('fail2ban.log', await exported('fail2ban', hostile()));
  const filter = new URL('../../deploy/fail2ban/filter.d/gatehouse-decoys.conf', import.meta.url);
  const args = ['-o', 'ip', list, filter.pathname];
  const { stdout, stderr } = spawnSync(pathOf('fail2ban-regex')!, args, { encoding: 'utf8' });
  assert.deepEqual(
    stdout.split('\n').filter(Boolean).toSorted(),
    ['1.1.1.1', '2001:db8:5::/64'],
    stderr,
  );
});

test('nginx takes the list', { skip: unlessInstalled('nginx') }, async () => {
  const list = file('deny.conf', await exported('nginx', hostile()));
  const server = `server { listen unix:${directory}/nginx.sock; include ${list}; }`;
  const paths = `pid ${directory}/pid; error_log stderr;`;
  const config = file('nginx.conf', `${paths} events {} http { access_log off; ${server} }\n`);
  const { status, stderr } = spawnSync(pathOf('nginx')!, ['-t', '-c', config, '-p', directory], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  assert.match(stderr, /test is successful/);
});

test('an indicator of STIX ends as long after its last hit as the list looks back', async () => {
  const since = '87600h';
  const { objects } = JSON.parse(await exported('stix', '--since', since, hostile()));
  const indicators = objects.filter(({ type }: { type: string }) => type === 'indicator');
  assert.equal(indicators.length, 2);
  for (const { valid_from, valid_until } of indicators) {
    assert.equal(Date.parse(valid_until) - Date.parse(valid_from), 87_600 * 3_600_000);
  }
});
