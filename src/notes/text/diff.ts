/** What an edit changed, as a unified diff that is short enough to be read and never costs much. */

const CONTEXT = 3;
const LONGEST_BYTES = 4096;
const LONGEST_LINE = 300;
/** Beyond this many changed lines the middle is shown as taken out and put in whole. */
const MOST_STEPS = 400;

interface Hunk {
  readonly before: number;
  readonly beforeEnd: number;
  readonly after: number;
  readonly afterEnd: number;
}

/** Empty where nothing changed; cut at 4 KB, and says so. */
export function diff(before: Buffer, after: Buffer): string {
  if (before.equals(after)) return '';
  const [old, now] = [linesOf(before), linesOf(after)];
  const out: string[] = [];
  let length = 0;
  for (const line of writeHunks(old, now, grouped(changes(old, now)))) {
    length += Buffer.byteLength(line) + 1;
    if (length > LONGEST_BYTES - 32) return [...out, '... the rest is not shown'].join('\n');
    out.push(line);
  }
  return out.join('\n');
}

/** Lines with their ends, so that a changed line end is a changed line. */
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

/** Myers' greedy search for the fewest lines changed, given up after a bounded number of steps. */
function shortestEdit(old: readonly string[], now: readonly string[]): Hunk[] {
  const whole = { before: 0, beforeEnd: old.length, after: 0, afterEnd: now.length };
  const trails: Map<number, number>[] = [];
  let reached = new Map([[1, 0]]);
  for (let steps = 0; steps <= MOST_STEPS; steps++) {
    trails.push(reached);
    const next = new Map(reached);
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

/** Changes whose surroundings touch are shown as one. */
function grouped(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1);
    if (last && hunk.before - last.at(-1)!.beforeEnd <= 2 * CONTEXT) last.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function* writeHunks(old: readonly string[], now: readonly string[], groups: readonly Hunk[][]) {
  for (const group of groups) {
    const [first, last] = [group[0]!, group.at(-1)!];
    const lead = Math.min(CONTEXT, first.before);
    const tail = Math.min(CONTEXT, old.length - last.beforeEnd);
    const [before, after] = [first.before - lead, first.after - lead];
    yield `@@ -${before + 1},${last.beforeEnd + tail - before} +${after + 1},${last.afterEnd + tail - after} @@`;
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
  return mark + (text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}...` : text);
}
