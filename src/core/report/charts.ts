/** Bar charts with labelled axes. Scales and ticks are those of d3-scale. */
import { scaleBand, scaleLinear, scaleUtc } from 'd3-scale';
import { type Html, html } from '../pages/html.ts';
import { DAY_MS, HOUR_MS } from '../time.ts';
import type { Hours } from './hours.ts';
import { number, time } from './tables.ts';

const MAX_BARS = 168;
/** The log of one hour is shown in half a day, so that its bar does not fill the chart. */
const MIN_BARS = 12;
const MAX_TIME_TICKS = 6;
const VALUE_TICKS = 4;

/** A part of each bar, with its color. */
interface Series {
  readonly name: string;
  readonly isRefusal?: true;
}

interface Bar {
  readonly label: string;
  /** One part for each series, from the bottom. */
  readonly parts: readonly number[];
  /** The name of the bar on the axis; none where the axis would become crowded. */
  readonly tick?: string;
}

/** Positions on either axis are percentages, from the left and from the top. */
interface Placed {
  readonly from: number;
  readonly width: number;
}

interface Tick {
  readonly at: number;
  readonly label: string;
}

interface Chart {
  readonly bars: readonly (Bar & Placed)[];
  readonly ticks: readonly Tick[];
  /** What is counted, as the name of the chart and of its vertical axis. */
  readonly what: string;
  readonly axis: string;
  readonly series: readonly Series[];
}

/** Counts per hour, or per as many hours as keep the bars few. */
export function hourChart(hours: Hours, what: string, series: readonly Series[]): Html {
  const spans = hours.spans(MAX_BARS);
  if (!spans) return nothing();
  const spanMs = spans.hoursPerSpan * HOUR_MS;
  const endMs = spans.firstMs + spans.counts.length * spanMs;
  const startMs = Math.min(spans.firstMs, endMs - MIN_BARS * spanMs);
  const x = scaleUtc([startMs, endMs], [0, 100]);
  const bars = spans.counts.map((parts, index) => {
    const ms = spans.firstMs + index * spanMs;
    return { label: time(ms), parts, from: x(ms), width: x(ms + spanMs) - x(ms) };
  });
  const per = spans.hoursPerSpan === 1 ? 'hour' : `${spans.hoursPerSpan} hours`;
  const [first, last] = [startMs, endMs - 1].map((ms) => time(ms).slice(0, 10));
  return chart({
    bars,
    ticks: timeTicks(startMs, endMs).map(({ ms, label }) => ({ at: x(ms), label })),
    what: `${what} per ${per}`,
    axis: `Time (UTC), ${first === last ? first : `${first} to ${last}`}`,
    series,
  });
}

/** Bars side by side that no scale places, such as classes. */
export function barChart(
  bars: readonly Bar[],
  what: string,
  axis: string,
  series: readonly Series[],
): Html {
  const x = scaleBand(bars.keys(), [0, 100]);
  const placed = bars.map((bar, index) => ({ ...bar, from: x(index)!, width: x.bandwidth() }));
  const ticks = placed.flatMap(({ tick, from, width }) =>
    tick === undefined ? [] : [{ at: from + width / 2, label: tick }],
  );
  return chart({ bars: placed, ticks, what, axis, series });
}

/** At most six, so that they fit on a phone. The date is at midnight and where no hours do. */
export function timeTicks(startMs: number, endMs: number): { ms: number; label: string }[] {
  const x = scaleUtc([startMs, endMs], [0, 100]);
  const kept = fewTicks((count) => x.ticks(count));
  const isOfYears = endMs - startMs > 300 * DAY_MS;
  const date = x.tickFormat(MAX_TIME_TICKS, isOfYears ? '%b %Y' : '%b %-d');
  const hour = x.tickFormat(MAX_TIME_TICKS, '%H:%M');
  return kept.map((tick) => {
    const ms = tick.getTime();
    return { ms, label: (ms % DAY_MS === 0 ? date : hour)(tick) };
  });
}

/**
 * The finest ticks that fit. d3 may skip from too many to a single one (from quarters to years); then some
 * of the many are left out.
 */
function fewTicks(ticks: (count: number) => readonly Date[]): readonly Date[] {
  const many = ticks(MAX_TIME_TICKS);
  for (let count = MAX_TIME_TICKS; count >= 2; count--) {
    const few = ticks(count);
    if (few.length >= 2 && few.length <= MAX_TIME_TICKS) return few;
  }
  const step = Math.ceil(many.length / MAX_TIME_TICKS);
  return many.filter((_, index) => index % step === 0);
}

/** Whole numbers from zero to at least the highest value. */
export function valueTicks(highest: number): number[] {
  return scaleLinear([0, Math.max(1, highest)], [100, 0])
    .nice(VALUE_TICKS)
    .ticks(VALUE_TICKS)
    .filter(Number.isInteger);
}

function chart({ bars, ticks, what, axis, series }: Chart): Html {
  const totals = bars.map(({ parts }) => sum(parts));
  const highest = totals.reduce((most, total) => Math.max(most, total), 0);
  if (highest === 0) return nothing();
  const values = valueTicks(highest);
  const y = scaleLinear([0, values.at(-1)!], [100, 0]);
  const lines = values.map(
    (value) =>
      html`<line x2="100%" y1="${percent(y(value))}" y2="${percent(y(value))}"/><text class="value" dx="-8" dy=".35em" y="${percent(y(value))}">${number(value)}</text>`,
  );
  const labels = ticks.map(
    ({ at, label }) =>
      html`<line class="tick" x1="${percent(at)}" x2="${percent(at)}" y1="100%" y2="102%"/><text dy="1.6em" x="${percent(at)}" y="100%">${label}</text>`,
  );
  const name = `${what}, at most ${number(highest)}`;
  return html`<figure class="chart"><figcaption>${what}${legend(series)}</figcaption>
<svg role="img" aria-label="${name}">${lines}${bars.map((bar) => drawn(bar, y, series))}${labels}</svg>
<p class="soft">${axis}</p></figure>`;
}

function drawn(
  { label, parts, from, width }: Bar & Placed,
  y: (value: number) => number,
  series: readonly Series[],
): Html {
  const counts = series.map(({ name }, at) => `${number(parts[at] ?? 0)} ${name}`).join(', ');
  let below = 0;
  const pieces = series.map(({ isRefusal }, at) => {
    const bottom = y(below);
    below += parts[at] ?? 0;
    const top = y(below);
    return html`<rect x="${percent(from + width / 10)}" y="${percent(top)}" width="${percent(width * 0.8)}" height="${percent(bottom - top)}"${isRefusal && html` class="refused"`}/>`;
  });
  return html`<g><title>${label}: ${counts}</title>${pieces}</g>`;
}

function legend(series: readonly Series[]): Html | undefined {
  if (series.length < 2) return undefined;
  const keys = series.map(
    ({ name, isRefusal }) => html` <span class="key${isRefusal && ' refused'}">${name}</span>`,
  );
  return html`${keys}`;
}

function nothing(): Html {
  return html`<p class="soft">Nothing to show.</p>`;
}

function percent(value: number): string {
  return `${Math.round(value * 100) / 100}%`;
}

function sum(parts: readonly number[]): number {
  return parts.reduce((total, part) => total + part, 0);
}
