import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from '../../../test/support/notes/notes-storage.ts';
import {
  dataWarnings,
  isVaultName,
  readDataFolders,
  vaultItselfProblem,
  vaultNameFor,
} from './data-folders.ts';

/** Those that end in a slash are directories. */
async function directoryWith(t: TestContext, paths: readonly string[]): Promise<string> {
  const data = await temporaryDirectory(t);
  for (const path of paths) {
    const full = join(data, path);
    await mkdir(path.endsWith('/') ? full : dirname(full), { recursive: true });
    if (!path.endsWith('/')) await writeFile(full, 'x');
  }
  return data;
}

async function warningsOf(data: string): Promise<string[]> {
  return [...dataWarnings(data, await readDataFolders(data))];
}

test('a folder that is no vault is named, with the command that makes it one', async (t) => {
  const data = await directoryWith(t, [
    'My Vault/a.md',
    'Personal/',
    'work/',
    '.trash/',
    'lost+found/',
  ]);
  const form = "a vault's name matches [a-z0-9][a-z0-9_-]{0,63}; rename it:";
  assert.deepEqual(await warningsOf(data), [
    `the folder "My Vault" in ${data} is skipped: ${form} mv '${data}/My Vault' ${data}/my-vault`,
    `the folder "Personal" in ${data} is skipped: ${form} mv ${data}/Personal ${data}/personal`,
  ]);
});

test('a link to a directory is named, also where its name would do', async (t) => {
  const data = await directoryWith(t, []);
  const elsewhere = await directoryWith(t, []);
  await symlink(elsewhere, join(data, 'work'));
  await symlink(join(elsewhere, 'nowhere'), join(data, 'broken'));
  assert.deepEqual(await warningsOf(data), [
    `the folder "work" in ${data} is skipped: it is a symbolic link, and a vault is a directory; move or mount the notes there`,
  ]);
});

test('a new name is one that nothing else has', async (t) => {
  const data = await directoryWith(t, ['Work/', 'WORK/', 'work/', 'work-2']);
  const { skipped } = await readDataFolders(data);
  assert.deepEqual(
    skipped.map(({ name, newName }) => [name, newName]),
    [
      ['WORK', 'work-3'],
      ['Work', 'work-4'],
    ],
  );
});

for (const [given, expected] of [
  ['My Vault', 'my-vault'],
  ['Zettelkästen & Tagebücher', 'zettelkasten-tagebucher'],
  ['_private_', 'private_'],
  ['2026', '2026'],
  ['日本語', 'vault'],
  ['--', 'vault'],
  ['X'.repeat(200), 'x'.repeat(64)],
] as const) {
  test(`the vault name for ${given.slice(0, 30)}`, () => {
    assert.equal(vaultNameFor(given), expected);
    assert.ok(isVaultName(expected));
  });
}

test('a name cannot steer the terminal, and no command is made of it', async (t) => {
  const data = await directoryWith(t, ['Ev\u001b[2Jil\nname/']);
  const [warning, ...rest] = await warningsOf(data);
  assert.deepEqual(rest, []);
  assert.match(warning!, /"Ev\\u001b\[2Jil\\u000aname".*; rename it: "ev-2jil-name" would do$/);
});

test('thousands of folders are a few lines', async (t) => {
  const names = Array.from({ length: 3_000 }, (_, index) => `Folder ${10_000 + index}/`);
  const data = await directoryWith(t, names);
  const warnings = await warningsOf(data);
  assert.equal(warnings.length, 21);
  assert.match(warnings[0]!, /"Folder 10000"/);
  assert.equal(warnings[20], `2,980 more folders are skipped in ${data}`);
});

for (const [what, paths, isVault] of [
  ['an Obsidian vault', ['.obsidian/', 'Welcome.md'], true],
  ['an Obsidian vault without a note', ['.obsidian/'], true],
  ['one with folders that could be vaults', ['.obsidian/', 'Welcome.md', 'daily/a.md'], true],
  ['one with folders that could not', ['.obsidian/', 'Daily Notes/a.md'], true],
  ['a Logseq graph', ['logseq/config.edn', 'pages/a.md', 'journals/b.md'], true],
  ['a Logseq database', ['.logseq/'], true],
  ['a vault of this server', ['.notes/index.db', 'a.md', 'daily/b.md'], true],
  ['vaults that were opened together', ['.obsidian/', 'work/a.md', 'home/b.md'], false],
  ['the same with a note and a vault in use', ['.obsidian/', 'a.md', 'work/.notes/'], false],
  ['notes alone', ['a.md', 'b.md'], false],
  ['a vault called logseq', ['logseq/pages/a.md'], false],
  ['nothing', [], false],
] as const) {
  test(`${what}: the data directory is ${isVault ? '' : 'not '}taken for a vault`, async (t) => {
    const data = await directoryWith(t, paths);
    assert.equal((await readDataFolders(data)).isVault !== undefined, isVault);
  });
}

test('the advice names a place where the vault would be one', () => {
  assert.equal(
    vaultItselfProblem('/home/ada/My Notes', 'an Obsidian vault (it has .obsidian)'),
    '/home/ada/My Notes is itself an Obsidian vault (it has .obsidian), but must be the directory that holds the vaults; make such a directory, move this one into it as my-notes, and set NOTES_DATA to it; /home/ada will do if it holds nothing but vaults, with this one renamed to my-notes',
  );
  assert.match(
    vaultItselfProblem('/data', 'an Obsidian vault (it has .obsidian)'),
    /; mount the vault at \/data\/notes instead, or move it there$/,
  );
});

test('notes at the top alone are a warning', async (t) => {
  const data = await directoryWith(t, ['b.md', 'A.MD', 'picture.png']);
  assert.deepEqual(await warningsOf(data), [
    `2 notes are at the top of ${data} and in no vault, such as "A.MD"; move notes into the folder of a vault, such as ${data}/default`,
  ]);
});
