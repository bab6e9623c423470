/** The rules of the watcher, one look at a time; test/gateway/reload.test.ts has the real process. */
import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ExecValues } from '../core/config/exec-values.ts';
import { createLog } from '../core/log/log.ts';
import { ActiveConfig } from './config/active-config.ts';
import { readConfig } from './config/read-config.ts';
import { Reloader } from './reload.ts';

const SERVER = 'server: {public_url: "https://a.example"}\n';
const version = (name: string) => `${SERVER}users: [{name: ${name}, password: correct-horse}]\n`;
const BAD = `${SERVER}users: [{name: alice}]\n`;

/** A file with its reloader; `change` happens after the first reading and before the watch. */
function watched(change?: (path: string) => void) {
  const directory = mkdtempSync(join(tmpdir(), 'reloader-'));
  const path = join(directory, 'config.yaml');
  writeFileSync(path, version('alice'));
  const { config, digest } = readConfig(path, { env: {} });
  change?.(path);
  const events: string[] = [];
  const log = createLog({ level: 'info', write: (line) => events.push(JSON.parse(line).event) });
  const active = new ActiveConfig(config!);
  const exec = new ExecValues({});
  const options = { path, env: {}, exec, active, log, digest, onChange: () => {} };
  const reloader = new Reloader(options);
  return {
    path,
    events,
    reloader,
    users: () => [...active.config.users.keys()],
    look: async (times: number) => {
      for (let i = 0; i < times; i++) await reloader.poll();
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}

test('a file that does not change is never reported', async () => {
  using file = watched();
  await file.look(4);
  assert.deepEqual(file.events, []);
});

test('a change between the first reading and the first look is not missed', async () => {
  using file = watched((path) => writeFileSync(path, version('bob')));
  await file.look(2);
  assert.deepEqual(file.users(), ['bob']);
});

test('a file is read only once it has looked alike twice, so a half-written one is not', async () => {
  using file = watched();
  await file.look(2);
  writeFileSync(file.path, BAD.slice(0, 30));
  await file.look(1);
  writeFileSync(file.path, version('bob'));
  await file.look(1);
  assert.deepEqual(file.events, []);
  await file.look(1);
  assert.deepEqual(file.events, ['config_reloaded']);
  assert.deepEqual(file.users(), ['bob']);
});

test('one bad version is reported once, however often its file is touched', async () => {
  using file = watched();
  writeFileSync(file.path, BAD);
  await file.look(2);
  utimesSync(file.path, 1, 1);
  await file.look(2);
  writeFileSync(`${file.path}.next`, BAD);
  renameSync(`${file.path}.next`, file.path);
  await file.look(2);
  assert.deepEqual(file.events, ['config_error']);
  assert.deepEqual(file.users(), ['alice']);
});

test('a bad version is reported again after a good one came between', async () => {
  using file = watched();
  for (const text of [BAD, version('bob'), BAD]) {
    writeFileSync(file.path, text);
    await file.look(2);
  }
  assert.deepEqual(file.events, ['config_error', 'config_reloaded', 'config_error']);
  assert.deepEqual(file.users(), ['bob']);
});

test('a file that is gone is reported once, and what comes in its place is read', async () => {
  using file = watched();
  rmSync(file.path);
  await file.look(4);
  writeFileSync(file.path, version('bob'));
  await file.look(2);
  assert.deepEqual(file.events, ['config_error', 'config_reloaded']);
});

test('SIGHUP always gets its answer, and the watcher does not repeat it', async () => {
  using file = watched();
  await file.reloader.reload();
  writeFileSync(file.path, BAD);
  await file.reloader.reload();
  await file.reloader.reload();
  await file.look(2);
  assert.deepEqual(file.events, ['config_reloaded', 'config_error', 'config_error']);
});

test('the last user going is a warning with each such version', async () => {
  using file = watched();
  writeFileSync(file.path, `${SERVER}users: []\n`);
  await file.look(2);
  assert.deepEqual(file.events, ['config_reloaded', 'config_error']);
});
