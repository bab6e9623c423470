import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';

const NOTE = '# Trip\n\nintro\n\n## Day one\n\nwalk\n\n### Evening\n\nrest\n\n## Day two\n\nswim\n';

const MODES = [
  ['append_to_section', { heading: 'day TWO', content: 'eat' }, 'swim\n', 'swim\n\neat\n'],
  ['prepend_to_section', { heading: 'Day two', content: 'eat' }, 'swim\n', 'eat\n\nswim\n'],
  ['replace_section', { heading: 'Day two', content: 'eat' }, 'swim\n', 'eat\n'],
  ['insert_before_section', { line: 5, content: 'x' }, '## Day one', 'x\n\n## Day one'],
  ['insert_after_section', { heading: 'Evening', content: 'x' }, 'rest\n', 'rest\n\nx\n'],
  [
    'delete_section',
    { heading_path: ['Trip', 'Day one', 'Evening'] },
    '### Evening\n\nrest\n\n',
    '',
  ],
  ['append_to_note', { content: 'end' }, 'swim\n', 'swim\n\nend\n'],
  ['prepend_to_note', { content: 'start' }, '# Trip', 'start\n\n# Trip'],
  ['rename_heading', { heading: 'Day one', to: 'Monday' }, '## Day one', '## Monday'],
  [
    'move_section',
    { heading: 'Evening', to: 'Day two' },
    /### Evening.*/s,
    '## Day two\n\nswim\n\n### Evening\n\nrest\n',
  ],
  [
    'move_section',
    { heading: 'Day two', to: { heading: 'Day one', position: 'before' } },
    /## Day one.*/s,
    '## Day two\n\nswim\n\n## Day one\n\nwalk\n\n### Evening\n\nrest\n\n',
  ],
] as const;

test('every mode changes the section it names and nothing else', async (context) => {
  const bench = await notesBench(context);
  for (const [mode, edit, from, to] of MODES) {
    await bench.put('a.md', NOTE);
    const result = await bench.call('note_section_edit', { path: 'a.md', mode, ...edit });
    assert.equal(await bench.text('a.md'), NOTE.replace(from, to), mode);
    assert.notEqual(result.change_id, null);
  }
});

test('create makes a heading that is missing, and only then', async (context) => {
  const bench = await notesBench(context, { files: { 'a.md': '# Trip\n' } });
  const edit = { path: 'a.md', mode: 'append_to_section', heading: 'Food' };
  const { code } = await bench.refusal('note_section_edit', { ...edit, content: '- figs' });
  assert.equal(code, 'heading_not_found');
  await bench.call('note_section_edit', { ...edit, content: '- figs', create: true });
  await bench.call('note_section_edit', { ...edit, content: '- rice', create: true });
  assert.equal(await bench.text('a.md'), '# Trip\n\n## Food\n\n- figs\n- rice\n');
});

const append = { mode: 'append_to_section', content: 'x' };
const REFUSED = [
  ['of twins neither is taken', { ...append, heading: 'Twin' }, 'heading_ambiguous'],
  ['a name is the whole name', { ...append, heading: 'Notes' }, 'heading_not_found'],
  ['a heading in a fence is none', { ...append, heading: 'Code' }, 'heading_not_found'],
  ['a line must be a heading', { ...append, line: 2 }, 'heading_not_found'],
  ['no heading', append, 'invalid_arguments'],
  ['two addresses', { ...append, heading: 'A', line: 1 }, 'invalid_arguments'],
  ['no content', { mode: 'append_to_section', heading: 'A' }, 'invalid_arguments'],
  ['an unknown mode', { mode: 'append', heading: 'A', content: 'x' }, 'invalid_arguments'],
  ['a heading for the note', { mode: 'append_to_note', heading: 'A', content: 'x' }, ''],
  ['a to nobody asked for', { ...append, heading: 'A', to: 'B' }, ''],
  ['content to delete', { mode: 'delete_section', heading: 'A', content: 'x' }, ''],
  ['a heading to make and delete', { mode: 'delete_section', heading: 'A', create: true }, ''],
  ['a heading to make for the note', { mode: 'append_to_note', content: 'x', create: true }, ''],
  ['a section into itself', { mode: 'move_section', heading: 'A', to: 'A' }, 'invalid_arguments'],
  ['a move to nowhere', { mode: 'move_section', heading: 'A' }, 'invalid_arguments'],
  ['a place as a new name', { mode: 'rename_heading', heading: 'A', to: { path: 'b.md' } }, ''],
  ['a heading as a new name', { mode: 'rename_heading', heading: 'A', to: { heading: 'B' } }, ''],
  ['two new names', { mode: 'rename_heading', heading: 'A', to: 'B', content: 'C' }, ''],
  ['a heading of two lines', { mode: 'rename_heading', heading: 'A', to: 'x\ny' }, ''],
  ['a fence left open', { mode: 'insert_before_section', heading: 'A', content: '```' }, ''],
] as const;

