/** The console of a running notes server in a real browser: what tools did, and how it is taken back. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type NotesProcess, startNotes } from '../support/notes/notes.ts';
import {
  assertFlawless,
  assertHarmless,
  type ConsoleBrowser,
  HOSTILE,
  launchConsoleBrowser,
} from '../support/pages/console.ts';
import { cleaner } from '../support/programs/cleaner.ts';

const MAX_PAGE_BYTES = 60_000;
const PAGES = ['', '/search?q=words', '/health', '/trash', '/sign-ins'];
/** In the name of a file there is no slash and no `"`. */
const HOSTILE_NAME = 'x<img src=x onerror=pwned=1>\u202e';

const end = cleaner();
let notes: NotesProcess;
let people: ConsoleBrowser;
before(async () => {
  notes = await startNotes(end, {
    files: {
      'default/Plans.md': '# Plans\n\nSee [[Nowhere]].\n\n- [ ] a task\n',
      'default/Doomed.md': '# Doomed\n',
      'work/Other.md': '# Other\n',
    },
    env: { NOTES_LOGIN_RATE_LIMIT: '100/m' },
  });
  await notes.indexed();
  people = await launchConsoleBrowser();
});
after(async () => {
  await people?.close();
  await end.clean();
});

const file = (path: string) => join(notes.data, path);
const text = (path: string) => readFileSync(file(path), 'utf8');
const call = async (tool: string, args: object) => {
  const answer = await notes.call(tool, args);
  assert.equal(answer.isError, false, answer.text);
  return answer.value;
};
const edit = (path: string, old_string: string, new_string: string) =>
  call('note_edit', { path, edits: [{ old_string, new_string }] });
const open = async (page: Page, path: string) => {
  await page.goto(`${notes.url}/console${path}`);
  await page.getByText('Signed in as').waitFor();
};
const change = (page: Page, tool: string) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name: tool }) });
const withPerson: typeof people.withPerson = (url, ...rest) => people.withPerson(url, ...rest);

test('every page is flawless in light and dark, on phone and desktop, with hostile texts on it', async () => {
  const content = `# ${HOSTILE}\n\nwords ${HOSTILE}\n`;
  await call('note_create', { path: `Ideas/${HOSTILE_NAME}.md`, content });
  for (let count = 0; count < 12; count++) {
    const long = `${HOSTILE} words `.repeat(200).replaceAll(' words ', ' words\n');
    await call('note_create', { path: `Long ${count}.md`, content: long });
  }
  await call('note_delete', { path: `Ideas/${HOSTILE_NAME}.md` });
  await withPerson(notes.url, 'ada', async (page) => {
    for (const path of PAGES) {
      await open(page, path);
      await assertFlawless(page, path);
      const url = `${notes.url}/console${path}`;
      const { length } = Buffer.from(await (await page.request.get(url)).text());
      assert.ok(length < MAX_PAGE_BYTES, `${path} has ${length} bytes`);
    }
    await open(page, '');
    await page.getByRole('link', { name: 'Older changes' }).click();
    await page.getByText('was created').first().waitFor();
    await page
      .getByRole('link', { name: /note_create/ })
      .last()
      .click();
    await page.getByRole('heading', { name: 'One change' }).waitFor();
    await assertFlawless(page, 'one change');
    assert.match(await page.locator('.diff').innerText(), /onerror=pwned=1.*\\u202e/);
  });
});

test('a change appears with its difference, is undone, and the undoing is undone', async () => {
  const before = text('default/Plans.md');
  await withPerson(notes.url, 'ada', async (page) => {
    await open(page, '');
    await edit('Plans.md', 'See [[Nowhere]].', 'See <b>nothing</b>.');
    const entry = change(page, 'note_edit').first();
    await entry.waitFor();
    assert.match(await entry.locator('del').innerText(), /-See \[\[Nowhere\]\]\./);
    assert.match(await entry.locator('ins').innerText(), /\+See <b>nothing<\/b>\./);
    await entry.getByRole('button', { name: /^Undo/ }).click();
    await page.getByText('The change is undone.').waitFor();
    assert.equal(text('default/Plans.md'), before);
    await change(page, 'change_undo').first().getByRole('button').click();
    await page.getByText('The change is undone.').waitFor();
    assert.match(text('default/Plans.md'), /<b>nothing<\/b>/);
    await assertHarmless(page);
    const [line] = notes.lines().filter(({ tool }) => tool === 'change_undo');
    assert.deepEqual([line!.user, line!.client_id, line!.outcome], ['ada', 'console', 'ok']);
  });
});

