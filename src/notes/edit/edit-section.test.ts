import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt } from '../../../test/support/notes/attempt.ts';
import { parseNote } from '../markdown/parse-note.ts';
import { EditError } from '../text/edit-error.ts';
import { applyReplacements } from '../text/replacements.ts';
import { editSection, type SectionEdit, type SectionMode } from './edit-section.ts';

function edit(text: string, section: SectionEdit): string {
  const note = parseNote(Buffer.from(text));
  const made = attempt(editSection, note, section);
  assert.ok(!(made instanceof EditError), made instanceof EditError ? made.message : '');
  return applyReplacements(note.bytes, made).toString();
}

function refuse(text: string, section: SectionEdit): EditError {
  const made = attempt(editSection, parseNote(Buffer.from(text)), section);
  assert.ok(made instanceof EditError, 'the edit is refused');
  return made;
}

const CASES: [mode: SectionMode, more: Omit<SectionEdit, 'mode'>, before: string, after: string][] =
  [
    [
      'append_to_section',
      { heading: 'A', content: 'x' },
      '# A\n\na\n\n# B\n',
      '# A\n\na\n\nx\n\n# B\n',
    ],
    [
      'append_to_section',
      { heading: 'A', content: '- y' },
      '# A\n- x\n# B\n',
      '# A\n- x\n- y\n\n# B\n',
    ],
    [
      'append_to_section',
      { heading: 'A', content: '- y' },
      '# A\n- x\n  more\n',
      '# A\n- x\n  more\n- y\n',
    ],
    [
      'append_to_section',
      { heading: 'A', content: '| b |\n|:-:|\n| 3 |' },
      '# A\n| a |\n| - |\n',
      '# A\n| a |\n| - |\n\n| b |\n|:-:|\n| 3 |\n',
    ],
    [
      'prepend_to_section',
      { heading: 'A', content: '| b |\n| --- |' },
      '# A\n\n| a |\n| - |\n| 3 |\n',
      '# A\n\n| b |\n| --- |\n\n| a |\n| - |\n| 3 |\n',
    ],
    [
      'append_to_section',
      { heading: 'A', content: '| 3 |' },
      '# A\n| a |\n| - |\n',
      '# A\n| a |\n| - |\n| 3 |\n',
    ],
    ['append_to_section', { heading: 'A', content: 'x' }, '# A\n# B\n', '# A\n\nx\n\n# B\n'],
    ['append_to_section', { heading: 'A', content: 'x' }, '# A\n\n# B\n', '# A\n\nx\n\n# B\n'],
    ['append_to_section', { heading: 'A', content: 'x' }, '# A\na', '# A\na\n\nx'],
    ['append_to_section', { heading: 'A', content: 'x' }, '# A\r\na\r\n', '# A\r\na\r\n\r\nx\r\n'],
    ['prepend_to_section', { heading: 'A', content: 'x' }, '# A\n\na\n', '# A\n\nx\n\na\n'],
    ['prepend_to_section', { heading: 'A', content: 'x' }, '# A\na\n', '# A\n\nx\n\na\n'],
    ['prepend_to_section', { heading: 'A', content: '- x' }, '# A\n\n- a\n', '# A\n\n- x\n- a\n'],
    ['prepend_to_section', { heading: 'A', content: 'x' }, '# A', '# A\n\nx'],
    [
      'replace_section',
      { heading: 'A', content: 'x\ny' },
      '# A\n\na\n\n## C\n\n# B\n',
      '# A\n\nx\ny\n\n# B\n',
    ],
    ['replace_section', { heading: 'A', content: 'x' }, '# A\na\n# B\n', '# A\nx\n\n# B\n'],
    ['replace_section', { heading: 'A', content: '# N\nx' }, '# A\na\n\n# B\n', '# N\nx\n\n# B\n'],
    [
      'replace_section',
      { heading: 'A', content: '## N\nx' },
      '# A\na\n\n# B\n',
      '# A\n## N\nx\n\n# B\n',
    ],
    ['replace_section', { heading: 'A', content: '' }, '# A\na\n\n# B\n', '# A\n\n# B\n'],
    ['replace_section', { heading: 'A', content: 'x' }, '# A\n\n# B\n', '# A\n\nx\n\n# B\n'],
    [
      'insert_before_section',
      { heading: 'B', content: '# X' },
      '# A\na\n# B\n',
      '# A\na\n\n# X\n\n# B\n',
    ],
    [
      'insert_after_section',
      { heading: 'A', content: '# X' },
      '# A\n## C\n\n# B\n',
      '# A\n## C\n\n# X\n\n# B\n',
    ],
    ['insert_after_section', { heading: 'B', content: '# X' }, '# A\n# B\nb', '# A\n# B\nb\n\n# X'],
    ['delete_section', { heading: 'A' }, 'p\n\n# A\na\n## C\n# B\n', 'p\n\n# B\n'],
    ['delete_section', { heading: 'A' }, 'p\n# A\na\n# B\n', 'p\n# B\n'],
    ['delete_section', { heading: 'A' }, 'p\n# A\na\n\nB\n===\n', 'p\n\nB\n===\n'],
    ['delete_section', { heading: 'A' }, 'p\r\n# A\r\n\r\nB\r\n===\r\n', 'p\r\n\r\nB\r\n===\r\n'],
    ['append_to_note', { content: 'x' }, 'a', 'a\n\nx'],
    ['append_to_note', { content: 'x' }, '', 'x\n'],
    ['append_to_note', { content: 'x\n\n' }, 'a\n\n\n', 'a\n\n\nx\n'],
    ['append_to_note', { content: '- y' }, '- x\n\n', '- x\n- y\n\n'],
    ['append_to_note', { content: 'x\ny' }, 'a\r\nb\r\n', 'a\r\nb\r\n\r\nx\r\ny\r\n'],
    ['append_to_note', { content: 'x' }, '---\na: 1\n---', '---\na: 1\n---\nx'],
    ['append_to_note', { content: 'x' }, '````\n```\na\n', '````\n```\na\n````\n\nx\n'],
    ['append_to_note', { content: 'x' }, '~~~\na', '~~~\na\n~~~\n\nx'],
    ['prepend_to_note', { content: 'x' }, '---\na: 1\n---\n# A\n', '---\na: 1\n---\nx\n\n# A\n'],
    ['prepend_to_note', { content: 'x' }, '\ufeffa', '\ufeffx\n\na'],
    ['prepend_to_note', { content: '---\nx' }, 'a\n\n---\n', '\n---\nx\n\na\n\n---\n'],
    ['rename_heading', { heading: 'A', to: 'É' }, '## A ##\na\n', '## É ##\na\n'],
    ['rename_heading', { line: 2, to: 'X' }, 'A\n===\n', 'X\n===\n'],
    ['rename_heading', { line: 1, to: 'X' }, '#\n', '# X\n'],
    ['move_section', { heading: 'A', to: 'B' }, '# A\na\n\n# B\nb\n', '# B\nb\n\n# A\na\n'],
    [
      'move_section',
      { heading: 'C', to: 'B' },
      '# A\n## C\nc\n# B\nb\n',
      '# A\n# B\nb\n\n## C\nc\n',
    ],
    [
      'move_section',
      { heading: 'B', to: { heading: 'A', position: 'before' } },
      '# A\na\n# B\nb',
      '# B\nb\n\n# A\na\n',
    ],
    ['move_section', { heading: 'B', to: 'A' }, '# A\na\n# B\nb\n', '# A\na\n# B\nb\n'],
    [
      'append_to_section',
      { heading: 'N', content: 'x', create: true },
      '# A\n',
      '# A\n\n## N\n\nx\n',
    ],
    [
      'append_to_section',
      { heading_path: ['A', 'N', 'M'], content: 'x', create: true },
      '# A\na\n\n# B\n',
      '# A\na\n\n## N\n\n### M\n\nx\n\n# B\n',
    ],
  ];

