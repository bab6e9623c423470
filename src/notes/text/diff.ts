/** A unified diff, bounded in length and in work. */
import { lineStarts } from './lines.ts';

const CONTEXT = 3;
const MAX_BYTES = 4096;
const MAX_LINE_LENGTH = 300;
/** With more changed lines than this, everything between the first and last change is replaced. */
const MAX_STEPS = 400;

interface Hunk {
  readonly before: number;
  readonly beforeEnd: number;
  readonly after: number;
  readonly afterEnd: number;
}

/** Empty if nothing changed; truncated at 4 KB with a note. */
export function diff(before: Buffer, after: Buffer): string {
  return diffWithin(before, after, MAX_BYTES);
}

export function diffWithin(before: Buffer, after: Buffer, maxBytes: number): string {
  if (before.equals(after)) return '';
  const { from, beforeEnd, afterEnd } = changedPart(before, after);
  const old = linesOf(before.subarray(from, beforeEnd));
  const now = linesOf(after.subarray(from, afterEnd));
  const out: string[] = [];
  let length = 0;
  const skipped = from === 0 ? 0 : lineStarts(before.toString('latin1', 0, from)).length;
  for (const line of writeHunks(old, now, grouped(changes(old, now)), skipped)) {
    length += Buffer.byteLength(line) + 1;
    if (length > maxBytes - 32) return [...out, '... the rest is not shown'].join('\n');
    out.push(line);
  }
  return out.join('\n');
}

/**
 * The range that contains every change and its context lines. Only this range is split into lines,
 * so the cost of a small edit to a large note stays small.
 */
function changedPart(before: Buffer, after: Buffer) {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let same = 0;
  const most = shorter - from;
  while (same < most && before[before.length - 1 - same] === after[after.length - 1 - same]) same++;
  for (let lines = 0; lines <= CONTEXT; lines++) from = lastLineEnd(before, from - 1);
  from = from === 0 ? 0 : from + 1;
  let beforeEnd = before.length - same;
  for (let lines = 0; lines <= CONTEXT && beforeEnd < before.length; lines++) {
    const newline = before.indexOf(10, beforeEnd);
    beforeEnd = newline === -1 ? before.length : newline + 1;
  }
  return { from, beforeEnd, afterEnd: after.length - (before.length - beforeEnd) };
}

function lastLineEnd(bytes: Buffer, at: number): number {
  return at < 0 ? 0 : Math.max(0, bytes.lastIndexOf(10, at));
}

/** Lines with their line ends, so that a changed line end is a changed line. */
function linesOf(bytes: Buffer): string[] {
  return bytes.toString('utf8').match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}

function changes(old: readonly string[], now: readonly string[]): Hunk[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let [oldEnd, nowEnd] = [old.length, now.length];
  while (oldEnd > start && nowEnd > start && old[oldEnd - 1] === now[nowEnd - 1]) {
    oldEnd--;
    nowEnd--;
  }
  const middle = shortestEdit(old.slice(start, oldEnd), now.slice(start, nowEnd));
  return middle.map(({ before, beforeEnd, after, afterEnd }) => ({
    before: before + start,
    beforeEnd: beforeEnd + start,
    after: after + start,
    afterEnd: afterEnd + start,
  }));
}

/** Myers' O(ND) diff, abandoned after `MAX_STEPS`. */
function shortestEdit(old: readonly string[], now: readonly string[]): Hunk[] {
  const whole = { before: 0, beforeEnd: old.length, after: 0, afterEnd: now.length };
  if (old.length === 0 || now.length === 0)
    return whole.beforeEnd + whole.afterEnd > 0 ? [whole] : [];
  const trails: Map<number, number>[] = [];
  let reached = new Map([[1, 0]]);
  for (let steps = 0; steps <= MAX_STEPS; steps++) {
    trails.push(reached);
    // A step asks for the diagonals of the one before, which are all others.
    const next = new Map<number, number>();
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      let x = goesDown(reached, diagonal, steps)
        ? at(reached, diagonal + 1)
        : at(reached, diagonal - 1) + 1;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++;
      next.set(diagonal, x);
      if (x >= old.length && x - diagonal >= now.length) {
        return trace(trails, old.length, now.length);
      }
    }
    reached = next;
  }
  return [whole];
}

function goesDown(reached: Map<number, number>, diagonal: number, steps: number): boolean {
  if (diagonal === -steps) return true;
  return diagonal !== steps && at(reached, diagonal - 1) < at(reached, diagonal + 1);
}

function at(reached: Map<number, number>, diagonal: number): number {
  return reached.get(diagonal) ?? 0;
}

function trace(
  trails: readonly Map<number, number>[],
  oldLength: number,
  nowLength: number,
): Hunk[] {
  const hunks: Hunk[] = [];
  let [x, y] = [oldLength, nowLength];
  for (let steps = trails.length - 1; steps > 0; steps--) {
    const reached = trails[steps]!;
    const down = goesDown(reached, x - y, steps);
    const diagonal = down ? x - y + 1 : x - y - 1;
    const fromX = at(reached, diagonal);
    const fromY = fromX - diagonal;
    hunks.push({
      before: fromX,
      beforeEnd: down ? fromX : fromX + 1,
      after: fromY,
      afterEnd: down ? fromY + 1 : fromY,
    });
    [x, y] = [fromX, fromY];
  }
  return hunks.reverse();
}

/** Merges changes whose context lines overlap. */
function grouped(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1);
    if (last && hunk.before - last.at(-1)!.beforeEnd <= 2 * CONTEXT) last.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

/** `skipped` is the number of lines before `old` and `now`. */
function* writeHunks(
  old: readonly string[],
  now: readonly string[],
  groups: readonly Hunk[][],
  skipped: number,
) {
  for (const group of groups) {
    const [first, last] = [group[0]!, group.at(-1)!];
    const lead = Math.min(CONTEXT, first.before);
    const tail = Math.min(CONTEXT, old.length - last.beforeEnd);
    const [before, after] = [first.before - lead, first.after - lead];
    const [oldLine, nowLine] = [skipped + before + 1, skipped + after + 1];
    yield `@@ -${oldLine},${last.beforeEnd + tail - before} +${nowLine},${last.afterEnd + tail - after} @@`;
    let position = before;
    for (const hunk of group) {
      for (; position < hunk.before; position++) yield shown(' ', old[position]!);
      for (; position < hunk.beforeEnd; position++) yield shown('-', old[position]!);
      for (let line = hunk.after; line < hunk.afterEnd; line++) yield shown('+', now[line]!);
    }
    for (; position < last.beforeEnd + tail; position++) yield shown(' ', old[position]!);
  }
}

function shown(mark: string, line: string): string {
  const text = line.replace(/(?:\r\n|\n|\r)$/, '');
  return mark + (text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)}...` : text);
}
