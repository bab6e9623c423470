import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../../test/support/notes/notes-storage.ts';
import { notesBench } from '../../../test/support/notes/notes-tools.ts';
import { readHabits } from './vault-habits.ts';

const now = () => new Date(2026, 10, 15, 9, 30);
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

function obsidian(settings: Readonly<Record<string, object>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      `.obsidian/${name}.json`,
      JSON.stringify(value),
    ]),
  );
}

test("a daily note has the person's own folder, format and template", async (context) => {
  const bench = await notesBench(context, {
    now,
    files: {
      ...obsidian({
        'daily-notes': {
          folder: '/Journal/',
          format: 'YYYY/MM-MMM/YYYY-MM-DD ddd',
          template: 'T/Day',
        },
        templates: { folder: 'T', dateFormat: 'DD.MM.YYYY', timeFormat: 'h:mm a' },
      }),
      'T/Day.md':
        '---\nday: {{date:YYYY-[W]WW}}\n---\n# {{title}}\n\n{{date}} {{time}}\n\n## Log\n',
    },
  });
  const captured = await bench.call('note_capture', { text: 'up', to: 'daily', heading: 'Log' });
  assert.equal(captured.path, 'Journal/2026/11-Nov/2026-11-15 Sun.md');
  assert.equal(
    await bench.text(captured.path),
    '---\nday: 2026-W46\n---\n# 2026-11-15 Sun\n\n15.11.2026 9:30 am\n\n## Log\n\n- up\n',
  );
  const read = await bench.call('note_read', { path: 'daily:today' });
  assert.equal(read.path, captured.path);
  assert.equal(
    read.obsidian,
    'obsidian://open?vault=default&file=Journal%2F2026%2F11-Nov%2F2026-11-15%20Sun',
  );
  const past = await bench.call('note_capture', { text: 'x', to: 'daily', date: '2024-02-29' });
  assert.equal(past.path, 'Journal/2024/02-Feb/2024-02-29 Thu.md');
  assert.match(await bench.text(past.path), /29\.02\.2024/);
});

for (const [about, files, path, text] of [
  ['no settings', {}, 'daily/2026-11-15.md', '# 2026-11-15\n\n- x\n'],
  ['no folder', obsidian({ 'daily-notes': {} }), '2026-11-15.md', '- x\n'],
  ['a missing template', obsidian({ 'daily-notes': { template: 'no' } }), '2026-11-15.md', '- x\n'],
  ['a folder outside', obsidian({ 'daily-notes': { folder: '../x' } }), 'daily/2026-11-15.md'],
  ['a hidden folder', obsidian({ 'daily-notes': { folder: '.x' } }), 'daily/2026-11-15.md'],
  ['broken settings', { '.obsidian/daily-notes.json': '{' }, '2026-11-15.md'],
  ['odd types', obsidian({ 'daily-notes': { folder: 5, format: [] } }), 'daily/2026-11-15.md'],
  ['Logseq', { 'logseq/config.edn': '{:meta/version 1}' }, 'journals/2026_11_15.md', '- x\n'],
  [
    'a format of Logseq',
    {
      'logseq/config.edn':
        '{;; :journals-directory "no"\n :journals-directory "days"\n :journal/file-name-format "EEE, dd-MM-yyyy" }',
    },
    'days/Sun, 15-11-2026.md',
  ],
] as [string, Record<string, string>, string, string?][]) {
  test(`with ${about} the daily note is ${path}`, async (context) => {
    const bench = await notesBench(context, { now, files });
    const captured = await bench.call('note_capture', { text: 'x', to: 'daily' });
    assert.equal(captured.path, path);
    if (text !== undefined) assert.equal(await bench.text(path), text);
    assert.equal((await bench.call('note_read', { path: 'daily:today' })).path, path);
  });
}

test('a format cannot lead out of the vault or to a hidden file', async (context) => {
  for (const format of ['[../../]YYYY', '[.git/]YYYY', '[/]YYYY']) {
    const files = obsidian({ 'daily-notes': { format } });
    const bench = await notesBench(context, { now, files });
    const { code } = await bench.refusal('note_capture', { text: 'x', to: 'daily' });
    assert.match(code, /^path_(?:invalid|hidden)$/, format);
  }
});

