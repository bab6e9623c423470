/**
 * What the images hold and run, without Docker: the files that .dockerignore lets through are
 * built, what `npm prune --omit=dev` would remove is not there, and the programs are started from
 * the rest, with the settings of their stage in the Dockerfile, as 65532 who owns none of it.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { healthCheckOf, stagesOf } from '../support/deploy/dockerfile-rules.ts';
import { PORTS, PROGRAMS, type Program, ROOT, read } from '../support/deploy/names.ts';
import { openDirectory, put } from '../support/http/reverse-proxy.ts';
import { dataDirectory, startNotes } from '../support/notes/notes.ts';
import { freePort } from '../support/programs/free-port.ts';
import { startProgram } from '../support/programs/program.ts';

const STAGES = stagesOf(read('deploy/Dockerfile'));
const isRoot = process.getuid?.() === 0;
const wrapper = isRoot ? ['setpriv', '--reuid=65532', '--regid=65532', '--clear-groups'] : [];
let directory: string;
/** /app of the images. */
let app: string;

before(() => {
  directory = openDirectory('image-');
  const context = join(directory, 'context');
  copyContext(context);
  symlinkSync(join(ROOT, 'node_modules'), join(context, 'node_modules'));
  const env = { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}` };
  execFileSync(process.execPath, ['tools/build.ts'], { cwd: context, env });
  app = join(directory, 'app');
  mkdirSync(app);
  for (const name of ['package.json', 'dist']) {
    cpSync(join(context, name), join(app, name), { recursive: true });
  }
  copyProductionModules(app);
});
after(() => rmSync(directory, { recursive: true, force: true }));

function copyContext(context: string): void {
  const lines = read('.dockerignore')
    .split('\n')
    .filter((line) => /^[^#]/.test(line));
  assert.equal(lines[0], '*', 'everything is left out but what is named');
  assert.ok(lines.includes('**/*.test.ts') && lines.includes('**/node_modules'));
  for (const line of lines.filter((name) => name.startsWith('!') && name !== '!.git')) {
    const name = line.slice(1);
    const isWanted = (path: string) => !/\.test\.ts$|\/node_modules$/.test(path);
    cpSync(join(ROOT, name), join(context, name), { recursive: true, filter: isWanted });
  }
}

/** The packages that the lock file does not call development, as `npm prune --omit=dev` leaves. */
function copyProductionModules(place: string): void {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; link?: boolean }>;
  };
  for (const [path, { dev, devOptional, link }] of Object.entries(packages)) {
    if (!path.startsWith('node_modules/') || dev || devOptional || link) continue;
    // Builds for other machines are listed, too, and not installed.
    if (!existsSync(join(ROOT, path))) continue;
    const isOwn = (from: string) => !from.slice(join(ROOT, path).length).includes('/node_modules');
    cpSync(join(ROOT, path), join(place, path), { recursive: true, filter: isOwn });
  }
}

/** Runs the health check of a stage against a port, with the Node of the tests. */
function isHealthy(program: Program, port: number): boolean {
  const [, ...args] = healthCheckOf(STAGES.get(program)!)!;
  const script = put(args.at(-1)!, [[String(PORTS[program]), String(port)]]);
  const { status, stderr } = spawnSync(process.execPath, [...args.slice(0, -1), script]);
  assert.equal(String(stderr), '');
  return status === 0;
}

/** What the ENV lines of a stage set. */
function environmentOf(program: Program): Record<string, string> {
  const lines = STAGES.get(program)!.steps.filter(({ word }) => word === 'ENV');
  const pairs = lines.flatMap(({ rest }) => rest.split(' ')).map((pair) => pair.split('='));
  return Object.fromEntries(pairs);
}

const entryOf = (program: Program) => join(app, `dist/bin/${program}.js`);

test('no package of development is in the images, and every other one is', () => {
  const has = (name: string) => existsSync(join(app, 'node_modules', name));
  const { dependencies, devDependencies } = JSON.parse(read('package.json'));
  assert.deepEqual(Object.keys(dependencies).filter(has), Object.keys(dependencies));
  assert.deepEqual(Object.keys(devDependencies).filter(has), []);
});

describe('from what is in its image', () => {
  for (const program of PROGRAMS) {
    test(`${program} says its version`, () => {
      const options = { cwd: '/', encoding: 'utf8' } as const;
      const said = execFileSync(process.execPath, [entryOf(program), 'version'], options);
      assert.match(said, new RegExp(`^${program} \\d+\\.\\d+\\.\\d+`));
    });
  }

  test('the gateway is healthy while it runs, and not after', async (context) => {
    const port = await freePort();
    const path = join(directory, 'config.yaml');
    writeFileSync(path, JSON.stringify({ server: { public_url: `http://127.0.0.1:${port}` } }));
    const env = { GATEWAY_CONFIG: path, GATEWAY_LISTEN: `127.0.0.1:${port}` };
    const gateway = await startProgram({
      entry: entryOf('gateway'),
      wrapper,
      env: { ...environmentOf('gateway'), ...env },
    });
    context.after(() => gateway.stop());
    assert.equal(isHealthy('gateway', port), true);
    assert.equal(await gateway.stop(), 0);
    assert.equal(isHealthy('gateway', port), false);
  });

  test('the decoys are healthy while they run, and not after', async (context) => {
    const port = await freePort();
    const env = { DECOYS_LISTEN: `127.0.0.1:${port}`, DECOYS_KEY: 'a key of the tests alone' };
    const decoys = await startProgram({
      entry: entryOf('decoys'),
      wrapper,
      env: { ...environmentOf('decoys'), ...env },
    });
    context.after(() => decoys.stop());
    assert.equal(isHealthy('decoys', port), true);
    assert.equal(await decoys.stop(), 0);
    assert.equal(isHealthy('decoys', port), false);
  });

  test('the notes are healthy while they run, find git, commit, and are not after', async (context) => {
    const data = join(dataDirectory(context), 'data');
    makeData(data);
    const notes = await startNotes(context, {
      data,
      entry: entryOf('notes'),
      wrapper,
      env: { ...environmentOf('notes'), NOTES_GIT: 'true' },
    });
    assert.equal(isHealthy('notes', notes.port), true);
    await notes.indexed();
    const made = await notes.call('note_create', { path: 'a.md', content: '# Quince\n' });
    assert.equal(made.isError, false, made.text);
    const found = await notes.call('note_search', { query: 'quince' });
    assert.equal(found.value.hits.length, 1);
    assert.equal(await notes.stop(), 0);
    assert.equal(notes.stderr(), '');
    assert.equal(isHealthy('notes', notes.port), false);
    const root = join(data, 'default');
    const log = ['-c', 'safe.directory=*', '-C', root, 'log', '--format=%an', '--', 'a.md'];
    assert.equal(execFileSync('git', log, { encoding: 'utf8' }), 'notes\n');
  });
});

/** Makes the data directory with the command of the Dockerfile; only root may give it away. */
function makeData(data: string): void {
  const commands = STAGES.get('notes')!.steps.flatMap(({ rest }) => rest.split(' && '));
  const command = commands.find((text) => text.startsWith('install -d '));
  const [, ...args] = put(command!, [[' /data', ` ${data}`]]).split(' ');
  if (!isRoot) return void mkdirSync(data, { mode: 0o700 });
  // What is above it belongs to root and is closed, as mkdtemp makes it.
  execFileSync('chmod', ['755', join(data, '..')]);
  execFileSync('install', args);
  const { mode, uid, gid } = statSync(data);
  assert.deepEqual([mode & 0o777, uid, gid], [0o700, 65532, 65532]);
}
