/** Many clients at once, and an editor, git and a copying program at work in the same vault. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  copyFile,
  cp,
  mkdir,
  readFile,
  rename,
  rm,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { untilIndexIsFresh } from '../support/notes/index-equality.ts';
import { dataDirectory, type NotesProcess, startNotes } from '../support/notes/notes.ts';
import { until } from '../support/notes/notes-storage.ts';

test('64 parallel appends through HTTP are 64 lines, and each answer is true', async (context) => {
  const server = await startNotes(context, { files: { 'default/a.md': '# A\n' } });
  await server.token();
  const numbers = Array.from({ length: 64 }, (_, n) => n);
  const answers = await Promise.all(
    numbers.map((n) =>
      server.call('note_section_edit', {
        path: 'a',
        mode: 'append_to_note',
        content: `- line ${n}`,
      }),
    ),
  );
  assert.deepEqual(
    answers.filter(({ isError }) => isError),
    [],
  );
  assert.equal(new Set(answers.map(({ value }) => value.change_id)).size, 64);
  assert.equal(new Set(answers.map(({ value }) => value.content_hash)).size, 64);
  const lines = (await readFile(join(server.data, 'default/a.md'), 'utf8')).split('\n');
  assert.deepEqual(
    lines.filter((line) => line !== '').sort(),
    ['# A', ...numbers.map((n) => `- line ${n}`)].sort(),
  );
  await untilIndexIsFresh(join(server.data, 'default'));
});

type Habit = (root: string) => Promise<void>;

async function put(root: string, path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

/** The new text beside the old, then in its place: as vim, VS Code and most others save. */
async function saveByRename(root: string, path: string, text: string): Promise<void> {
  const folder = join(root, dirname(path));
  await writeFile(join(folder, '4913'), '');
  await unlink(join(folder, '4913'));
  await writeFile(join(folder, '.note.md.swp'), text.repeat(3));
  await rename(join(root, path), join(root, `${path}~`));
  await writeFile(join(root, path), text);
  await unlink(join(root, `${path}~`));
  await writeFile(join(folder, '.tmp-save'), `${text}again\n`);
  await rename(join(folder, '.tmp-save'), join(root, path));
  await unlink(join(folder, '.note.md.swp'));
}

/** A copy gets the date of its original before it takes its name. */
async function copyLikeRsync(root: string, path: string, text: string, date: Date): Promise<void> {
  const part = join(root, dirname(path), '.part.x8Gh2z');
  await mkdir(dirname(part), { recursive: true });
  await writeFile(part, text);
  await utimes(part, date, date);
  await rename(part, join(root, path));
}

function git(root: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@localhost', '-c', 'gc.auto=0'];
  execFileSync('git', [...identity, ...args], { cwd: root, stdio: 'ignore' });
}

