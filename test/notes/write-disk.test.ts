/** A disk that is full or read-only: the tools answer `storage_error` and leave every note as it was. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { get, put, temporaryDirectory, tree } from '../support/notes/notes-storage.ts';
import { PNG } from '../support/notes/write-calls.ts';
import { PATIENCE_MS } from '../support/programs/patience.ts';

const CALL_TOOLS = fileURLToPath(new URL('../support/notes/call-tools.ts', import.meta.url));
const NOBODY = 65532;

type Calls = readonly (readonly [tool: string, args: object])[];

/** Makes the calls in a separate process with other limits or another user; returns their codes. */
function inChild(data: string, calls: Calls, wrapper: readonly string[], uid?: number): string[] {
  const [command, ...args] = [...wrapper, process.execPath, CALL_TOOLS, data];
  const { stdout, stderr, error } = spawnSync(command!, args, {
    encoding: 'utf8',
    input: JSON.stringify(calls),
    timeout: PATIENCE_MS,
    ...(uid !== undefined && { uid, gid: uid }),
  });
  assert.equal(error, undefined);
  assert.ok(stdout !== '', stderr);
  return stdout.trim().split('\n');
}

test('what does not fit on the disk is storage_error and changes nothing', async (context) => {
  const data = await temporaryDirectory(context);
  const root = join(data, 'default');
  await put(root, 'a.md', '# A\n');
  await put(root, 'b.md', '# B\n');
  const content = 'x'.repeat(3 * 1024 * 1024);
  const calls: Calls = [
    ['note_create', { path: 'new/n.md', content }],
    ['note_section_edit', { path: 'a', mode: 'append_to_note', content }],
    ['note_edit', { path: 'a', edits: [{ old_string: 'A', new_string: content }] }],
    ['note_capture', { text: content }],
    ['note_capture', { text: content, title: 'T' }],
    [
      'attachment_put',
      { path: 'x.png', data: Buffer.concat([PNG, Buffer.alloc(3e6)]).toString('base64') },
    ],
    ['note_section_edit', { path: 'b', mode: 'append_to_note', content: 'small' }],
  ];
  const codes = inChild(data, calls, ['prlimit', `--fsize=${2 * 1024 * 1024}`]);
  assert.deepEqual(codes, [...calls.slice(1).map(() => 'storage_error EFBIG'), 'ok']);
  assert.deepEqual(await tree(root), ['a.md', 'b.md']);
  assert.equal(await get(root, 'a.md'), '# A\n');
  assert.equal(await get(root, 'b.md'), '# B\n\nsmall\n');
  assert.deepEqual((await readdir(root)).sort(), ['.notes', 'a.md', 'b.md']);
});

test('what lies in a read-only directory stays as it is', async (context) => {
  const data = await temporaryDirectory(context);
  const root = join(data, 'default');
  await put(root, 'locked/a.md', '# A\n\n- [ ] task\n\n## S\n');
  await put(root, 'b.md', '# B\n\n## T\n');
  await mkdir(join(root, 'daily'));
  const uid = process.getuid?.() === 0 ? NOBODY : undefined;
  for (const path of uid === undefined
    ? []
    : ['..', '.', 'b.md', 'locked', 'locked/a.md', 'daily']) {
    await chown(join(root, path), uid!, uid!);
  }
  for (const folder of ['locked', 'daily']) await chmod(join(root, folder), 0o555);
  const path = 'locked/a';
  const calls: Calls = [
    ['note_create', { path: 'locked/new', content: 'x' }],
    ['note_edit', { path, edits: [{ old_string: 'A', new_string: 'x' }] }],
    ['note_section_edit', { path, mode: 'append_to_note', content: 'x' }],
    ['note_section_edit', { path, mode: 'move_section', heading: 'S', to: 'b.md' }],
    ['note_section_edit', { path: 'b', mode: 'move_section', heading: 'T', to: 'locked/a.md' }],
    ['note_frontmatter', { path, set: { k: 1 } }],
    ['task_toggle', { path, line: 3 }],
    ['note_delete', { path }],
    ['note_capture', { text: 'x', to: 'daily' }],
    ['attachment_put', { path: 'locked/x.png', data: PNG.toString('base64') }],
  ];
  const codes = inChild(data, calls, [], uid);
  assert.deepEqual(
    codes,
    calls.map(() => 'storage_error EACCES'),
  );
  assert.deepEqual(await tree(root), ['b.md', 'locked/a.md']);
  assert.equal(await get(root, 'locked/a.md'), '# A\n\n- [ ] task\n\n## S\n');
  assert.equal(await get(root, 'b.md'), '# B\n\n## T\n');
  for (const folder of ['locked', 'daily']) await chmod(join(root, folder), 0o755);
});
