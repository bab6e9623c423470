/**
 * What a change did to each file, as a difference of lines. Notes and their names were written by a
 * model or came with a file: every line is escaped, and what cannot be seen in it is written out.
 */
import { visible } from '../../console/kit.ts';
import { type Html, html } from '../../core/pages/html.ts';
import type { BeginRecord, MoveOperation, WriteOperation } from '../changes/journal-record.ts';
import { IN_TRASH } from '../changes/trash.ts';
import { binaryReason } from '../files/encoding.ts';
import { diffWithin } from '../text/diff.ts';

/** How many characters may still be shown. */
export interface Budget {
  chars: number;
}

const MAX_FILES = 20;
const MAX_DIFFED_BYTES = 2 * 1024 * 1024;
const MAX_PATH = 200;

export function operationsOf(
  { operations }: BeginRecord,
  written: ReadonlyMap<string, Buffer>,
  budget: Budget,
): Html {
  const shown = operations.slice(0, MAX_FILES).map((operation) => {
    if (operation.kind === 'move') return moveLine(operation);
    return writeEntry(operation, written.get(operation.afterHash), budget);
  });
  const more = operations.length - shown.length;
  return html`${shown}${more > 0 && html`<p class="soft">${more} more files.</p>`}`;
}

function moveLine({ from, to }: MoveOperation): Html {
  if (IN_TRASH.test(to)) return html`<p>${visible(from, MAX_PATH)} was moved to the trash</p>`;
  const before = IN_TRASH.test(from) ? html`the trash` : visible(from, MAX_PATH);
  return html`<p>${visible(to, MAX_PATH)} <span class="soft">came from ${before}</span></p>`;
}

function writeEntry(
  { path, before, beforeHash }: WriteOperation,
  after: Buffer | undefined,
  budget: Budget,
): Html {
  const kind = beforeHash === undefined && before === undefined ? ' was created' : '';
  return html`<p>${visible(path, MAX_PATH)}${kind}</p>${difference(before ?? Buffer.alloc(0), after, budget)}`;
}

function difference(before: Buffer, after: Buffer | undefined, budget: Budget): Html {
  const note = (text: string) => html`<p class="soft">${text}</p>`;
  if (after === undefined) {
    return note(
      'What was written is not known any more: the note was edited outside of this server.',
    );
  }
  if (binaryReason(before) !== undefined || binaryReason(after) !== undefined) {
    return note(`Not a text: ${before.length} bytes before, ${after.length} after.`);
  }
  if (before.length + after.length > MAX_DIFFED_BYTES) {
    return note(`Too large to compare here: ${after.length} bytes.`);
  }
  if (budget.chars <= 0) return note('Open the change to see what it did.');
  const shown: Html[] = [];
  let isCut = false;
  for (const line of diffWithin(before, after, Math.max(64, budget.chars)).split('\n')) {
    if (budget.chars <= 0) {
      isCut = true;
      break;
    }
    const text = line.slice(0, budget.chars);
    budget.chars -= text.length + 1;
    shown.push(lineOf(text));
  }
  if (shown.length === 0) return note('Nothing in it is different.');
  return html`<pre class="diff" tabindex="0" role="group" aria-label="Difference"><code>${shown}</code></pre>${isCut && note('The rest is not shown here.')}`;
}

function lineOf(line: string): Html {
  const [mark] = line;
  if (mark === '+') return html`<ins>${visible(line)}\n</ins>`;
  if (mark === '-') return html`<del>${visible(line)}\n</del>`;
  return html`<span>${visible(line)}\n</span>`;
}
