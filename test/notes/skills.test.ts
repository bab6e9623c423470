/** Skills of a vault as clients list and read them, and what is no skill. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cleaner, type NotesProcess, startNotes } from '../support/notes/notes.ts';

const SKILLS = '.notes/skills';
const manifest = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Does ${name}\n${more}---\n# ${name}\n`;

const suite = cleaner();
let notes: NotesProcess;
before(async () => {
  const many = Array.from({ length: 12 }, (_, at) => `many-${10 + at}`);
  notes = await startNotes(suite, {
    files: {
      'default/a.md': '# A\n',
      [`default/${SKILLS}/filing/SKILL.md`]: manifest('filing', 'version: 1.10\n'),
      [`default/${SKILLS}/filing/scripts/äöü.py`]: 'print(1)\n',
      [`default/${SKILLS}/filing/.env`]: 'hidden',
      [`default/${SKILLS}/other-name/SKILL.md`]: manifest('another'),
      [`default/${SKILLS}/no-text/SKILL.md`]: '# no frontmatter\n',
      [`default/${SKILLS}/no-description/SKILL.md`]: '---\nname: no-description\n---\n',
      [`default/${SKILLS}/Capital/SKILL.md`]: manifest('Capital'),
      [`default/${SKILLS}/empty/readme.md`]: 'x',
      ...Object.fromEntries(
        many.map((name) => [`work/${SKILLS}/${name}/SKILL.md`, manifest(name)]),
      ),
    },
  });
  const outside = join(notes.data, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'SKILL.md'), manifest('linked'));
  symlinkSync(outside, join(notes.data, 'default', SKILLS, 'linked'));
  symlinkSync(join(outside, 'SKILL.md'), join(notes.data, 'default', SKILLS, 'filing/link.md'));
  await notes.indexed();
});
after(() => suite.clean());

async function listAll() {
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what each test asserts.
  const skills: any[] = [];
  let cursor: string | undefined;
  do {
    const page = await notes.rpc('skills/list', cursor === undefined ? {} : { cursor });
    skills.push(...page.skills);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return skills;
}

test('skills are listed with every file, over pages, and what is none is left out', async () => {
  const skills = await listAll();
  const names = skills.map(({ frontmatter }) => frontmatter.name);
  assert.deepEqual(names.slice(0, 2), ['filing', 'many-10']);
  assert.equal(new Set(names).size, 13);
  assert.deepEqual(skills[0].resources.map(({ uri }: { uri: string }) => uri).sort(), [
    'skill://default/filing/SKILL.md',
    'skill://default/filing/scripts/%C3%A4%C3%B6%C3%BC.py',
  ]);
  assert.equal(skills[0].frontmatter.description, 'Does filing');
});

test('every file reads as the bytes that its digest and size are of', async () => {
  for (const { resources } of await listAll()) {
    for (const { uri, digest, size } of resources) {
      const [{ text }] = (await notes.rpc('resources/read', { uri })).contents;
      assert.equal(Buffer.byteLength(text), size);
      assert.equal(`sha256:${createHash('sha256').update(text).digest('hex')}`, digest);
    }
  }
});

test('one skill is got by its URI, as it is now', async () => {
  const uri = 'skill://default/filing/SKILL.md';
  const before = (await notes.rpc('skills/get', { uri })).skill;
  writeFileSync(
    join(notes.data, 'default', SKILLS, 'filing/SKILL.md'),
    manifest('filing', 'a: b\n'),
  );
  const { skill } = await notes.rpc('skills/get', { uri });
  assert.equal(skill.frontmatter.a, 'b');
  assert.notEqual(skill.resources[0].digest, before.resources[0].digest);
});

test('the log says once why a folder is no skill', async () => {
  await listAll();
  await listAll();
  const lines = notes.lines().filter(({ event }) => event === 'skill_skipped');
  assert.deepEqual(lines.map(({ skill }) => skill).sort(), [
    'Capital',
    'empty',
    'no-description',
    'no-text',
    'other-name',
  ]);
});

test('a URI leads to the files of skills alone', async () => {
  for (const uri of [
    'skill://default/filing/.env',
    'skill://default/filing/link.md',
    'skill://default/linked/SKILL.md',
    'skill://default/filing/../../instructions.md',
    'skill://default/filing/%2e%2e/%2e%2e/canaries',
    'skill://default/filing/..%2f..%2f..%2fa.md',
    'skill://default/../default/a.md',
    'skill://nowhere/filing/SKILL.md',
    'skill://default/filing/gone.md',
    'skill://default/filing/%zz',
    'skill://',
  ]) {
    await assert.rejects(notes.rpc('resources/read', { uri }), /no such resource/, uri);
    await assert.rejects(notes.rpc('skills/get', { uri }), /no such skill/, uri);
  }
  await assert.rejects(notes.rpc('skills/list', { cursor: 'x' }), /cursor/);
});

test('no tool shows or changes a skill', async () => {
  const path = `${SKILLS}/filing/SKILL.md`;
  assert.match((await notes.call('note_read', { path })).text, /path_hidden/);
  assert.match((await notes.call('note_create', { path, content: 'x' })).text, /path_hidden/);
  assert.deepEqual((await notes.call('note_search', { query: 'filing' })).value.hits, []);
});