test('each mode puts the content where it says and empty lines where they are needed', () => {
  for (const [mode, more, before, after] of CASES) {
    assert.equal(edit(before, { mode, ...more }), after, `${mode} in ${JSON.stringify(before)}`);
  }
});

test('a text that underlines nothing makes no heading', () => {
  for (const content of ['---', '===', '-', '=', '- - -', '---\n===']) {
    for (const before of ['a', 'a\n', 'a\r\n', '# A\na\n', '- a\n', '> a\n', 'a\n\nb\n']) {
      const after = edit(before, { mode: 'append_to_note', content });
      const headings = parseNote(Buffer.from(after)).headings.length;
      assert.equal(headings, before.startsWith('#') ? 1 : 0, JSON.stringify(after));
    }
  }
});

test('appended to again and again, a created section stays one', () => {
  let text = '# T\n';
  for (const content of ['- a', '- b']) {
    text = edit(text, {
      mode: 'append_to_section',
      heading_path: ['T', 'Log'],
      content,
      create: true,
    });
  }
  assert.equal(text, '# T\n\n## Log\n\n- a\n- b\n');
});

const TWINS = '# A\n## Notes\n1\n# B\n## notes\n2\n## Notes archive\n3\n```\n# Fenced\n```\n';

test('twin headings are refused with the candidates', () => {
  const error = refuse(TWINS, { mode: 'delete_section', heading: 'Notes' });
  assert.equal(error.code, 'heading_ambiguous');
  assert.deepEqual(error.data, {
    candidates: [
      { heading_path: ['A', 'Notes'], line: 2, level: 2 },
      { heading_path: ['B', 'notes'], line: 5, level: 2 },
    ],
  });
});

