/**
 * The parts of the pages of both consoles. A model, an app or an upstream may have chosen any text in
 * them: it is escaped, its direction is isolated, and invisible characters are shown as escapes.
 */
import { escapeUnprintable } from '../core/log/unprintable.ts';
import { type Html, html } from '../core/pages/html.ts';

export type Cell = Html | string | number | undefined;

/** The title of a column; a short column stays on one line. */
type Head = string | { readonly short: string };

/** A text of unknown origin. */
export function visible(text: string, maxLength = Number.POSITIVE_INFINITY): Html {
  const shown = escapeUnprintable(text);
  return html`<bdi>${shown.length > maxLength ? `${shown.slice(0, maxLength)}…` : shown}</bdi>`;
}

export function moment(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>`;
}

/** `12 min`, `3 h`, `4 days`: how long something has been or will be. */
export function span(ms: number): string {
  const units: [string, number][] = [
    ['s', 1_000],
    ['min', 60_000],
    ['h', 3_600_000],
    ['days', 86_400_000],
  ];
  const [unit, length] = units.findLast(([, least]) => ms >= 2 * least) ?? units[0]!;
  return `${Math.max(0, Math.round(ms / length))} ${unit}`;
}

/** A part of the page under a heading; a live one is replaced while the page is open. */
export function section(id: string, title: string, body: Html, note?: string): Html {
  return html`<section id="${id}" data-live><h2>${title}</h2>
${note !== undefined && html`<p class="soft">${note}</p>\n`}${body}
</section>
`;
}

/**
 * The box scrolls on its own, so it can be reached by the keyboard and has a name. On a phone each row is
 * a block of named values, which stays a table for a screen reader by its roles.
 */
export function listing(
  name: string,
  heads: readonly Head[],
  rows: readonly (readonly Cell[])[],
  empty = 'None.',
): Html {
  if (rows.length === 0) return html`<p class="soft">${empty}</p>`;
  const named = heads.map((head) => {
    const { title, kind } = columnOf(head);
    if (title === '') return html`<td role="cell"${kind}></td>`;
    return html`<th role="columnheader" scope="col"${kind}>${title}</th>`;
  });
  const lines = rows.map((cells) => {
    const shown = cells.map((cell, at) => cellOf(cell, heads[at]!));
    return html`<tr role="row">${shown}</tr>\n`;
  });
  return html`<div class="table rows" role="group" aria-label="Table: ${name}" tabindex="0"><table role="table"><thead role="rowgroup"><tr role="row">${named}</tr></thead>
<tbody role="rowgroup">${lines}</tbody></table></div>`;
}

function columnOf(head: Head): { readonly title: string; readonly kind: Html | false } {
  if (typeof head === 'string') return { title: head, kind: false };
  return { title: head.short, kind: html` class="when"` };
}

function cellOf(cell: Cell, head: Head): Html {
  const { title, kind } = columnOf(head);
  if (cell === undefined || cell === '') return html`<td role="cell"${kind}></td>`;
  const label = title !== '' && html` data-h="${title}"`;
  const text = typeof cell === 'string' ? visible(cell) : cell;
  return html`<td role="cell"${kind}${label}><div>${text}</div></td>`;
}

interface ActionOptions {
  readonly csrf: Html;
  readonly path: string;
  readonly label: string;
  /** What is acted on, for those who do not see where the button is. */
  readonly about: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly isDanger?: boolean;
}

/** A button that posts. */
export function action({ csrf, path, label, about, fields, isDanger }: ActionOptions): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${path}">${csrf}${hidden}<button class="small${isDanger && ' danger'}" type="submit">${label}<span class="unseen"> ${visible(about, 80)}</span></button></form>`;
}

export function facts(entries: readonly (readonly [name: string, value: Cell])[]): Html {
  const items = entries.flatMap(([name, value]) =>
    value === undefined
      ? []
      : html`<div><dt>${name}</dt><dd>${typeof value === 'string' ? visible(value) : value}</dd></div>\n`,
  );
  return html`<dl class="facts">${items}</dl>`;
}
