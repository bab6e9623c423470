/** Duplicates between a moved section and the note that it moves to are reported. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

const HEADING = 'both notes have the heading "Tasks"; links to it lead to the first';
const BLOCK = 'both notes have the block "^b1"; links to it lead to the first';

const SOURCE = '# S\n\n## Tasks\n\nmine ^b1\n';
const TARGET = '# T\n\n## Tasks\n\nother ^b1\n';
const BEFORE = { path: 't.md', heading: 'Tasks', position: 'before' };

const rows: [what: string, files: Record<string, string>, to: unknown, warnings: string[]][] = [
  ['links to a heading', { 'm.md': '[[s#Tasks]] [x](s.md#tasks)' }, 't.md', [HEADING]],
  ['links to a block', { 'm.md': '[[s#^b1]]' }, 't.md', [BLOCK]],
  ['a link of the note it leaves', { 's.md': `[[#Tasks]]\n\n${SOURCE}` }, 't.md', [HEADING]],
  ['a link to its own block', { 's.md': `${SOURCE}\n[[#^b1]]\n` }, 't.md', [BLOCK]],
  ['links that lead to the other one', { 'm.md': '[[t#Tasks]] [[t#^b1]] [[s]]' }, 't.md', []],
  ['a section that stands first', { 'm.md': '[[s#Tasks]] [[s#^b1]]' }, BEFORE, []],
  ['links to what is second then', { 'm.md': '[[t#Tasks]] [[t#^b1]]' }, BEFORE, [HEADING, BLOCK]],
  ['links of the note it comes to', { 't.md': `[[#Tasks]]\n\n${TARGET}` }, BEFORE, [HEADING]],
  ['other headings', { 't.md': '# T\n', 'm.md': '[[s#Tasks]] [[s#^b1]]' }, 't.md', []],
];

describe('a heading or a block that both notes have', () => {
  for (const [what, files, to, warnings] of rows) {
    test(`${what}: ${warnings.length === 0 ? 'no' : warnings.length} warning`, async (context) => {
      const all = { 's.md': SOURCE, 't.md': TARGET, ...files };
      const bench = await notesBench(context, { files: all });
      const move = { path: 's', mode: 'move_section', heading: 'Tasks', to };
      const result = await bench.call('note_section_edit', move);
      assert.deepEqual(result.warnings, warnings);
    });
  }
});