test('a path or a line tells twins apart', () => {
  const expected = TWINS.replace('1\n', '1\n\nx\n\n');
  for (const address of [{ heading_path: ['a', 'NOTES'] }, { line: 2 }]) {
    assert.equal(edit(TWINS, { mode: 'append_to_section', content: 'x', ...address }), expected);
  }
});

const NOT_FOUND: Omit<SectionEdit, 'mode'>[] = [
  { heading: 'Note' },
  { heading: 'Notes arch' },
  { heading: 'archive' },
  { heading: 'Fenced' },
  { heading_path: ['Notes'] },
  { heading_path: ['A', 'Notes archive'] },
  { heading_path: ['A', 'Notes', 'x'] },
  { line: 3 },
  { line: 9 },
  { line: 99 },
];

test('a part of a name, a fenced line and another path are no heading', () => {
  for (const address of NOT_FOUND) {
    const error = refuse(TWINS, { mode: 'delete_section', ...address });
    assert.equal(error.code, 'heading_not_found', JSON.stringify(address));
    assert.ok(Array.isArray(error.data.candidates));
  }
});

test('an underlined heading that replaces another stays apart from the line before it', () => {
  const section: SectionEdit = { mode: 'replace_section', heading: 'B', content: 'C\n---\n\nx' };
  assert.equal(edit('- a\n## B\ny\n', section), '- a\n\nC\n---\n\nx\n');
  assert.equal(edit('a\n## B\ny\n', section), 'a\n\nC\n---\n\nx\n');
  assert.equal(edit('# A\n\n## B\ny\n', section), '# A\n\nC\n---\n\nx\n');
  assert.equal(edit('## B\ny\n', section), 'C\n---\n\nx\n');
  assert.equal(edit('---\nk: 1\n---\n## B\ny\n', section), '---\nk: 1\n---\nC\n---\n\nx\n');
});

test('Notes never edits Notes archive', () => {
  const text = '# Notes archive\n\nold\n\n# Notes\n\nnew\n';
  assert.equal(
    edit(text, { mode: 'delete_section', heading: 'Notes' }),
    '# Notes archive\n\nold\n\n',
  );
  assert.equal(
    refuse('# Notes archive\n', { mode: 'delete_section', heading: 'Notes' }).code,
    'heading_not_found',
  );
});