const HABITS: [about: string, habit: Habit][] = [
  [
    'a save by rename, with swap and backup files',
    async (root) => {
      for (let n = 0; n < 20; n++)
        await saveByRename(root, 'note.md', `# Saved ${n}\n\n[[other]]\n`);
    },
  ],
  [
    'a file written in many small pieces',
    async (root) => {
      for (let n = 0; n < 50; n++) {
        await writeFile(join(root, 'other.md'), `piece ${n} [[note]]\n`, { flag: 'a' });
      }
    },
  ],
  [
    'a checkout of 2,000 files there and back, the same in size',
    async (root) => {
      git(root, 'init', '-q', '-b', 'one');
      await writeFile(join(root, '.git/info/exclude'), '.notes\n');
      for (const version of ['one', 'two']) {
        if (version === 'two') git(root, 'checkout', '-q', '-b', 'two');
        for (let n = 0; n < 2000; n++) {
          await put(root, `tree/${n % 40}/n${n}.md`, `# N${n}\n\n${version} [[n${n + 1}]]\n`);
        }
        git(root, 'add', 'tree');
        git(root, 'commit', '-q', '-m', version);
      }
      git(root, 'checkout', '-q', 'one');
      git(root, 'checkout', '-q', 'two');
      git(root, 'rm', '-rq', 'tree/7');
      git(root, 'checkout', '-qf', 'one');
    },
  ],
  [
    'a copy that brings old dates along, over files of the same size',
    async (root) => {
      const date = new Date('2020-01-02T03:04:05Z');
      for (let n = 0; n < 100; n++)
        await copyLikeRsync(root, `copy/n${n}.md`, `first ${n}\n`, date);
      for (let n = 0; n < 100; n++) {
        await copyLikeRsync(root, `copy/n${n}.md`, `other ${n}\n`, new Date(date.getTime() + 1000));
      }
    },
  ],
  [
    'whole directories moved in, around and out',
    async (root) => {
      const outside = join(dirname(dirname(root)), `outside-${process.pid}`);
      for (let n = 0; n < 60; n++)
        await put(outside, `d${n % 6}/deep/n${n}.md`, `in ${n} [[note]]\n`);
      await rename(outside, join(root, 'in'));
      await rename(join(root, 'in/d1'), join(root, 'd1'));
      await rename(join(root, 'd1'), join(root, 'in/d0/d1'));
      await cp(join(root, 'in/d2'), join(root, 'copied'), { recursive: true });
      await rename(join(root, 'in/d3'), outside);
      await rm(outside, { recursive: true });
      await put(root, 'in/d0/d1/deep/late.md', 'late [[n1]]\n');
    },
  ],
  [
    'files and folders that change places and cases',
    async (root) => {
      await rename(join(root, 'note.md'), join(root, 'x.md'));
      await rename(join(root, 'other.md'), join(root, 'note.md'));
      await rename(join(root, 'x.md'), join(root, 'other.md'));
      await copyFile(join(root, 'note.md'), join(root, 'Note copy.md'));
      await rename(join(root, 'Note copy.md'), join(root, 'NOTE COPY.md'));
      await rm(join(root, 'copied'), { recursive: true });
      await put(root, 'copied', 'a file now');
    },
  ],
];

const FILES = { 'default/note.md': '# Note\n', 'default/other.md': '[[note]]\n' };

/** The habit, while clients write beside it. */
async function withHabit(server: NotesProcess, habit: Habit): Promise<void> {
  const root = join(server.data, 'default');
  const appending = Array.from({ length: 10 }, (_, n) =>
    server.call('note_capture', { text: `while others work ${n}` }),
  );
  await habit(root);
  for (const { isError, text } of await Promise.all(appending)) assert.ok(!isError, text);
}

test('what others do beside the running server is in the index soon after', async (context) => {
  const server = await startNotes(context, {
    data: join(dataDirectory(context), 'data'),
    files: FILES,
  });
  await server.indexed();
  for (const [about, habit] of HABITS) {
    await context.test(about, async () => {
      await withHabit(server, habit);
      await untilIndexIsFresh(join(server.data, 'default'));
      // A sweep after a burst may still be running, and finds nothing new.
      await server.indexed();
      assert.equal((await server.call('vault_stats')).value.watcher.mode, 'events');
    });
  }
  const captured = await readFile(join(server.data, 'default/inbox.md'), 'utf8');
  assert.equal(captured.match(/while others work/g)?.length, 10 * HABITS.length);
});

/** The limit of a separate namespace: the first few folders get their watches, the rest none. */
const FEW_WATCHES = [
  'unshare',
  '--user',
  '--map-root-user',
  'sh',
  '-c',
  'echo 4 > /proc/sys/user/max_inotify_watches && exec "$0" "$@"',
];

function canLimitWatches(): boolean {
  try {
    execFileSync(FEW_WATCHES[0]!, [...FEW_WATCHES.slice(1), 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('when the system has no more watches vault_stats says so, and sweeps find what is changed', {
  skip: canLimitWatches() ? false : 'needs user namespaces',
}, async (context) => {
  const files = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`default/f${n}/n.md`, `# N${n}\n`]),
  );
  const server = await startNotes(context, { files, wrapper: FEW_WATCHES });
  await server.indexed();
  const { watcher } = (await server.call('vault_stats')).value;
  assert.equal(watcher.mode, 'events_and_sweeps');
  assert.match(watcher.reason, /watch|ENOSPC|inotify/);
  const root = join(server.data, 'default');
  for (let n = 0; n < 12; n++) await put(root, `f${n}/n.md`, `# Changed ${n} [[n]]\n`);
  await untilIndexIsFresh(root);
  await until(async () => (await server.call('vault_stats')).value.watcher.last_sweep !== null);
});
