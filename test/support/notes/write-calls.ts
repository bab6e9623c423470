/** A call of every tool that writes one note, over one vault, for what all of them must keep to. */
import { lstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentHash } from '../../../src/notes/files/content-hash.ts';
import { filesBelow, tree } from './notes-storage.ts';
import type { NotesBench } from './notes-tools.ts';

export const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');

export const FILES = {
  'a.md': '# A\r\n\r\n- [ ] task\r\n\r\n## S\r\n\r\ntext [[b]]',
  'b.md': '# B\n',
  'inbox.md': '# Inbox\n',
  'attachments/p.png': PNG,
} as const;

export interface WriteCall {
  readonly tool: string;
  /** The arguments of a call that succeeds; what it needs is made before. */
  args(bench: NotesBench): object | Promise<object>;
  /** The file whose hash the call may name. */
  readonly hashed?: keyof typeof FILES;
}

function call(tool: string, args: object, hashed?: keyof typeof FILES): WriteCall {
  return { tool, args: () => args, ...(hashed && { hashed }) };
}

const HASH_A = contentHash(Buffer.from(FILES['a.md']));

export const WRITE_CALLS: readonly WriteCall[] = [
  call('note_create', { path: 'new/folder/n.md', content: '[[n]]', tags: ['t'] }),
  call('note_write', { path: 'a.md', content: 'new', content_hash: HASH_A }, 'a.md'),
  call('note_edit', { path: 'a.md', edits: [{ old_string: 'text', new_string: 'x' }] }, 'a.md'),
  call(
    'note_section_edit',
    { path: 'a.md', mode: 'append_to_section', heading: 'S', content: 'x' },
    'a.md',
  ),
  call(
    'note_section_edit',
    { path: 'a.md', mode: 'move_section', heading: 'S', to: 'b.md' },
    'a.md',
  ),
  call('note_frontmatter', { path: 'a.md', set: { k: 1 } }, 'a.md'),
  call('task_toggle', { path: 'a.md', line: 3 }, 'a.md'),
  call('note_delete', { path: 'a.md' }, 'a.md'),
  call('note_delete', { path: 'attachments/p.png' }, 'attachments/p.png'),
  call('note_capture', { text: 'x' }, 'inbox.md'),
  call('note_capture', { text: 'x', to: 'daily', date: '2026-11-15' }),
  call('note_capture', { text: 'x', title: 'T' }),
  call('attachment_put', { path: 'q.png', data: PNG.toString('base64') }),
  {
    tool: 'attachment_put',
    args: () => ({
      path: 'p.png',
      data: Buffer.concat([PNG, PNG]).toString('base64'),
      content_hash: contentHash(PNG),
    }),
    hashed: 'attachments/p.png',
  },
  {
    tool: 'note_restore',
    args: async (bench) => {
      await bench.put('gone.md', 'gone');
      const { trash_id } = await bench.call('note_delete', { path: 'gone' });
      return { trash_id };
    },
  },
  {
    tool: 'note_restore',
    args: async (bench) => {
      const edit = { path: 'a', mode: 'prepend_to_note', content: 'later' };
      const { change_id } = await bench.call('note_section_edit', edit);
      await bench.open.vault.git!.settled();
      await bench.call('note_section_edit', edit);
      return { path: 'a.md', revision: bench.open.vault.git!.commitOf(change_id) };
    },
    hashed: 'a.md',
  },
  {
    tool: 'change_undo',
    args: async (bench) => {
      const edit = { path: 'a', mode: 'append_to_note', content: 'more' };
      const { change_id } = await bench.call('note_section_edit', edit);
      return { change_id };
    },
  },
];

/** The files of the vault as they are again at the start of each call. */
export async function resetFiles(bench: NotesBench): Promise<void> {
  for (const path of await tree(join(bench.data, 'default'))) {
    if (!Object.hasOwn(FILES, path)) await bench.call('note_delete', { path });
  }
  for (const [path, content] of Object.entries(FILES)) await bench.put(path, content);
}

/** Every file of the vault with its bytes. */
export async function visibleFiles(bench: NotesBench): Promise<Record<string, string>> {
  return contents(bench, await tree(join(bench.data, 'default')));
}

/** The same with the journal and the trash; how far git has come is no part of a call. */
export async function allFiles(bench: NotesBench): Promise<Record<string, string>> {
  const root = join(bench.data, 'default');
  const paths = await filesBelow(root, ['.git', '.notes/new-repository']);
  const kept = paths.filter((path) => !/^\.notes\/(index\.db|journal\/committed)/.test(path));
  return contents(
    bench,
    kept.filter((path) => lstatSync(join(root, path)).isFile()),
  );
}

async function contents(
  bench: NotesBench,
  paths: readonly string[],
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const path of paths) {
    found[path] = (await readFile(join(bench.data, 'default', path))).toString('latin1');
  }
  return found;
}
