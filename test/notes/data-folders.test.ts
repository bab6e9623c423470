/** Files that an import put in the wrong place are reported wherever an owner may look. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { NOTES_ENTRY, notesEnvironment, startNotes } from '../support/notes/notes.ts';
import { runProgram } from '../support/programs/program.ts';

const directory = mkdtempSync(join(tmpdir(), 'data-folders-'));
after(() => rmSync(directory, { recursive: true, force: true }));

describe('a folder whose name no vault may have', () => {
  const data = join(directory, 'data');
  mkdirSync(join(data, 'My Vault'), { recursive: true });
  writeFileSync(join(data, 'My Vault', 'a.md'), 'x');
  writeFileSync(join(data, 'loose.md'), 'x');
  const command = `mv '${data}/My Vault' ${data}/my-vault`;

  test('validate and reindex name it, with the command that renames it', async () => {
    for (const word of ['validate', 'reindex']) {
      const { code, stderr } = await runProgram(NOTES_ENTRY, [word], {
        env: notesEnvironment(data),
      });
      assert.equal(code, 0);
      const [folder, note] = stderr.split('\n');
      assert.ok(folder?.startsWith('warning: ') && folder.endsWith(command), stderr);
      assert.match(note!, /^warning: .*1 note is at the top of .* and in no vault/);
    }
  });

  test('the start logs it, and vault_stats tells the model, without a path', async (context) => {
    const notes = await startNotes(context, { data });
    const line = await notes.line(({ message }) => String(message).includes('My Vault'));
    assert.deepEqual([line.event, line.level], ['config_error', 'warn']);
    assert.ok(String(line.message).endsWith(command));
    const { value, text } = await notes.call('vault_stats');
    assert.deepEqual(value.outside_vaults, {
      folders: 1,
      skipped_folders: [
        {
          name: 'My Vault',
          reason: "a vault's name matches [a-z0-9][a-z0-9_-]{0,63}",
          rename_to: 'my-vault',
        },
      ],
      notes: 1,
    });
    assert.ok(!text.includes(data));
    const below = await notes.call('vault_stats', { prefix: 'x' });
    assert.equal(below.value.outside_vaults, undefined);
  });
});

test('a vault as data directory is refused by all, and nothing is written into it', async () => {
  const data = join(directory, 'My Notes');
  mkdirSync(join(data, '.obsidian'), { recursive: true });
  mkdirSync(join(data, 'daily'));
  writeFileSync(join(data, 'Welcome.md'), 'x');
  const before = readdirSync(data, { recursive: true });
  for (const words of [[], ['validate'], ['reindex']]) {
    const { code, stdout, stderr } = await runProgram(NOTES_ENTRY, words, {
      env: { ...notesEnvironment(data), NOTES_GIT: 'true' },
    });
    assert.equal(code, 1);
    assert.match(stdout + stderr, /is itself an Obsidian vault .* set NOTES_DATA to it/);
  }
  assert.deepEqual(readdirSync(data, { recursive: true }), before);
});