test('what does not name one section, or would change others, is refused', async (context) => {
  const note = '# A\n\n## Twin\n\n## Twin\n\n## Notes archive\n\n```\n# Code\n```\n';
  const bench = await notesBench(context, { files: { 'a.md': note, 'b.md': '# B\n' } });
  for (const [what, edit, code] of REFUSED) {
    const refused = await bench.refusal('note_section_edit', { path: 'a.md', ...edit });
    assert.equal(refused.code, code || 'invalid_arguments', what);
    assert.equal(await bench.text('a.md'), note, what);
  }
  const { data } = await bench.refusal('note_section_edit', {
    ...{ path: 'a.md', mode: 'delete_section', heading: 'Twin' },
  });
  assert.deepEqual(
    data.candidates.map(({ line }: { line: number }) => line),
    [3, 5],
  );
});

const OTHER = '# Log\r\n\r\n## Old\r\n\r\ntext\r\n';
const PLACES = [
  ['log.md', `${OTHER}\r\n### Evening\r\n\r\nrest\r\n`],
  [{ path: 'log' }, `${OTHER}\r\n### Evening\r\n\r\nrest\r\n`],
  [{ path: 'log.md', heading: 'Old' }, `${OTHER}\r\n### Evening\r\n\r\nrest\r\n`],
  [
    { path: 'log.md', heading_path: ['Log', 'Old'], position: 'before' },
    OTHER.replace('## Old', '### Evening\r\n\r\nrest\r\n\r\n## Old'),
  ],
] as const;

