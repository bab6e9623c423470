import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IndexState } from '../index/note-index.ts';
import { Progress } from './progress.ts';

const at = (indexed: number, onDisk: number, skipped = 0): IndexState => ({
  state: 'building',
  indexed,
  onDisk,
  skipped,
});

function written(columns: number | undefined) {
  let [text, nowMs] = ['', 0];
  const screen = {
    write: (more: string) => {
      text += more;
    },
    columns,
  };
  const progress = new Progress(screen, () => nowMs);
  return {
    progress,
    text: () => text,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('in a pipe there is a line at once, one every five seconds, and one at the end', () => {
  const { progress, text, pass } = written(undefined);
  progress.show('a', at(0, 0), false);
  progress.show('a', at(0, 900), false);
  pass(4_999);
  progress.show('a', at(300, 900), false);
  pass(1);
  progress.show('a', at(600, 900), false);
  progress.show('a', at(898, 900, 2), true);
  const lines = [
    'a: 0 of 900 notes',
    'a: 600 of 900 notes',
    'a: 898 of 900 notes indexed, 2 skipped',
  ];
  assert.equal(text(), lines.map((line) => `${line}\n`).join(''));
});

test('on a terminal the bar is drawn over itself and makes room for the line at the end', () => {
  const { progress, text } = written(80);
  progress.show('a', at(0, 0), false);
  progress.show('a', at(450, 900), false);
  progress.show('a', at(900, 900), true);
  const clear = '\r\x1b[2K';
  assert.deepEqual(text().split(clear), [
    '',
    `a [${'.'.repeat(30)}] 0 of 0 notes`,
    `a [${'#'.repeat(15)}${'.'.repeat(15)}] 450 of 900 notes`,
    'a: 900 of 900 notes indexed\n',
  ]);
});

test('the bar never breaks into a second row, however narrow the terminal is', () => {
  const { progress, text } = written(20);
  progress.show('a', at(450, 900), false);
  assert.ok(text().replace('\r\x1b[2K', '').length < 20);
});

test('sections that are embedded have the same bar, and a line at the end with the reason', () => {
  const { progress, text } = written(80);
  progress.showMeaning('a', { state: 'building', done: 10, total: 20 });
  progress.showMeaning('a', { state: 'ready', done: 20, total: 20 });
  progress.showMeaning('b', { state: 'failing', done: 3, total: 20, reason: 'it is down' });
  assert.match(text(), /a \[#{15}\.{15}\] 10 of 20 sections embedded/);
  assert.match(text(), /a: 20 sections embedded\nb: 3 of 20 sections embedded; it is down\n$/);
});
