import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, type Level } from './log.ts';

function collect(level: Level = 'info', clean = (text: string) => text) {
  const lines: string[] = [];
  const log = createLog({
    level,
    clean,
    write: (line) => lines.push(line),
    now: () => new Date('2026-11-15T10:00:00.123Z'),
  });
  return { log, lines };
}

test('a line has a time in UTC with milliseconds, a level and an event', () => {
  const { log, lines } = collect();
  log.info('startup', { listen: ':2019' });
  assert.deepEqual(JSON.parse(lines[0]!), {
    ts: '2026-11-15T10:00:00.123Z',
    level: 'info',
    event: 'startup',
    listen: ':2019',
  });
});

test('every line has a separate time, to the millisecond, from one second to the next', () => {
  const times = [
    '09:59:59.999',
    '10:00:00.000',
    '10:00:00.007',
    '10:00:00.070',
    '09:59:59.500',
  ].map((time) => `2026-11-15T${time}Z`);
  const lines: string[] = [];
  const left = times.map((time) => new Date(time));
  const log = createLog({
    level: 'info',
    write: (line) => lines.push(line),
    now: () => left.shift()!,
  });
  for (const _ of times) log.info('startup');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).ts),
    times,
  );
});

test('lines under the level are left out, audit lines never', () => {
  const { log, lines } = collect('error');
  log.info('startup');
  log.warn('short_secret');
  log.always('info', 'request', { status: 200 });
  assert.equal(lines.length, 1);
  assert.equal(JSON.parse(lines[0]!).event, 'request');
});

test('whatever a field holds, a line stays one line of JSON without invisible characters', () => {
  const { log, lines } = collect();
  const nasty = 'a\nb\r\u2028\u2029\u0000\u007f\u0085\u009b31m\u202eevil\u2066x\u200f"}\\';
  log.info('request', { url: nasty, [nasty]: 1 });
  assert.equal(lines.length, 1);
  const text = lines[0]!;
  assert.equal(text.indexOf('\n'), text.length - 1);
  assert.doesNotMatch(text.slice(0, -1), /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
  assert.equal(JSON.parse(text).url, nasty);
});

test('every string passes the cleaner, however deep, and our own words do not', () => {
  const { log, lines } = collect('info', (text) => text.replaceAll('request', '[REDACTED]'));
  log.info('request', { a: 'request', b: ['request'], c: { request: 'request' }, d: 7 });
  const { event, a, b, c, d } = JSON.parse(lines[0]!);
  assert.deepEqual(
    { event, a, b, c, d },
    {
      event: 'request',
      a: '[REDACTED]',
      b: ['[REDACTED]'],
      c: { '[REDACTED]': '[REDACTED]' },
      d: 7,
    },
  );
});