test('a section moves to another note in one change, and back with one undo', async (context) => {
  const bench = await notesBench(context);
  for (const [to, expected] of PLACES) {
    await bench.put('a.md', NOTE);
    await bench.put('log.md', OTHER);
    const edit = { path: 'a.md', mode: 'move_section', heading: 'Evening', to };
    const result = await bench.call('note_section_edit', edit);
    assert.equal(await bench.text('a.md'), NOTE.replace('### Evening\n\nrest\n\n', ''));
    assert.equal(await bench.text('log.md'), expected, JSON.stringify(to));
    assert.equal(result.moved_to.path, 'log.md');
    assert.match(result.moved_to.diff, /^\+### Evening$/m);
    await bench.open.vault.changes.undo(result.change_id);
    assert.deepEqual([await bench.text('a.md'), await bench.text('log.md')], [NOTE, OTHER]);
  }
});

test('a move to another note that cannot be made changes neither', async (context) => {
  const files = { 'a.md': NOTE, 'log.md': '# Log\n\n### Deep\n' };
  const bench = await notesBench(context, { files });
  const move = { path: 'a.md', mode: 'move_section', heading: 'Day one' };
  for (const [to, code] of [
    ['nowhere.md', 'note_not_found'],
    [{ path: '../x.md' }, 'path_invalid'],
    [{ path: '.git/x.md' }, 'path_hidden'],
    [{ path: 'log.md', heading: 'Nothing' }, 'heading_not_found'],
    [{ path: 'log.md', heading: 'Deep' }, 'invalid_arguments'],
    [{ path: 'a.md', heading: 'Day one' }, 'invalid_arguments'],
    [{ path: 'log.md', title: 'x' }, 'invalid_arguments'],
  ] as const) {
    const refused = await bench.refusal('note_section_edit', { ...move, to });
    assert.equal(refused.code, code, JSON.stringify(to));
    assert.deepEqual(
      [await bench.text('a.md'), await bench.text('log.md')],
      [files['a.md'], files['log.md']],
    );
  }
});

test('links to, from and beside a section that moves lead where they led', async (context) => {
  const files = {
    'work/plan.md':
      '# Plan\n\n[[#Tools]] [[#Costs]]\n\n## Tools\n\n[m](../map.md) [[#Costs]] [[#Saws]]\n\n### Saws\n\nx ^saw\n\n## Costs\n',
    'home/deep/log.md': '# Log\n\n[[plan#Saws]] [[plan#Costs]]\n',
    'map.md': '[[plan#Tools|t]] [[plan#^saw]] [[plan]] `[[plan#Tools]]`\n',
  };
  const bench = await notesBench(context, { files });
  const move = {
    path: 'work/plan',
    mode: 'move_section',
    heading: 'Tools',
    to: 'home/deep/log.md',
  };
  const result = await bench.call('note_section_edit', move);
  assert.equal(
    await bench.text('work/plan.md'),
    '# Plan\n\n[[log#Tools]] [[#Costs]]\n\n## Costs\n',
  );
  assert.equal(
    await bench.text('home/deep/log.md'),
    '# Log\n\n[[log#Saws]] [[plan#Costs]]\n\n## Tools\n\n[m](../../map.md) [[plan#Costs]] [[#Saws]]\n\n### Saws\n\nx ^saw\n',
  );
  assert.equal(
    await bench.text('map.md'),
    '[[log#Tools|t]] [[log#^saw]] [[plan]] `[[plan#Tools]]`\n',
  );
  assert.deepEqual(result.warnings, []);
  assert.deepEqual([result.link_edits.links, result.link_edits.notes], [6, 4]);
  await bench.call('change_undo', { change_id: result.change_id });
  for (const [path, text] of Object.entries(files)) assert.equal(await bench.text(path), text);
});

test('a dry run does not warn of links that the change would mend', async (context) => {
  const files = {
    'a.md': '# A\n\n## Old\n\n[[#Old]]\n',
    'b.md': '# B\n',
    'c.md': '[[a#Old]] [[a#A]]\n',
  };
  const bench = await notesBench(context, { files });
  for (const edit of [
    { mode: 'rename_heading', to: 'New' },
    { mode: 'move_section', to: 'b.md' },
  ]) {
    const call = { path: 'a', heading: 'Old', dry_run: true, ...edit };
    const { warnings, link_edits } = await bench.call('note_section_edit', call);
    assert.deepEqual(warnings, [], edit.mode);
    assert.ok(link_edits.links > 0);
  }
  const gone = { path: 'a', mode: 'delete_section', heading: 'Old', dry_run: true };
  const { warnings } = await bench.call('note_section_edit', gone);
  assert.match(warnings.join(), /links to a removed heading remain in .*"c.md"/);
});

test('footnotes and link definitions serve both notes after a section has moved', async (context) => {
  const files = {
    'a.md':
      '# A\n\nx[^1] [k]\n\n## One\n\ny[^1] [d][d] [^2]\n\n## Last\n\nz\n\n[^1]: first\n[^2]: from a\n\n[d]: d.md\n[k]: <https://k.example>\n',
    'd.md': '# D\n',
    'sub/b.md': '# B\n\nw[^2]\n\n[^2]: from b\n',
    'sub/c.md': '# C\n\nv[^1]\n\n[^1]: first\n',
  };
  const bench = await notesBench(context, { files });
  const move = (heading: string, to: string) =>
    bench.call('note_section_edit', { path: 'a.md', mode: 'move_section', heading, to });

  const last = await move('Last', 'sub/c.md');
  assert.equal(
    await bench.text('a.md'),
    '# A\n\nx[^1] [k]\n\n## One\n\ny[^1] [d][d] [^2]\n\n[^1]: first\n\n[^2]: from a\n\n[d]: d.md\n\n[k]: <https://k.example>\n',
  );
  const [edit] = last.link_edits.shown;
  const line = (await bench.text('sub/c.md')).split('\n').indexOf('[d]: ../d.md') + 1;
  assert.deepEqual(edit, { path: 'sub/c.md', line, from: 'd.md', to: '../d.md' });
  assert.deepEqual(last.warnings, []);

  const one = await move('One', 'sub/b.md');
  assert.equal(
    await bench.text('sub/b.md'),
    '# B\n\nw[^2]\n\n[^2]: from b\n\n## One\n\ny[^1] [d][d] [^2]\n\n[^1]: first\n\n[^2]: from a\n\n[d]: ../d.md\n\n[k]: <https://k.example>\n',
  );
  assert.deepEqual(one.warnings, ['both notes define [^2]; check the links that use it']);
  assert.equal(
    await bench.text('a.md'),
    '# A\n\nx[^1] [k]\n\n[^1]: first\n\n[k]: <https://k.example>\n',
  );
});

test('links to a heading that is renamed follow, and those to its twin stay', async (context) => {
  const files = {
    'a.md': '# A\n\n[[#Day one]] [x](#day-one)\n\n## Day one\n\n## Two\n\n### Sub\n\n## TWO\n',
    'b/c.md':
      '[[a#Day one|1]] [[a#day ONE]] [y](../a.md#day-one) [[a#Two]] [[a]] `[[a#Day one]]`\n',
  };
  const bench = await notesBench(context, { files });
  const rename = { path: 'a', mode: 'rename_heading' };
  const edit = { ...rename, heading: 'Day one', to: 'First Day' };
  const result = await bench.call('note_section_edit', edit);
  assert.equal(
    await bench.text('a.md'),
    files['a.md'].replaceAll('Day one', 'First Day').replace('day-one', 'first-day'),
  );
  assert.equal(
    await bench.text('b/c.md'),
    '[[a#First Day|1]] [[a#First Day]] [y](../a.md#first-day) [[a#Two]] [[a]] `[[a#Day one]]`\n',
  );
  assert.deepEqual([result.warnings, result.link_edits.links], [[], 5]);
  await bench.call('change_undo', { change_id: result.change_id });
  for (const [path, text] of Object.entries(files)) assert.equal(await bench.text(path), text);
  await bench.call('note_section_edit', { ...rename, line: 7, to: 'Second' });
  assert.equal(await bench.text('b/c.md'), files['b/c.md']);
});

const ALIKE: [renamed: string, text: string, before: string, after: string][] = [
  ['C++', '## C\n\n## C++\n', '[[n#C++]] [[n#C]] [x](n.md#c)', '[[n#Z z]] [[n#C]] [x](n.md#c)'],
  ['C++', '## C++\n\n## C\n', '[[n#C++]] [[n#C]] [x](n.md#c)', '[[n#Z z]] [[n#C]] [x](n.md#c)'],
  ['C', '## C++\n\n## C\n', '[[n#C++]] [[n#C]]', '[[n#C++]] [[n#Z z]]'],
  ['C++', '## C++\n\n### D\n', '[x](n.md#c) [[n#C++#D]]', '[x](n.md#z-z) [[n#Z z#D]]'],
  ['C++', '## C++\n\n## C\n\n### D\n', '[[n#C#D]]', '[[n#C#D]]'],
];

test('a heading that a website would name as another is renamed alone', async (context) => {
  for (const [heading, text, before, after] of ALIKE) {
    const bench = await notesBench(context, { files: { 'n.md': text, 'm.md': before } });
    await bench.call('note_section_edit', {
      path: 'n',
      mode: 'rename_heading',
      heading,
      to: 'Z z',
    });
    assert.equal(await bench.text('m.md'), after, `${heading} in ${text}`);
  }
});
