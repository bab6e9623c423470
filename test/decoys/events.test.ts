/** The event lines: their fields, what strangers cannot do to them, and what a flood cannot. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import fc from 'fast-check';
import { clientOf } from '../../src/core/http/client-address.ts';
import { createLog } from '../../src/core/log/log.ts';
import { Events } from '../../src/decoys/events.ts';
import { headerOrder } from '../../src/decoys/header-order.ts';
import type { Answer } from '../../src/decoys/kit/answer.ts';
import { ask, type Line, sendBytes, startDecoys, type TestDecoys } from './support.ts';

const ANSWER: Answer = { status: 200, headers: [], body: 'x', honeytokens: 0 };
const running: TestDecoys[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((decoys) => decoys.close()));
});

async function start(options: Parameters<typeof startDecoys>[0] = {}): Promise<TestDecoys> {
  const decoys = await startDecoys(options);
  running.push(decoys);
  return decoys;
}

function collect(options: { perSecond?: number; perSource?: number; now?: () => number } = {}) {
  const written: string[] = [];
  const log = createLog({ level: 'error', write: (line) => written.push(line) });
  const events = new Events({ log, site: 'decoys', now: () => 0, ...options });
  const hit = ({ url = '/v1/models', rawHeaders = [] as string[], ip = '203.0.113.7' } = {}) => {
    const headers = Object.fromEntries(
      rawHeaders.flatMap((name, at) => (at % 2 ? [] : [[name.toLowerCase(), rawHeaders[at + 1]]])),
    );
    const request = { method: 'GET', url, headers, rawHeaders } as never;
    const client = clientOf(ip, undefined, undefined);
    events.hit('llm-compat-models', request, client, ANSWER, 0);
  };
  return { written, events, hit, lines: (): Line[] => written.map((line) => JSON.parse(line)) };
}

test('a line has the fields of docs/gateway.md and those of the Elastic Common Schema', async () => {
  const decoys = await start();
  await decoys.ask('/v1/models?limit=1', { headers: { 'user-agent': 'scan/1.0' } });
  const [line] = decoys.lines();
  const { header_order, ...rest } = line!;
  assert.match(String(header_order), /^[0-9a-f]{16}$/);
  assert.equal(typeof rest['http.response.body.bytes'], 'number');
  delete (rest as Record<string, unknown>)['http.response.body.bytes'];
  assert.deepEqual(rest, {
    level: 'info',
    ts: '2026-11-15T10:00:00.000Z',
    event: 'decoy_hit',
    tag: 'llm-compat-models',
    site: 'decoys',
    'source.ip': '127.0.0.1',
    'source.learnt_from': 'socket',
    'http.request.method': 'GET',
    'url.path': '/v1/models',
    'url.query': 'limit=1',
    'user_agent.original': 'scan/1.0',
    'http.request.body.bytes': 0,
    'http.response.status_code': 200,
    honeytokens: 0,
  });
});

for (const [target, honeytokens] of [
  ['/.claude/settings.json', 2],
  ['/.aws/credentials', 1],
  ['/api/v1/users/42', 1],
  ['/sse', 1],
  ['/api/tags', 0],
] as const) {
  test(`a line counts what was sent of ${target}: nothing for HEAD`, async () => {
    const decoys = await start();
    const { body } = await decoys.ask(target);
    await decoys.ask(target, { method: 'HEAD' });
    assert.deepEqual(
      decoys.lines().map((line) => [line['http.response.body.bytes'], line.honeytokens]),
      [
        [Buffer.byteLength(body), honeytokens],
        [0, 0],
      ],
    );
  });
}

test('lines are written whatever the level is', () => {
  const { hit, written } = collect();
  hit();
  assert.equal(written.length, 1);
});

test('whatever a path or an agent holds, a line is one JSON object without hidden characters', () => {
  const { hit, written } = collect();
  const nasty = '\n\r\u0000\u007f\u0085\u009b31m\u2028\u2029\u202e\u2066\u200f"}{"event":"x"';
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      written.length = 0;
      hit({ url: `/${text}${nasty}?${text}`, rawHeaders: ['User-Agent', `${nasty}${text}`] });
      assert.equal(written.length, 1);
      const line = written[0]!;
      assert.equal(line.indexOf('\n'), line.length - 1);
      assert.doesNotMatch(
        line.slice(0, -1),
        /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/,
      );
      assert.equal(JSON.parse(line).event, 'decoy_hit');
    }),
  );
});

test('bytes that no client should send make one sound line, too', async () => {
  const decoys = await start();
  await sendBytes(
    decoys.port,
    'GET /.assistant-a/"}<>\\x HTTP/1.1\r\nHost: x\r\nUser-Agent: \x9b31m\xe2\x80\xae"\r\nConnection: close\r\n\r\n',
  );
  await ask(decoys.port, '/.assistant-a/%0a%22%7d%e2%80%ae%00');
  for (const line of decoys.written) {
    assert.doesNotMatch(line.slice(0, -1), /[\0-\x1f\x7f-\x9f\u2028-\u202e]/);
    assert.equal(JSON.parse(line).tag, 'ai-assistant-config');
  }
  assert.equal(decoys.written.length, 2);
});

test('long texts are cut', () => {
  const { hit, lines } = collect();
  const rawHeaders = ['User-Agent', 'a'.repeat(10_000)];
  hit({ url: `/${'p'.repeat(10_000)}?${'q'.repeat(10_000)}`, rawHeaders });
  const [line] = lines();
  assert.equal(String(line?.['url.path']).length, 513);
  assert.equal(String(line?.['url.query']).length, 513);
  assert.equal(String(line?.['user_agent.original']).length, 257);
});

test('past the bound one in a hundred is written, and the rest is counted', () => {
  let ms = 0;
  const { hit, events, lines } = collect({ perSecond: 100, now: () => ms });
  for (let index = 0; index < 1_100; index++) hit({ ip: `203.0.113.${index % 250}` });
  assert.equal(lines().length, 110);
  ms = 1_000;
  for (let index = 0; index < 50; index++) hit();
  assert.equal(lines().length, 160);
  events.close();
  const last = lines().at(-1);
  assert.deepEqual([last?.event, last?.level, last?.count], ['events_left_out', 'warn', 990]);
  events.close();
  assert.equal(lines().length, 161);
});

test('one source writes so many lines at once, then two a second; others write theirs', () => {
  let ms = 0;
  const { hit, events, lines } = collect({ perSource: 5, now: () => ms });
  for (let index = 0; index < 100; index++) hit();
  hit({ ip: '198.51.100.1' });
  assert.equal(lines().length, 6);
  ms = 1_000;
  for (let index = 0; index < 100; index++) hit();
  assert.equal(lines().length, 8);
  for (let last = 0; last < 5; last++) hit({ ip: `2001:db8::${last}` });
  hit({ ip: '2001:db8::ffff' });
  assert.equal(lines().length, 13, 'an IPv6 /64 is one source');
  events.close();
  const { count, 'source.ip': source, of_source } = lines().at(-1)!;
  assert.deepEqual([count, source, of_source], [194, '203.0.113.7', 193]);
});

test('what was left out is told a second later, without a further event', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { hit, lines } = collect({ perSecond: 1 });
  for (let index = 0; index < 10; index++) hit();
  assert.equal(lines().length, 1);
  t.mock.timers.tick(1_000);
  assert.equal(lines().at(-1)?.count, 9);
});

test('the answers are never sampled', async () => {
  const decoys = await start({ eventsPerSecond: 1 });
  for (let index = 0; index < 20; index++) {
    assert.equal((await decoys.ask('/v1/models')).status, 200);
  }
  await decoys.close();
  const events = decoys.lines().map(({ event }) => event);
  assert.deepEqual(events, ['decoy_hit', 'events_left_out']);
});

test('a stranger cannot make a line or a token name somebody else', async () => {
  const decoys = await start();
  await decoys.ask('/.mcp/mcp.json', {
    headers: {
      'x-forwarded-for': '8.8.8.8',
      forwarded: 'for=8.8.8.8',
      'x-real-ip': '8.8.8.8',
      'cf-connecting-ip': '8.8.8.8',
      'true-client-ip': '8.8.8.8',
    },
  });
  assert.equal(decoys.lines()[0]?.['source.ip'], '127.0.0.1');
});

test('the order, the names and the case of headers make the hash, their values do not', () => {
  const hash = headerOrder(['Host', 'a', 'Accept', 'b']);
  assert.equal(headerOrder(['Host', 'x', 'Accept', 'y']), hash);
  for (const other of [
    ['Accept', 'a', 'Host', 'b'],
    ['host', 'a', 'accept', 'b'],
    ['Host', 'a'],
    ['HostA', 'a', 'ccept', 'b'],
  ]) {
    assert.notEqual(headerOrder(other), hash);
  }
});