test('settings are not read through symbolic links', async (context) => {
  const root = await temporaryDirectory(context);
  const elsewhere = join(await temporaryDirectory(context), 'daily-notes.json');
  await writeFile(elsewhere, '{"folder": "secret"}');
  await mkdir(join(root, '.obsidian'));
  await symlink(elsewhere, join(root, '.obsidian/daily-notes.json'));
  assert.equal((await readHabits({ root })).daily, undefined);
  await symlink(dirname(elsewhere), join(root, 'logseq'));
  assert.equal((await readHabits({ root })).editor, undefined);
});

test('no tool shows the settings', async (context) => {
  const files = obsidian({ app: { attachmentFolderPath: 'Files', secret: 'sesame' } });
  const bench = await notesBench(context, { files });
  const path = '.obsidian/app.json';
  assert.equal((await bench.refusal('note_read', { path })).code, 'path_hidden');
  assert.equal((await bench.call('note_list', { kind: 'attachment' })).items.length, 0);
  assert.equal((await bench.call('vault_grep', { pattern: 'sesame' })).matches.length, 0);
});

test('a template is found by its name in the folder of templates', async (context) => {
  const bench = await notesBench(context, {
    now,
    files: {
      ...obsidian({ templates: { folder: 'Meta/Templates' } }),
      'Meta/Templates/Meeting.md': '# {{title}} at {{time}}\n',
    },
  });
  const created = await bench.call('note_create', { path: 'Standup', template: 'Meeting' });
  assert.equal(await bench.text('Standup.md'), '# Standup at 09:30\n');
  assert.equal(created.obsidian, 'obsidian://open?vault=default&file=Standup');
  const refused = await bench.refusal('note_create', { path: 'x', template: 'Nothing' });
  assert.equal(refused.code, 'note_not_found');
});

for (const [folder, note, path, link] of [
  ['/', undefined, 'p.png', '![[p.png]]'],
  ['Files/In', undefined, 'Files/In/p.png', '![[p.png]]'],
  ['./', 'a/b/n', 'a/b/p.png', '![[p.png]]'],
  ['./img', 'a/b/n.md', 'a/b/img/p.png', '![[p.png]]'],
  ['./img', undefined, 'attachments/p.png', '![[p.png]]'],
  ['./../x', 'a/b/n.md', 'attachments/p.png', '![[p.png]]'],
] as const) {
  test(`an attachment of ${note ?? 'no note'} with the folder ${folder} is ${path}`, async (context) => {
    const bench = await notesBench(context, {
      files: { ...obsidian({ app: { attachmentFolderPath: folder } }), 'a/b/n.md': '' },
    });
    const put = await bench.call('attachment_put', {
      path: 'p.png',
      data: PNG,
      ...(note && { note }),
    });
    assert.deepEqual([put.path, put.link], [path, link]);
  });
}

for (const [app, link, embed] of [
  [{}, '[[Part]]', '![[p q.png]]'],
  [{ newLinkFormat: 'absolute' }, '[[a/Part|Part]]', '![[a/p q.png]]'],
  [{ newLinkFormat: 'relative' }, '[[Part]]', '![[p q.png]]'],
  [{ useMarkdownLinks: true }, '[Part](Part.md)', '![p q.png](<p q.png>)'],
  [
    { useMarkdownLinks: true, newLinkFormat: 'absolute' },
    '[Part](a/Part.md)',
    '![p q.png](<a/p q.png>)',
  ],
] as const) {
  test(`new links follow ${JSON.stringify(app)}`, async (context) => {
    const bench = await notesBench(context, {
      files: { ...obsidian({ app }), 'a/n.md': '# N\n\n## Part\n\nPart text\n' },
    });
    const args = { path: 'a/p q.png', data: PNG, note: 'a/n' };
    assert.equal((await bench.call('attachment_put', args)).link, embed);
    await bench.call('note_split', { path: 'a/n', heading: 'Part' });
    assert.equal(await bench.text('a/n.md'), `# N\n\n${link}\n`);
    const [broken] = (await bench.call('note_links', { path: 'a/n' })).broken;
    assert.equal(broken, undefined);
    await bench.put('a/o.md', '# O\n\nSee Part now.\n');
    await bench.put('a/Part.md', '# Part here\n\nx\n');
    await bench.put('a/o.md', '# O\n\nSee Part here now.\n');
    const { items } = await bench.call('vault_review', { only: ['unlinked_mention'] });
    const [{ new_string: fixed }] = items[0].fix.arguments.edits;
    assert.equal(fixed.includes(']('), 'useMarkdownLinks' in app, fixed);
  });
}
