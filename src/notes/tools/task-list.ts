/** `task_list`: tasks of all notes by due date. */
import { Type } from '../../mcp/schema.ts';
import { dayBefore, dayOf } from '../text/day.ts';
import { clippedPage } from '../tool-kit/fit.ts';
import { CURSOR, limitOf, PREFIX, readPrefix, unlessReady } from '../tool-kit/listing.ts';
import { readDay } from '../tool-kit/moments.ts';
import { defineNotesTool, READS } from '../tool-kit/notes-tool.ts';

const DEFAULT_LIMIT = 50;

export const taskList = defineNotesTool({
  name: 'task_list',
  title: 'List tasks',
  description: 'Checkbox tasks of all notes with path and line, the earliest due first.',
  arguments: {
    prefix: PREFIX,
    done: Type.Optional(Type.Boolean({ description: 'Absent: open and done ones.' })),
    state: Type.Optional(Type.String({ maxLength: 20, description: 'Such as / or DOING.' })),
    contains: Type.Optional(Type.String({ maxLength: 200 })),
    due: Type.Optional(
      Type.String({
        maxLength: 30,
        description: 'A day, today, overdue, or a range: 2026-11-01..2026-11-30, ..today.',
      }),
    ),
    limit: limitOf(DEFAULT_LIMIT, 200),
    cursor: CURSOR,
  },
  annotations: READS,
  run: async ({ prefix, due, limit = DEFAULT_LIMIT, ...args }, { open, parts }) => {
    const query = {
      ...args,
      ...(await readPrefix(open, prefix)),
      ...(due !== undefined && readDue(due, parts.now())),
    };
    const { items, ...rest } = await clippedPage(limit, (count) =>
      open.index.tasks({ ...query, limit: count }),
    );
    return { vault: open.name, tasks: items, ...rest, ...unlessReady(open) };
  },
});

/** Both bounds are inclusive; an empty bound is open. */
function readDue(due: string, now: Date): { dueAfter?: string; dueBefore?: string } {
  if (due === 'overdue') return { dueBefore: dayBefore(dayOf(now)) };
  const [from = '', to = from] = due.split('..', 2);
  if (from === '' && to === '') readDay(due, now);
  return {
    ...(from !== '' && { dueAfter: readDay(from, now) }),
    ...(to !== '' && { dueBefore: readDay(to, now) }),
  };
}
