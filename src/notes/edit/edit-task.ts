/** `task_toggle`: sets the state of one task, which is a sign in brackets or a word. */

import type { Task, WholeNote } from '../markdown/parsed-note.ts';
import { readTask, stateFor } from '../markdown/tasks.ts';
import { EditError, invalidArguments } from '../text/edit-error.ts';
import type { Replacement } from '../text/replacements.ts';
import { mostSimilar } from '../text/similar.ts';

export interface TaskEdit {
  readonly line?: number;
  readonly text?: string;
  /** The text the caller has read; another text is refused. */
  readonly expected_text?: string;
  /** Toggles when absent, without a state. */
  readonly done?: boolean;
  /** A sign for a task with brackets; a word for a task with a word. */
  readonly state?: string;
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
  const state = edit.state ?? (done === task.done ? task.state : stateFor(task, done));
  if (state === task.state) return [];
  const end = task.mark + task.state.length;
  const { latin1 } = note;
  const line = latin1.slice(task.start, task.mark) + state + latin1.slice(end, end + 2);
  if (readTask(line, 0, task.line)?.state !== state) throw invalidState(task);
  return [{ start: task.mark, end, bytes: Buffer.from(state) }];
}

function invalidState(task: Task): EditError {
  return invalidArguments(
    task.state.length === 1
      ? 'the state of this task is one sign, such as "x", " ", "/" or "-"'
      : 'the state of this task is a word: TODO, DOING, NOW, LATER, WAITING, IN-PROGRESS, DONE or CANCELED',
  );
}

function findTask(note: WholeNote, { line, text }: TaskEdit): Task {
  if ((line === undefined) === (text === undefined)) {
    throw invalidArguments('give either line or text');
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

function describe({ line, text, done, state }: Task) {
  return { line, text, done, state };
}
