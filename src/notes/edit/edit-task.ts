/** `task_toggle`: sets or clears the mark of one task, which is one byte. */

import type { Task, WholeNote } from '../markdown/parsed-note.ts';
import { EditError } from '../text/edit-error.ts';
import type { Replacement } from '../text/replacements.ts';
import { mostSimilar } from '../text/similar.ts';

export interface TaskEdit {
  readonly line?: number;
  readonly text?: string;
  /** The text the caller has read; another text is refused. */
  readonly expected_text?: string;
  /** Toggles when absent. */
  readonly done?: boolean;
}

export function editTask(note: WholeNote, edit: TaskEdit): Replacement[] {
  const task = findTask(note, edit);
  if (edit.expected_text !== undefined && edit.expected_text.trim() !== task.text) {
    throw new EditError(
      'task_changed',
      `the task in line ${task.line} is now "${task.text}"; read it again`,
      { task: describe(task) },
    );
  }
  const done = edit.done ?? !task.done;
  if (done === task.done) return [];
  return [{ start: task.mark, end: task.mark + 1, bytes: Buffer.from(done ? 'x' : ' ') }];
}

function findTask(note: WholeNote, { line, text }: TaskEdit): Task {
  if ((line === undefined) === (text === undefined)) {
    throw new EditError('invalid_arguments', 'give either line or text');
  }
  const wanted = text?.trim();
  const found = note.tasks.filter((task) =>
    line !== undefined ? task.line === line : task.text === wanted,
  );
  if (found.length === 1) return found[0]!;
  const what = line !== undefined ? `in line ${line}` : `that says "${wanted}"`;
  if (found.length > 1) {
    throw new EditError('task_changed', `${found.length} tasks ${what}; give the line`, {
      candidates: found.slice(0, 20).map(describe),
    });
  }
  const similar = mostSimilar(wanted ?? '', note.tasks, (task) => task.text, 5);
  throw new EditError('task_changed', `no task ${what}; use one of the candidates`, {
    candidates: (similar.length > 0 ? similar : note.tasks.slice(0, 20)).map(describe),
  });
}

function describe({ line, text, done }: Task) {
  return { line, text, done };
}
