/**
 * Weeks of use in minutes: thousands of calls of all kinds by several clients at once, on one
 * server with git. Whatever they do, the server ends as it was in the middle: no call fails for
 * another reason than that the note is no longer as the client knew it, memory and descriptors do
 * not grow, the index is what a rebuild gives, and every change is in the history.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertIndexIsFresh } from '../support/notes/index-equality.ts';
import { cleaner, type NotesProcess, startNotes } from '../support/notes/notes.ts';
import { until } from '../support/notes/notes-storage.ts';
import { type Random, randomFrom, writeVault, zipfWord } from '../support/notes/vault-generator.ts';
import { memoryKib } from '../support/programs/process.ts';

const NOTES = 1000;
const CALLS = Number(process.env.NOTES_CALLS ?? 12_000);
const CLIENTS = 4;
const MAX_MIB = 400;
const MAX_DESCRIPTORS = 150;
/** What another client's change, made a moment before, can lead to. */
const EXPECTED = new Set(['note_not_found', 'note_exists', 'undo_conflict', 'undo_expired']);

class Users {
  readonly refusals = new Map<string, number>();
  readonly #notes: NotesProcess;
  readonly #random: Random;
  readonly #changes: string[] = [];
  #paths: string[];
  #made = 0;

  constructor(notes: NotesProcess, paths: string[], random: Random) {
    this.#notes = notes;
    this.#paths = paths;
    this.#random = random;
  }

  async work(calls: number): Promise<void> {
    let left = calls;
    const client = async () => {
      while (left-- > 0) await this.#act();
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }

  async #act(): Promise<void> {
    const path = this.#random.pick(this.#paths);
    const word = zipfWord(this.#random);
    const at = this.#random.below(100);
    if (at < 30) await this.#call('note_search', { query: `${word} ${zipfWord(this.#random)}` });
    else if (at < 45) await this.#call('note_read', { path });
    else if (at < 65) {
      const edit = { path, mode: 'append_to_note', content: `a line about ${word}` };
      await this.#call('note_section_edit', edit);
    } else if (at < 74) await this.#create(`made/${this.#made++}.md`, `# ${word}\n\n[[${path}]]\n`);
    else if (at < 79) await this.#move(path, path.replace(/\.md$/, '-.md'));
    else if (at < 82) await this.#delete(path);
    else if (at < 92) await this.#undo();
    else if (at < 94) await this.#call('note_links', { path });
    else if (at < 95) await this.#call('vault_review', {});
    else if (at < 98) await this.#call('vault_stats', {});
    else await this.#call('note_history', { deleted: true });
  }

  async #create(path: string, content: string): Promise<void> {
    if (await this.#call('note_create', { path, content })) this.#paths.push(path);
  }

  async #move(path: string, to: string): Promise<void> {
    if (!(await this.#call('note_move', { path, to }))) return;
    this.#paths = this.#paths.map((one) => (one === path ? to : one));
  }

  async #delete(path: string): Promise<void> {
    if (await this.#call('note_delete', { path })) {
      this.#paths = this.#paths.filter((one) => one !== path);
    }
  }

  async #undo(): Promise<void> {
    const [change_id] = this.#changes.splice(this.#random.below(this.#changes.length + 1), 1);
    if (change_id !== undefined) await this.#call('change_undo', { change_id });
  }

  async #call(tool: string, args: object): Promise<boolean> {
    const { isError, value } = await this.#notes.call(tool, args);
    if (value.change_id !== undefined) this.#changes.push(value.change_id);
    if (!isError) return true;
    this.refusals.set(value.code, (this.refusals.get(value.code) ?? 0) + 1);
    return false;
  }
}

test('thousands of calls of all kinds leave the server as it was', async (t) => {
  const suite = cleaner();
  t.after(() => suite.clean());
  const data = mkdtempSync(join(tmpdir(), 'notes-long-use-'));
  const vault = join(data, 'default');
  writeVault(vault, { notes: NOTES });
  const paths = readdirSync(vault, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.md'),
  );
  const notes = await startNotes(suite, { data, env: { NOTES_GIT: 'true' } });
  await notes.indexed();
  const users = new Users(notes, paths, randomFrom(11));
  const figures: string[] = [];
  for (const half of ['first', 'second']) {
    await users.work(CALLS / 2);
    const mib = Math.round(memoryKib(notes.pid, 'VmRSS') / 1024);
    const descriptors = readdirSync(`/proc/${notes.pid}/fd`).length;
    figures.push(`${half} half: ${mib} MiB, ${descriptors} descriptors`);
    assert.ok(mib < MAX_MIB, figures.join('; '));
    assert.ok(descriptors < MAX_DESCRIPTORS, figures.join('; '));
  }
  t.diagnostic(`${figures.join('; ')}; ${JSON.stringify([...users.refusals])}`);
  for (const code of users.refusals.keys()) assert.ok(EXPECTED.has(code), code);

  const pending = async () => (await notes.call('vault_stats')).value.git.pending === 0;
  await until(pending);
  await notes.stop();
  await assertIndexIsFresh(vault);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', vault, ...args], { encoding: 'utf8' });
  assert.equal(git('status', '--porcelain'), '');
  assert.equal(git('fsck', '--no-progress', '--no-dangling').trim(), '');
});
