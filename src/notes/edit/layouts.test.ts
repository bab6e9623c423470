import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNote } from '../markdown/parse-note.ts';
import { LAYOUTS, layouts } from './layouts.ts';

test('every layout has conventions, and notes with a title', () => {
  for (const layout of LAYOUTS) {
    assert.match(layouts[layout].instructions, /^# Conventions\n/);
    for (const [path, text] of Object.entries(layouts[layout].notes)) {
      assert.match(path, /^(?:[a-z]+\/)?[a-z]+\.md$/);
      assert.notEqual(parseNote(Buffer.from(text)).title, undefined, path);
      assert.ok(text.endsWith('\n'));
    }
  }
});
