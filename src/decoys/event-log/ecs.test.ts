/** Lines say the same under both names, dotted or nested, and the documentation lists every name. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { ECS_NAMES, ECS_VERSION, ecsName, fromEcs, toEcs } from './ecs.ts';
import { type EventLine, eventLine } from './event-lines.ts';

const USE = {
  ts: '2026-11-15T10:00:00.000Z',
  level: 'warn',
  event: 'honeytoken_used',
  tag: 'aws-credentials',
  site: 'gateway',
  'source.ip': '198.51.100.9',
  'source.learnt_from': 'socket',
  'http.response.status_code': 200,
  'user_agent.original': 'x',
  'honeytoken.hash': 'f',
  'honeytoken.received_by': '203.0.113.7',
  honeytokens: 1,
};

function nested(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const path = name.split('.');
    const last = path.pop()!;
    let at = root;
    for (const part of path) {
      at[part] ??= {};
      at = at[part] as Record<string, unknown>;
    }
    at[last] = value;
  }
  return root;
}

test('no name of ECS is both a value and an object', () => {
  const names = Object.keys(toEcs({ ...USE, ip: 'x', user: 'x', mcp: 1, version: '1' }));
  for (const name of names) {
    assert.ok(!names.some((other) => other.startsWith(`${name}.`)), name);
  }
});

test('a line of ECS is read as the line it was made of, dotted and nested', () => {
  for (const form of [toEcs(USE), nested(toEcs(USE))]) {
    const line = eventLine(form) as EventLine;
    assert.equal(line.event, USE.event);
    assert.equal(line.timeMs, Date.parse(USE.ts));
    for (const [name, value] of Object.entries(USE)) {
      if (typeof value === 'number') assert.equal(line.number(name), value, name);
      else if (name !== 'ts' && name !== 'event') assert.equal(line.text(name), value, name);
    }
  }
});

test('a sign-in of ECS spares its address', () => {
  const signIn = { ts: USE.ts, event: 'login_success', user: 'ada', ip: '198.51.100.9' };
  assert.equal((eventLine(nested(toEcs(signIn))) as EventLine).text('ip'), '198.51.100.9');
});

test('whatever a line holds, nothing throws, and a line of ours stays as it is', () => {
  const line = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(line, (fields) => {
      const own = { ...fields, event: 'decoy_hit' };
      assert.equal(fromEcs(own), own);
      eventLine({ ...fields, '@timestamp': USE.ts });
      toEcs(fields);
    }),
  );
});

test('the documentation has every name, and the version', () => {
  const path = new URL('../../../docs/decoys.md', import.meta.url);
  const reference = readFileSync(path, 'utf8');
  for (const [ours, ecs] of Object.entries(ECS_NAMES)) {
    assert.ok(reference.includes(`| \`${ours}\` | \`${ecs}\` |`), ours);
  }
  assert.ok(reference.includes(`\`${ecsName('honeytoken.hash')}\``));
  assert.ok(reference.includes(`ECS ${ECS_VERSION.replace(/\.0$/, '')}`));
});