test('what has changed since is not undone, and the page says why', async () => {
  await edit('Plans.md', 'a task', 'another task');
  writeFileSync(file('default/Plans.md'), '# Plans\n\nedited elsewhere\n');
  await withPerson(notes.url, 'ada', async (page) => {
    await open(page, '');
    const entry = change(page, 'note_edit').first();
    assert.match(await entry.innerText(), /edited outside of this server/);
    await entry.getByRole('button', { name: /^Undo/ }).click();
    assert.match(await page.getByRole('status').innerText(), /Not undone: undo_conflict/);
    assert.equal(text('default/Plans.md'), '# Plans\n\nedited elsewhere\n');
  });
});

test('a deleted note is restored from the trash, without JavaScript', async () => {
  await call('note_delete', { path: 'Doomed.md' });
  assert.equal(existsSync(file('default/Doomed.md')), false);
  const work = async (page: Page) => {
    await open(page, '/trash');
    const row = page.getByRole('row').filter({ hasText: 'Doomed.md' });
    const fields = ['csrf', 'vault', 'trash_id'].map(async (name) => [
      name,
      await row.locator(`input[name=${name}]`).getAttribute('value'),
    ]);
    const form = Object.fromEntries(await Promise.all(fields));
    await row.getByRole('button', { name: 'Restore Doomed.md' }).click();
    await page.getByText('The note is back.').waitFor();
    assert.equal(text('default/Doomed.md'), '# Doomed\n');
    const headers = { origin: notes.url };
    const again = await page.request.post(`${notes.url}/console/restore`, { form, headers });
    assert.match(await again.text(), /Not restored: .*trash_expired/);
  };
  await withPerson(notes.url, 'ada', work, { javaScriptEnabled: false });
});

test('search finds notes of the chosen vault, and says when it finds none', async () => {
  await withPerson(notes.url, 'ada', async (page) => {
    await open(page, '/search');
    await page.getByLabel('Words').fill('Other');
    await page.getByLabel('Words').press('Enter');
    await page.getByText('Nothing found.').waitFor();
    await page.getByLabel('Vault').selectOption('work');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByLabel('Words').fill('Other');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('heading', { name: 'Other' }).waitFor();
    assert.match(await page.locator('.hits').innerText(), /Other\.md, line 1/);
  });
});

test('a vault that is not there, a path in its place, and changes of no journal are 404', async () => {
  await withPerson(notes.url, 'ada', async (page) => {
    const asked = [
      '?vault=nothing',
      '?vault=..%2Fdefault',
      '/health?vault=.git',
      '/changes/1-0-00000000',
      '/changes/999999999-zzzzzzzz-ffffffff',
      '/changes/..%2f..%2fx',
    ];
    for (const path of asked) {
      const answer = await page.request.get(`${notes.url}/console${path}`);
      assert.equal(answer.status(), 404, path);
    }
  });
});

test('where nothing may be written, nothing is undone', async (context) => {
  await edit('Doomed.md', 'Doomed', 'Saved');
  await notes.stop();
  const env = { NOTES_READONLY: 'true', NOTES_CONSOLE: 'true' };
  notes = await startNotes(context, { data: notes.data, env });
  await withPerson(notes.url, 'ada', async (page) => {
    await open(page, '');
    await change(page, 'note_edit').first().getByRole('button', { name: /^Undo/ }).click();
    assert.match(await page.getByRole('status').innerText(), /Not undone: read_only/);
  });
  assert.equal(text('default/Doomed.md'), '# Saved\n');
});

test('without the console its paths are like any unknown one', async (context) => {
  const other = await startNotes(context, { env: { NOTES_CONSOLE: 'false' } });
  for (const path of ['/console', '/sign-in', '/console/events']) {
    assert.equal((await fetch(other.url + path)).status, 404, path);
  }
});
