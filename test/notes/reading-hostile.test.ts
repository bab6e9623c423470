/** Every tool that reads, against paths that lead astray and notes that are too much. */
import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { ToolResult } from '../../src/mcp/tool.ts';
import { type NotesBench, notesBench } from '../support/notes/notes-tools.ts';
import { generateVault } from '../support/notes/vault-generator.ts';
import { isLongRun, sampleOf } from '../support/property-runs.ts';

/** Answers have 20,000 characters at most: a fifth of what is read in `npm run test:long` is enough. */
const DIVISOR = isLongRun ? 1 : 20;
const HEADINGS = 20_000 / DIVISOR;

const SECRET = 'the-secret-of-the-other-house';
const git = { author: { name: 'Ada', email: 'ada@example.org' } };

/** Each tool with the arguments that make it look at a place. */
const BY_PATH: Readonly<Record<string, (path: string) => object>> = {
  note_read: (path) => ({ path }),
  note_links: (path) => ({ path }),
  note_related: (path) => ({ path }),
  note_history: (path) => ({ path }),
};
const BY_PREFIX: Readonly<Record<string, (prefix: string) => object>> = {
  vault_stats: (prefix) => ({ prefix }),
  vault_review: (prefix) => ({ prefix }),
  vault_grep: (prefix) => ({ pattern: 'e', prefix }),
  note_search: (prefix) => ({ query: 'secret', prefix }),
  note_list: (prefix) => ({ prefix }),
  task_list: (prefix) => ({ prefix }),
};

const INVALID = [
  ...['..', '../secret.md', '../outside/secret.md', 'f/../../secret.md', 'f/../a.md', './a.md'],
  ...['/only.md', '//only', '/etc/passwd', 'f//a.md', 'a.md\0', 'a.md\0.png', '\0', 'f\\a.md'],
  ...['..\\secret.md', 'C:\\secret.md', 'a\n.md', 'a\u007f.md', '\ud800.md', 'a\ufffd.md'],
  ...[`${'x'.repeat(256)}.md`, `${'é'.repeat(128)}.md`, `${'x/'.repeat(511)}a.md`],
];
const HIDDEN = [
  ...['.git/config', '.GIT/config', '.Git/HEAD', '.notes/index.db', '.notes/instructions.md'],
  ...['.NOTES/trash', '.obsidian/app.json', 'f/.hidden/x.md', '.secret.md', '\u200b.git/config'],
  ...['f/\ufeff.hidden/x.md', '...', '.git', '.notes'],
];
const LINKED = ['linked/secret.md', 'linked/deeper/x.md', 'repo/config', 'repo/HEAD'];

async function hostileVault(bench: NotesBench): Promise<void> {
  const root = join(bench.data, 'default');
  await mkdir(join(bench.data, 'outside'));
  await writeFile(join(bench.data, 'outside/secret.md'), SECRET);
  await writeFile(join(bench.data, 'secret.md'), SECRET);
  await symlink(join(bench.data, 'secret.md'), join(root, 'link.md'));
  await symlink(join(bench.data, 'outside'), join(root, 'linked'));
  await symlink(join(root, '.git'), join(root, 'repo'));
  await bench.open.index.build();
}

