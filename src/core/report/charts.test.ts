/** Axes are readable whatever the log holds: nothing, one line, equal bars, or years of lines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { barChart, hourChart, timeTicks, valueTicks } from './charts.ts';
import { Hours } from './hours.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 10, 1, 9);
const SERIES = [{ name: 'answered' }, { name: 'refused', isRefusal: true }] as const;

function chartOf(...times: readonly number[]): string {
  const hours = new Hours(2);
  for (const ms of times) hours.add(ms);
  return hourChart(hours, 'Calls', SERIES).text;
}

const texts = (svg: string, pattern: RegExp) => [...svg.matchAll(pattern)].map(([, text]) => text!);
const valueLabels = (svg: string) => texts(svg, /<text class="value"[^>]*>([^<]*)</g);
const tickLabels = (svg: string) => texts(svg, /<text dy[^>]*>([^<]*)</g);

test('nothing is said to be nothing, without axes', () => {
  assert.equal(chartOf(), '<p class="soft">Nothing to show.</p>');
  const bars = [{ label: 'up to 1 ms', parts: [0] }];
  assert.equal(barChart(bars, 'Answers', 'Answered within', [{ name: 'answers' }]).text, chartOf());
});

test('one call is a narrow bar on an axis from 0 to 1, with hours and the date', () => {
  const svg = chartOf(START_MS);
  assert.deepEqual(valueLabels(svg), ['0', '1']);
  assert.deepEqual(tickLabels(svg), ['Nov 1', '03:00', '06:00', '09:00']);
  assert.match(svg, /Time \(UTC\), 2026-10-31 to 2026-11-01/);
  const [width] = texts(svg, /<rect [^>]*width="([\d.]+)%"/g).map(Number);
  assert.ok(width! < 10, `${width} %`);
});

test('two calls a day apart have an axis between them', () => {
  const svg = chartOf(START_MS, START_MS + DAY_MS);
  assert.deepEqual(valueLabels(svg), ['0', '1']);
  assert.ok(tickLabels(svg).includes('Nov 2'), tickLabels(svg).join());
  assert.match(svg, /Time \(UTC\), 2026-11-01 to 2026-11-02/);
});

test('equal bars reach as high as one another, and none above the axis', () => {
  const svg = chartOf(...Array.from({ length: 24 }, (_, hour) => START_MS + hour * HOUR_MS));
  const heights = new Set(texts(svg, /<rect [^>]*height="([\d.]+)%"\/>/g));
  assert.deepEqual([...heights], ['100']);
});

test('a bar that no call belongs to has no height, and both series are named', () => {
  const svg = chartOf(START_MS, START_MS + 2 * HOUR_MS);
  assert.match(svg, /2026-11-01 10:00:00: 0 answered, 0 refused/);
  assert.match(svg, /class="key">answered<.*class="key refused">refused</);
});

test('value ticks are few whole numbers from zero to at least the highest', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (highest) => {
      const ticks = valueTicks(highest);
      assert.equal(ticks[0], 0);
      assert.ok(ticks.at(-1)! >= highest, `${ticks}`);
      assert.ok(ticks.at(-1)! <= highest * 2, `${ticks}`);
      assert.ok(ticks.length >= 2 && ticks.length <= 8, `${ticks}`);
      assert.ok(ticks.every(Number.isInteger));
    }),
  );
});

test('time ticks are few, within the axis, and no two read alike, from hours to a century', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(2000, 0) / HOUR_MS, max: Date.UTC(2090, 0) / HOUR_MS }),
      fc.integer({ min: 12, max: 100 * 366 * 24 }),
      (start, hours) => {
        const [startMs, endMs] = [start * HOUR_MS, (start + hours) * HOUR_MS];
        const ticks = timeTicks(startMs, endMs);
        assert.ok(ticks.length >= 2 && ticks.length <= 6, `${ticks.length} ticks`);
        assert.ok(ticks.every(({ ms }) => ms >= startMs && ms <= endMs));
        const labels = ticks.map(({ label }) => label);
        const dates = labels.filter((label) => !label.includes(':'));
        assert.equal(new Set(dates).size, dates.length, labels.join());
      },
    ),
    // Quarters are too many here, and years would be a single tick.
    { examples: [[307_166, 14_962]] },
  );
});
