/** Plots of a report: bars that stand side by side, each with what it means as its title. */
import { type Html, html } from '../pages/html.ts';
import type { Hours } from './hours.ts';
import { number, time } from './tables.ts';

const MAX_BARS = 168;
const HOUR_MS = 3_600_000;

export interface Bar {
  readonly label: string;
  /** One part of the bar for each series, from below. */
  readonly parts: readonly number[];
}

/** What a part is called; those of refusals have their own colour. */
export interface Series {
  readonly name: string;
  readonly isRefusal?: true;
}

export function hourChart(hours: Hours, what: string, series: readonly Series[]): Html {
  const spans = hours.spans(MAX_BARS);
  if (!spans) return html`<p class="soft">Nothing to show.</p>`;
  const { firstMs, hoursPerSpan, counts } = spans;
  const bars = counts.map((parts, index) => ({
    label: time(firstMs + index * hoursPerSpan * HOUR_MS),
    parts,
  }));
  return barChart(
    bars,
    `${what} per ${hoursPerSpan === 1 ? 'hour' : `${hoursPerSpan} hours`}`,
    series,
  );
}

export function barChart(bars: readonly Bar[], what: string, series: readonly Series[]): Html {
  const highest = Math.max(1, ...bars.map(({ parts }) => sum(parts)));
  const drawn = bars.map(({ label, parts }, index) => {
    const told = series.map(({ name }, at) => `${number(parts[at] ?? 0)} ${name}`).join(', ');
    let top = 100;
    const pieces = series.map(({ isRefusal }, at) => {
      const height = Math.round(((parts[at] ?? 0) / highest) * 1000) / 10;
      top -= height;
      return html`<rect x="${index * 10 + 1}" y="${Math.round(top * 10) / 10}" width="8" height="${height}"${isRefusal && html` class="refused"`}/>`;
    });
    return html`<g><title>${label}: ${told}</title>${pieces}</g>`;
  });
  const name = `${what}, at most ${number(highest)}`;
  const ends = [bars[0], bars.at(-1)].map((bar) => html`<span>${bar?.label ?? ''}</span>`);
  return html`<svg class="chart" viewBox="0 0 ${bars.length * 10} 100" preserveAspectRatio="none" role="img" aria-label="${name}">${drawn}</svg>
<p class="soft axis">${ends}</p><p class="soft">${name}${legend(series)}</p>`;
}

function legend(series: readonly Series[]): Html | undefined {
  if (series.length < 2) return undefined;
  const keys = series.map(
    ({ name, isRefusal }) => html` <span class="key${isRefusal && ' refused'}">${name}</span>`,
  );
  return html`.${keys}`;
}

function sum(parts: readonly number[]): number {
  return parts.reduce((total, part) => total + part, 0);
}
