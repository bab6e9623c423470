/**
 * Figures and tables of a report. Strangers chose the texts of cells: HTML is escaped, and invisible and
 * bidirectional characters are shown as escapes.
 */
import { escapeUnprintable } from '../log/unprintable.ts';
import { type Html, html } from '../pages/html.ts';

const CLASSES = { number: 'n', time: 'when', short: 'when', wide: 'wide' } as const;
const MAX_SHORT = 32;

export interface Column<T> {
  readonly title: string;
  /** A short text and a time stay on one line; a wide text gets the most room. */
  readonly kind?: keyof typeof CLASSES;
  /** A number column may hold a text where there is no number; it is sorted as less than any. */
  readonly cell: (row: T) => string | number;
}

export function figures(facts: readonly (readonly [name: string, value: string | number])[]): Html {
  const items = facts.map(([name, value]) => {
    const shown = typeof value === 'number' ? number(value) : value;
    return html`<div><dt>${name}</dt><dd>${shown}</dd></div>`;
  });
  return html`<dl class="figures">${items}</dl>`;
}

/** A table under its title, or `None.` */
export function tableSection<T>(
  title: string,
  rows: readonly T[],
  columns: readonly Column<T>[],
  total = rows.length,
  which: 'first' | 'last' = 'first',
): Html {
  const body = rows.length === 0 ? html`<p class="soft">None.</p>` : table(title, rows, columns);
  return html`<section><h2>${title}</h2>${body}${
    total > rows.length &&
    html`<p class="soft">The ${which} ${number(rows.length)} of ${number(total)}.</p>`
  }</section>`;
}

/** The box scrolls, so for keyboards and screen readers it has a tab stop and a name. */
function table<T>(name: string, rows: readonly T[], columns: readonly Column<T>[]): Html {
  const heads = columns.map(
    ({ title, kind }) => html`<th scope="col" ${classOf(kind)}>${title}</th>`,
  );
  const lines = rows.map((row) => {
    const cells = columns.map(({ cell, kind }) => {
      const value = cell(row);
      const text = typeof value === 'number' ? number(value) : escapeUnprintable(value);
      const shown =
        kind === 'short' && text.length > MAX_SHORT ? `${text.slice(0, MAX_SHORT)}…` : text;
      if (kind !== 'number') return html`<td ${classOf(kind)}>${shown}</td>`;
      return html`<td class="n" data-n="${typeof value === 'number' ? value : -1}">${shown}</td>`;
    });
    return html`<tr>${cells}</tr>\n`;
  });
  return html`<div class="table" role="group" aria-label="Table: ${name}" tabindex="0"><table><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div><p class="soft hint">The table scrolls sideways.</p>`;
}

export function number(value: number): string {
  return value.toLocaleString('en');
}

export function time(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

function classOf(kind: keyof typeof CLASSES | undefined): Html | undefined {
  return kind && html`class="${CLASSES[kind]}"`;
}
