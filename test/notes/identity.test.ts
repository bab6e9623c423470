/**
 * Who runs the server and whose the data directory is. The image's user is 65532; any other will
 * do, so long as the directory is theirs. Capabilities are dropped as the image has it.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  cleaner,
  dataDirectory,
  notesEnvironment,
  place,
  runNotes,
  startNotes,
} from '../support/notes/notes.ts';
import { parseLines } from '../support/programs/program.ts';

const IMAGE_UID = 65532;
const skip = canChangeUser() ? false : 'needs root and setpriv, to run as another user';

function canChangeUser(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync('setpriv', ['--version']);
    return true;
  } catch {
    return false;
  }
}

/** As the container runs it: no capability, none to be gained. */
function as(uid: number): string[] {
  return [
    'setpriv',
    ...[`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'],
    ...['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'],
  ];
}

const suite = cleaner();
/** Nobody reads what Node compiled for another user: so the image's keeps its own. */
let compiled: string;
before(() => {
  compiled = dataDirectory(suite);
  if (!skip) give(compiled, IMAGE_UID);
});
after(() => suite.clean());

/** How to run it as the image's user. */
function asImage(env: Readonly<Record<string, string>> = {}) {
  return { env: { ...env, NODE_COMPILE_CACHE: compiled }, wrapper: as(IMAGE_UID) };
}

function give(path: string, uid: number): void {
  execFileSync('chown', ['-R', `${uid}:${uid}`, path]);
}

describe('who runs it', { skip }, () => {
  for (const uid of [IMAGE_UID, 4711]) {
    test(`uid ${uid} without any capability serves, writes, commits and reindexes`, async (context) => {
      const data = dataDirectory(context);
      place(data, { 'default/a.md': '# A\n' });
      give(data, uid);
      chmodSync(data, 0o700);
      const run = (env: Record<string, string>) =>
        uid === IMAGE_UID ? asImage(env) : { env, wrapper: as(uid) };
      const notes = await startNotes(context, { data, ...run({ NOTES_GIT: 'true' }) });
      await notes.indexed();
      const { value } = await notes.call('note_create', { path: 'b.md', content: 'b\n' });
      assert.equal(value.path, 'b.md');
      const ended = await runNotes(['reindex'], run({ NOTES_DATA: data }));
      assert.deepEqual([ended.code, ended.stderr], [0, '']);
      assert.equal(await notes.stop(), 0);
      const owners = readdirSync(data, { recursive: true, encoding: 'utf8' }).map(
        (name) => statSync(join(data, name)).uid,
      );
      assert.deepEqual([...new Set(owners)], [uid]);
    });
  }

  test('a data directory of somebody else: one line with the owner, the uid and the cure; exit code 1', async (context) => {
    const data = dataDirectory(context);
    chmodSync(data, 0o755);
    const ended = await runNotes([], asImage(notesEnvironment(data)));
    assert.equal(ended.code, 1);
    const said = `${data} is owned by 0:0 and not writable for uid 65532; run: chown -R 65532:65532 ${data}`;
    assert.equal(ended.stderr, `environment: NOTES_DATA: ${said}\n`);
    const [line, ...more] = parseLines(ended.stdout);
    assert.deepEqual(more, []);
    assert.deepEqual(line?.problems, [`environment: NOTES_DATA: ${said}`]);
    assert.deepEqual(readdirSync(data), []);
  });

  const copied: [what: string, path: string][] = [
    ['a vault', 'default'],
    ['the folder of the index', 'default/.notes'],
    ['the index', 'default/.notes/index.db'],
    ['the repository', 'default/.git'],
    ['the lock', '.notes.lock'],
  ];
  for (const [what, path] of copied) {
    test(`${what} copied in as root: the same line, for that path`, async (context) => {
      const data = dataDirectory(context);
      mkdirSync(join(data, 'default/.git'), { recursive: true });
      place(data, { 'default/.notes/index.db': '', '.notes.lock': '' });
      give(data, IMAGE_UID);
      chownSync(join(data, path), 0, 0);
      const ended = await runNotes([], asImage(notesEnvironment(data)));
      assert.equal(ended.code, 1);
      const said = `${join(data, path)} is owned by 0:0 and not writable for uid 65532; run: chown -R 65532:65532 ${data}`;
      assert.equal(ended.stderr, `environment: NOTES_DATA: ${said}\n`);
    });
  }

  test('the cure that the line names is one', async (context) => {
    const data = dataDirectory(context);
    place(data, { 'default/a.md': 'a' });
    const refused = await runNotes([], asImage(notesEnvironment(data)));
    const cure = /run: (.*)\n$/.exec(refused.stderr)?.[1];
    execFileSync('sh', ['-c', cure!]);
    const notes = await startNotes(context, { data, ...asImage() });
    assert.equal(await notes.stop(), 0);
  });

  test('a directory of one’s own that is not writable is cured by its mode', async (context) => {
    const data = dataDirectory(context);
    give(data, IMAGE_UID);
    chmodSync(data, 0o500);
    const ended = await runNotes([], asImage(notesEnvironment(data)));
    assert.match(ended.stderr, /not writable for uid 65532; run: chmod -R u\+rwX /);
  });

  test('a directory that does not exist: the line says how to make it', async (context) => {
    const data = join(dataDirectory(context), 'missing');
    const ended = await runNotes([], asImage(notesEnvironment(data)));
    assert.equal(ended.code, 1);
    assert.match(
      ended.stderr,
      /does not exist; make it with: install -d -m 700 -o 65532 -g 65532 /,
    );
    assert.ok(!existsSync(data));
  });

  test('the socket takes no work from another user', async (context) => {
    const data = dataDirectory(context);
    give(data, IMAGE_UID);
    chmodSync(data, 0o777);
    await startNotes(context, { data, ...asImage() });
    chmodSync(join(data, '.notes.lock'), 0o666);
    const ended = await runNotes(['reindex'], { env: { NOTES_DATA: data }, wrapper: as(4711) });
    assert.deepEqual(ended, {
      code: 1,
      stdout: '',
      stderr: `the server of ${data} runs as uid 65532; run reindex as that user\n`,
    });
  });

  test('a folder that it may not read is named where the state of the index is', async (context) => {
    const data = dataDirectory(context);
    place(data, {
      'default/a.md': 'a',
      'default/x/locked/b.md': 'b',
      'default/x/seen/c.md': 'c',
    });
    give(data, IMAGE_UID);
    chmodSync(join(data, 'default/x/locked'), 0o000);
    chmodSync(join(data, 'default/x/seen'), 0o400);
    const notes = await startNotes(context, { data, ...asImage() });
    await notes.indexed();
    const unread = async (args = {}) =>
      (await notes.call('vault_stats', args)).value.index.unread_folders;
    const reason = 'permission denied; give it to the user the server runs as';
    assert.deepEqual(await unread(), [
      { path: 'x/locked', reason },
      { path: 'x/seen', reason },
    ]);
    assert.deepEqual(await unread({ prefix: 'x/seen' }), [{ path: 'x/seen', reason }]);
    assert.equal(await unread({ prefix: 'y' }), undefined);
  });

  test('root may ask a running server of another user, which makes what it makes as its own', async (context) => {
    const data = dataDirectory(context);
    place(data, { 'default/a.md': 'a' });
    give(data, IMAGE_UID);
    await startNotes(context, { data, ...asImage() });
    const ended = await runNotes(['reindex'], { env: { NOTES_DATA: data } });
    assert.deepEqual([ended.code, ended.stderr], [0, '']);
    assert.equal(statSync(join(data, 'default/.notes/index.db')).uid, IMAGE_UID);
    assert.equal(statSync(join(data, '.notes.lock')).uid, IMAGE_UID);
  });

  test('root makes no index in another’s vault, which would lock its server out', async (context) => {
    const data = dataDirectory(context);
    place(data, { 'default/a.md': 'a' });
    give(data, IMAGE_UID);
    const ended = await runNotes(['reindex'], { env: { NOTES_DATA: data } });
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /is owned by 65532:65532; run reindex as that user/);
    assert.deepEqual(readdirSync(data, { recursive: true }).sort(), ['default', 'default/a.md']);
  });
});