const REFUSED: [before: string, section: SectionEdit][] = [
  ['# A\n', { mode: 'append_to_section', heading: 'A' }],
  ['# A\n', { mode: 'append_to_section', heading: 'A', content: ' \n ' }],
  ['# A\n', { mode: 'append_to_section', content: 'x' }],
  ['# A\n', { mode: 'append_to_section', heading: 'A', line: 1, content: 'x' }],
  ['# A\n# B\n', { mode: 'append_to_section', heading: 'A', content: '```\nx' }],
  ['# A\n# B\n', { mode: 'append_to_section', heading: 'A', content: '<!-- x' }],
  ['# A\n<!-- a\n', { mode: 'append_to_section', heading: 'A', content: 'x' }],
  ['# A\n', { mode: 'rename_heading', heading: 'A' }],
  ['# A\n', { mode: 'rename_heading', heading: 'A', to: 'x\ny' }],
  ['# A\n', { mode: 'rename_heading', heading: 'A', to: 'x #' }],
  ['A\n===\n', { mode: 'rename_heading', heading: 'A', to: '- x' }],
  ['# A\n## B\n', { mode: 'move_section', heading: 'A', to: 'B' }],
  ['## A\n# B\n### C\n', { mode: 'move_section', heading: 'A', to: 'C' }],
  ['# A\n', { mode: 'move_section', heading: 'A' }],
  ['   ## A\n# B\n- b\n', { mode: 'move_section', heading: 'A', to: 'B' }],
  ['# A\n\n- b\n', { mode: 'append_to_note', content: '   ## C\n\nx' }],
  ['# A\n\n1. b\n', { mode: 'append_to_section', heading: 'A', content: '   ## C' }],
  ['# A\n\n- b\n', { mode: 'insert_after_section', line: 1, content: '  # C', create: true }],
  ['# A\n', { mode: 'append_to_section', heading: 'x\ny', content: 'x', create: true }],
  ['# A\n', { mode: 'append_to_section', heading: 'x #', content: 'x', create: true }],
];

test('an edit that would change more than it says is refused', () => {
  for (const [before, section] of REFUSED) {
    assert.equal(refuse(before, section).code, 'invalid_arguments', JSON.stringify(section));
  }
});

const LONE_RETURN: [about: string, edit: SectionEdit, text: string, after: string][] = [
  [
    'the end of a note',
    { mode: 'append_to_note', content: '---' },
    'x\n\npara\r',
    'x\n\npara\r\r---\n',
  ],
  [
    'before a section',
    { mode: 'insert_before_section', heading: 'H', content: 'new' },
    'x\n\npara\r# H\n',
    'x\n\npara\r\rnew\n\n# H\n',
  ],
  [
    'before a line feed',
    { mode: 'append_to_section', heading: 'A', content: 'new' },
    '# A\r\rx\r\n\n# B\r\n# C\ry\r',
    '# A\r\rx\r\n\rnew\n\n# B\r\n# C\ry\r',
  ],
  [
    'a section that goes',
    { mode: 'delete_section', heading: 'B' },
    '# A\n\npara\r# B\n\ny\n\n# C\n',
    '# A\n\npara\r# C\n',
  ],
  [
    'text that goes',
    { mode: 'replace_section', heading: 'A', content: '' },
    '# A\rtext\n\n# C\n',
    '# A\r\r\n# C\n',
  ],
];

test('a lone carriage return is no half of a line end that is put in', () => {
  for (const [about, edit, text, after] of LONE_RETURN) {
    const note = parseNote(Buffer.from(text));
    const made = attempt(editSection, note, edit);
    assert.ok(!(made instanceof EditError), about);
    assert.equal(applyReplacements(note.bytes, made).toString(), after, about);
  }
});
