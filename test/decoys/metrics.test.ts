/** What the decoys count, and that board and rules for it name nothing else. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { freePort } from '../support/programs/free-port.ts';
import { pathOf, unlessInstalled } from '../support/programs/installed.ts';
import { PATIENCE_MS } from '../support/programs/patience.ts';
import { ask } from './support.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const MONITORING = join(ROOT, 'deploy/monitoring');
const RULES = join(MONITORING, 'prometheus-rules.yaml');
const KEY = 'a-key-for-the-metrics';

let scraped: string;
let ports: { readonly decoys: number; readonly metrics: number };
let stop: () => Promise<void>;

before(async () => {
  ports = { decoys: await freePort(), metrics: await freePort() };
  const child = spawn(process.execPath, [join(ROOT, 'bin/decoys.ts')], {
    env: {
      PATH: process.env.PATH ?? '',
      DECOYS_LISTEN: `127.0.0.1:${ports.decoys}`,
      DECOYS_KEY: 'a key of the tests alone',
      DECOYS_METRICS_LISTEN: `127.0.0.1:${ports.metrics}`,
      DECOYS_METRICS_KEY: KEY,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: PATIENCE_MS,
  });
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  const ended = once(child, 'close');
  stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  while (!log.includes('"startup"')) {
    await Promise.race([once(child.stdout, 'data'), ended]);
    assert.equal(child.exitCode, null, log);
  }
  const tokens: string[] = [];
  for (const path of ['/.cursor/mcp.json', '/.credentials.json']) {
    const { body } = await ask(ports.decoys, path);
    tokens.push(/hp_live_[a-z2-7]{32}/.exec(body)?.[0] ?? '');
  }
  for (const headers of [
    { authorization: `Bearer ${tokens[0]}` },
    { 'x-made-up-by-a-stranger': tokens[1] },
    { 'x-another': 'sk_live_honeypot7' },
  ]) {
    await ask(ports.decoys, '/v1/models', { headers: headers as Record<string, string> });
  }
  await ask(ports.decoys, '/.aws/credentials');
  // A thread verifies tokens after the answer.
  while (log.split('"honeytoken_used"').length < 4) await once(child.stdout, 'data');
  const headers = { authorization: `Bearer ${KEY}` };
  // Uses are verified in a thread, after the answer.
  do {
    scraped = (await ask(ports.metrics, '/metrics', { headers })).body;
  } while (scraped.split('gatehouse_honeytoken_uses_total{').length <= USES_KINDS);
});
after(() => stop());

/** Two of a sealed honeytoken are one sample, one of an invented is another. */
const USES_KINDS = 2;

/** The sample of a metric; labels may come in any order. */
function sample(name: string, labels: Record<string, string> = {}): number | undefined {
  for (const [, found, text = '', value] of scraped.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)) {
    const has = Object.fromEntries(
      [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, k, v]) => [k, v]),
    );
    if (found === name && Object.entries(labels).every(([key, each]) => has[key] === each))
      return Number(value);
  }
  return undefined;
}

test('hits are counted by tag', () => {
  assert.equal(sample('gatehouse_decoy_hits_total', { tag: 'llm-compat-models' }), 3);
  assert.equal(sample('gatehouse_decoy_hits_total', { tag: 'aws-credentials' }), 1);
});

test('uses are counted by place, issuer and kind, and no name of a stranger is a label', () => {
  const uses = (labels: Record<string, string>) =>
    sample('gatehouse_honeytoken_uses_total', labels);
  assert.equal(uses({ place: 'header', issued_by: 'decoys', kind: 'sealed' }), 2);
  assert.equal(uses({ place: 'header', issued_by: 'unknown', kind: 'invented' }), 1);
  assert.doesNotMatch(scraped, /made-up|x-another|hp_live|honeypot7/);
});

test('metrics are not served beside the decoys, and not without the key', async () => {
  const headers = { authorization: `Bearer ${KEY}` };
  assert.equal((await ask(ports.decoys, '/metrics', { headers })).status, 404);
  assert.equal((await ask(ports.metrics, '/metrics')).status, 401);
});

test('every metric and label of the board and the rules exists', () => {
  const named = new Set<string>();
  for (const file of readdirSync(MONITORING)) {
    const text = readFileSync(join(MONITORING, file), 'utf8');
    for (const [metric] of text.matchAll(/\b(?:gatehouse|gateway|notes|decoys)_[a-z_]+(?=[{[)])/g))
      named.add(metric);
  }
  assert.ok(named.size > 3, [...named].join());
  const exist = new Set([...scraped.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!));
  assert.deepEqual(
    [...named].filter((name) => !exist.has(name)),
    [],
  );
  const { groups } = parse(readFileSync(RULES, 'utf8'));
  for (const { expr } of groups[0].rules) {
    for (const [, label] of expr.matchAll(/\{(\w+)=/g))
      assert.match(scraped, new RegExp(`[{,]${label}="`));
  }
});

test('the board is JSON with panels that ask the chosen data source', () => {
  const { panels } = JSON.parse(readFileSync(join(MONITORING, 'grafana-decoys.json'), 'utf8'));
  assert.ok(panels.length >= 6);
  for (const { targets, datasource } of panels) {
    assert.match(datasource.uid, /^\$\{datasource\}$/);
    for (const { expr } of targets) assert.match(expr, /gatehouse_/);
  }
});

test('Prometheus takes the rules and the metrics', { skip: unlessInstalled('promtool') }, () => {
  const checked = spawnSync(pathOf('promtool')!, ['check', 'rules', RULES], { encoding: 'utf8' });
  assert.equal(checked.status, 0, checked.stderr);
  const options = { encoding: 'utf8', input: scraped } as const;
  const metrics = spawnSync(pathOf('promtool')!, ['check', 'metrics'], options);
  assert.doesNotMatch(metrics.stderr, /gatehouse_decoy|gatehouse_honeytoken/);
});