function textOf({ content }: ToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

describe('paths that lead astray', () => {
  test('are refused by every tool that reads', async (context) => {
    const bench = await notesBench(context, {
      files: {
        'a.md': 'x',
        'f/only.md': 'x',
        'f/.hidden/x.md': SECRET,
        '.obsidian/app.json': SECRET,
        '.secret.md': SECRET,
      },
      git,
    });
    await hostileVault(bench);
    const rows: [readonly string[], string][] = [
      [INVALID, 'path_invalid'],
      [HIDDEN, 'path_hidden'],
      [LINKED, 'path_invalid'],
    ];
    for (const [turn, [tool, args]] of Object.entries({ ...BY_PATH, ...BY_PREFIX }).entries()) {
      for (const [paths, code] of rows) {
        for (const path of sampleOf(paths, 4, turn)) {
          const refused = await bench.refusal(tool, args(path));
          const isLong = refused.code === 'invalid_arguments' && path.length > 1000;
          if (!isLong) assert.equal(refused.code, code, `${tool} ${JSON.stringify(path)}`);
          assert.ok(!JSON.stringify(refused).includes(SECRET));
        }
      }
    }
    const { trash } = await bench.call('note_history', { deleted: true });
    assert.deepEqual(trash, []);
    for (const path of [...INVALID.slice(0, -1), ...HIDDEN]) {
      const refused = await bench.refusal('note_history', { deleted: true, path });
      assert.match(refused.code, /^path_/);
    }
  });

  test('nothing that is hidden or linked is in any answer', async (context) => {
    const bench = await notesBench(context, {
      files: {
        'a.md': `[[secret]] [[link]] [x](.secret.md) [y](../secret.md) ![[linked/secret]]`,
        'f/.hidden/x.md': SECRET,
        '.secret.md': SECRET,
        '.obsidian/app.json': SECRET,
      },
      git,
    });
    await hostileVault(bench);
    const calls: [string, object][] = [
      ...['vault_list', 'vault_stats', 'vault_review', 'tag_list', 'task_list', 'note_list'].map(
        (tool): [string, object] => [tool, {}],
      ),
      ['note_list', { kind: 'attachment' }],
      ['note_list', { kind: 'folder' }],
      ['note_list', { glob: '**/.*' }],
      ['note_list', { glob: '.obsidian/*', kind: 'attachment' }],
      ['note_search', { query: SECRET }],
      ['note_search', { query: 'secret', mode: 'substring' }],
      ['note_search', { query: 'x', glob: '../**' }],
      ['vault_grep', { pattern: 'other-house' }],
      ['vault_grep', { pattern: '.', regex: true }],
      ['note_links', { path: 'a.md', depth: 3 }],
      ['note_related', { text: SECRET }],
      ['note_read', { paths: ['a', 'link', 'linked/secret', '.secret', '../secret'] }],
      ['note_history', {}],
    ];
    for (const [tool, args] of calls) {
      const answer = textOf(await bench.answer(tool, args));
      assert.ok(!answer.includes('other-house'), `${tool} ${answer}`);
    }
    const paths = (await bench.call('note_list', { limit: 500 })).items;
    assert.deepEqual(
      paths.map(({ path }: { path: string }) => path).filter((path: string) => path !== 'link.md'),
      ['a.md'],
    );
  });

  test('composition and case lead to the note that is there, and to no other', async (context) => {
    const bench = await notesBench(context, {
      files: { 'cafe\u0301/re\u0301sume\u0301.md': 'nfd', 'straße.md': 'x', 'Case.md': 'upper' },
    });
    const spellings = [
      'caf\u00e9/r\u00e9sum\u00e9.md',
      'cafe\u0301/re\u0301sume\u0301',
      'R\u00c9SUM\u00c9',
    ];
    for (const path of spellings) {
      for (const [tool, args] of Object.entries(BY_PATH).slice(0, 3)) {
        const found = await bench.call(tool, args(path));
        assert.equal(found.path, 'cafe\u0301/re\u0301sume\u0301.md', `${tool} ${path}`);
      }
    }
    assert.equal((await bench.call('note_read', { path: 'case' })).path, 'Case.md');
    assert.equal((await bench.refusal('note_read', { path: 'strasse' })).code, 'note_not_found');
  });

  test('names of 255 bytes are as good as any', async (context) => {
    const name = `${'n'.repeat(252)}.md`;
    const wide = `${'漢'.repeat(84)}.md`;
    const bench = await notesBench(context, {
      files: { [`${'d'.repeat(255)}/${name}`]: 'x', [wide]: 'y' },
    });
    assert.equal((await bench.call('note_read', { path: name })).content, 'x');
    assert.equal((await bench.call('note_read', { path: wide })).content, 'y');
    // With .md it would be longer than a name may be.
    const bare = await bench.refusal('note_read', { path: 'z'.repeat(254) });
    assert.equal(bare.code, 'note_not_found');
    assert.equal((await bench.call('note_list', { prefix: 'd'.repeat(255) })).items.length, 1);
  });
});

describe('notes that are too much', () => {
  test('leave every answer under 20,000 characters', async (context) => {
    const long = 'm'.repeat(1_000_000 / DIVISOR);
    const bench = await notesBench(context, {
      files: {
        'one line.md': 'word "quoted" \u0001 '.repeat(60_000 / DIVISOR),
        'headings.md': Array.from({ length: HEADINGS }, (_, n) => `## Heading ${n}\n`).join(''),
        'title.md': `# ${long}\n\n[[${long}]] #${long}\n- [ ] ${long}\n`,
        'front.md': `---\ntitle: ${'t'.repeat(50_000)}\ntags: [${'g'.repeat(9000)}]\n---\nx\n`,
        'twins.md': `# ${long}\n\n# ${long}\n`,
        'signs.md': `${'"\\\u0001'.repeat(2000)}\n`.repeat(50),
        'links.md': '[[one line]] [[headings]] [[nowhere]]\n'.repeat(3000),
        'tags.md': Array.from({ length: 3000 }, (_, n) => `#tag${n}`).join(' '),
        ...Object.fromEntries(
          Array.from({ length: 30 }, (_, n) => [`x${n}/${'\x01'.repeat(240)}.md`, 'skipped']),
        ),
        'tasks.md': Array.from({ length: 3000 }, (_, n) => `- [ ] "task" ${n}\n`).join(''),
      },
      git,
    });
    const calls: [string, object][] = [
      ['vault_list', {}],
      ['vault_stats', {}],
      ['tag_list', { limit: 500 }],
    ];
    calls.push(['vault_review', { limit: 100 }], ['task_list', { limit: 200 }]);
    calls.push(
      ['note_list', { limit: 500 }],
      ['note_search', { query: 'word heading', mode: 'any' }],
    );
    calls.push(['note_search', { query: 'mmmm', mode: 'substring' }], ['note_history', {}]);
    calls.push(
      ['note_search', { query: 't'.repeat(900) }],
      ['note_related', { text: 'heading word' }],
    );
    calls.push(['vault_grep', { pattern: '.', regex: true, context: 10, limit: 200 }]);
    await bench.open.vault.git?.settled();
    calls.push(['note_history', { to: (await bench.call('note_history')).revisions[0].commit }]);
    const names = [
      'one line',
      'headings',
      'title',
      'front',
      'twins',
      'signs',
      'links',
      'tags',
      'tasks',
    ];
    for (const path of names.map((name) => `${name}.md`)) {
      for (const view of ['content', 'outline', 'full']) calls.push(['note_read', { path, view }]);
      calls.push(['note_read', { path, heading: 'm'.repeat(900) }]);
      calls.push(['note_read', { path, heading_path: ['x'] }]);
      calls.push(['note_links', { path, limit: 200 }], ['note_related', { path, limit: 50 }]);
    }
    calls.push(['note_read', { paths: names, view: 'full' }], ['note_read', { paths: names }]);
    for (const [tool, args] of calls) {
      const { length } = textOf(await bench.answer(tool, args));
      assert.ok(length < 20_000, `${tool} ${JSON.stringify(args).slice(0, 80)}: ${length}`);
    }
  });

  test('of ten notes with long names those that have room are shown, and the rest counted', async (context) => {
    const folder = `${'"'.repeat(250)}/`.repeat(4);
    const paths = Array.from({ length: 10 }, (_, n) => `${folder}${n}.md`);
    const bench = await notesBench(context, {
      files: Object.fromEntries(paths.map((path) => [path, 'x'.repeat(5000)])),
    });
    const result = await bench.answer('note_read', { paths });
    assert.ok(textOf(result).length < 20_000, `${textOf(result).length}`);
    const { notes, unread } = JSON.parse(textOf(result));
    assert.equal(notes.length + unread, 10);
    assert.ok(notes.length >= 5);
  });

  test('very many headings are listed in pages, each once', async (context) => {
    const { call } = await notesBench(context, {
      files: { 'a.md': Array.from({ length: HEADINGS }, (_, n) => `## H${n}\n`).join('') },
    });
    const seen: number[] = [];
    let lines: string | undefined;
    do {
      const args = { path: 'a', view: 'outline', max_chars: 200_000, ...(lines && { lines }) };
      const page = await call('note_read', args);
      for (const { line } of page.outline) seen.push(line);
      lines = page.next;
    } while (lines !== undefined);
    assert.deepEqual([seen.length, seen[0], seen.at(-1)], [HEADINGS, 1, HEADINGS]);
  });

  test('megabytes in one line are read to the end', async (context) => {
    const text = 'abcdefghi\t'.repeat(1_000_000 / DIVISOR);
    const { call } = await notesBench(context, { files: { 'a.md': text } });
    const parts: string[] = [];
    let lines: string | undefined;
    do {
      const args = { path: 'a', max_chars: 200_000, ...(lines && { lines }) };
      const part = await call('note_read', args);
      parts.push(part.content);
      lines = part.next;
    } while (lines !== undefined);
    assert.ok(parts.join('') === text, 'the parts are not the note');
  });
});

test('over a vault like real ones, every answer is short and every page leads on', async (context) => {
  const files = [...generateVault({ notes: 400, seed: 7 })].map(({ path, text }) => [path, text]);
  const bench = await notesBench(context, { files: Object.fromEntries(files) });
  const notes = files.map(([path]) => path!).filter((path) => path.endsWith('.md'));
  const calls: [string, string, object][] = [
    ['note_list', 'items', { limit: 500 }],
    ['note_list', 'items', { kind: 'folder', limit: 500 }],
    ['note_search', 'hits', { query: 'draft active', mode: 'any', limit: 100 }],
    ['tag_list', 'tags', { limit: 500 }],
    ['task_list', 'tasks', { limit: 200 }],
    ['vault_review', 'items', { limit: 100 }],
    ['vault_grep', 'matches', { pattern: 'an', limit: 200, context: 2 }],
  ];
  for (const [tool, key, args] of calls) {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const result = await bench.answer(tool, { ...args, ...(cursor && { cursor }) });
      const text = textOf(result);
      assert.ok(text.length < 20_000, `${tool}: ${text.length}`);
      const page = JSON.parse(text);
      seen.push(...page[key].map((item: object) => JSON.stringify(item)));
      cursor = page.cursor;
    } while (cursor !== undefined && seen.length < 20_000);
    assert.equal(new Set(seen).size, seen.length, `${tool} gives items twice`);
    if (tool === 'note_list' && !('kind' in args)) assert.equal(seen.length, notes.length);
  }
  for (const path of sampleOf(notes.slice(0, 60), 5)) {
    for (const tool of ['note_read', 'note_links', 'note_related']) {
      assert.ok(textOf(await bench.answer(tool, { path })).length < 20_000, `${tool} ${path}`);
    }
  }
});
