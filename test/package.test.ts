/** What `npm pack` yields: JavaScript that runs on Node 24, stamped, without the pinned Node. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startNotes } from './support/notes/notes.ts';
import { freePort } from './support/programs/free-port.ts';
import { oldNode } from './support/programs/old-node.ts';
import { runProgram, startProgram } from './support/programs/program.ts';

const ROOT = join(import.meta.dirname, '..');
/** What is packed, and what its build reads. The `dist/` of the checkout stays as it is. */
const NOT_COPIED = /^(node_modules|\.git|dist(-.*)?|data|test|bench)$/;
const OLD_NODE = oldNode();
const STACK = /^\s+at /m;
const NOTES_ENVIRONMENT = {
  NOTES_PUBLIC_URL: 'http://127.0.0.1:1',
  NOTES_LISTEN: '127.0.0.1:0',
  NOTES_USERNAME: 'ada',
  NOTES_PASSWORD: 'correct horse battery',
};
let directory: string;
let installed: string;

before(() => {
  directory = mkdtempSync(join(tmpdir(), 'package-'));
  const checkout = join(directory, 'checkout');
  cpSync(ROOT, checkout, {
    recursive: true,
    filter: (path) => !NOT_COPIED.test(relative(ROOT, path)),
  });
  for (const name of ['node_modules', '.git']) symlinkSync(join(ROOT, name), join(checkout, name));
  const pack = ['pack', '--pack-destination', directory, '--silent'];
  const name = execFileSync('npm', pack, { cwd: checkout, encoding: 'utf8' })
    .trim()
    .split('\n')
    .at(-1)!;
  execFileSync('tar', ['xzf', join(directory, name), '-C', directory]);
  installed = join(directory, 'package');
  // Stands in for the installation of the dependencies, which are the same files.
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
});
after(() => rmSync(directory, { recursive: true, force: true }));

test('it carries no pinned Node and nothing that is only for development', () => {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(installed, 'package.json'), 'utf8'),
  );
  assert.equal(optionalDependencies, undefined);
  assert.ok(
    !Object.keys(dependencies).some((name) => name.startsWith('node-') || name === 'pinned-node'),
  );
});

test('every link in its documents leads to a file that it carries', () => {
  const documents = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  assert.ok(documents.includes('README.md') && documents.includes('docs/gateway.md'));
  const dead = documents.flatMap((name) => {
    const text = readFileSync(join(installed, name), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
    return [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)]
      .map(([, link]) => link!)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => !existsSync(join(installed, dirname(name), link)))
      .map((link) => `${name}: ${link}`);
  });
  assert.deepEqual(dead, []);
});

test('it says where its source, its home page and its issues are, and what it is about', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const home = manifest.repository.url.replace(/^git\+|\.git$/g, '');
  assert.match(home, /^https:\/\/[\w.]+\/[\w-]+\/gatehouse$/);
  assert.equal(manifest.homepage, `${home}#readme`);
  assert.equal(manifest.bugs, `${home}/issues`);
  assert.ok(manifest.keywords.includes('mcp'));
});

for (const program of ['gateway', 'notes', 'decoys']) {
  test(`its ${program} command says version, commit and date`, () => {
    const { bin, version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const file = join(installed, bin[program]);
    const text = execFileSync(process.execPath, [file, 'version'], { encoding: 'utf8' });
    const format = ['log', '-1', '--format=commit %h, built %cI'];
    const stamp = execFileSync('git', format, { cwd: ROOT, encoding: 'utf8' }).trim();
    assert.equal(text, `${program} ${version} (${stamp})\n`);
  });
}

test('its gateway serves', async () => {
  const port = await freePort();
  const path = join(directory, 'config.yaml');
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(path, JSON.stringify({ server: { listen: `127.0.0.1:${port}`, public_url: url } }));
  const gateway = await startProgram({
    entry: join(installed, 'dist/bin/gateway.js'),
    env: { GATEWAY_CONFIG: path },
  });
  try {
    const { status } = (await (await fetch(`${url}/healthz`)).json()) as { status: string };
    assert.equal(status, 'ok');
  } finally {
    await gateway.stop();
  }
});

test('its notes serve, and the threads of the index are found', async (context) => {
  const entry = join(installed, 'dist/bin/notes.js');
  const files = Object.fromEntries(
    Array.from({ length: 600 }, (_, n) => [`default/${n}.md`, `# Quince ${n}\n`]),
  );
  const notes = await startNotes(context, { entry, files });
  await notes.indexed();
  const { value } = await notes.call('note_search', { query: 'quince', limit: 3 });
  assert.equal(value.hits.length, 3);
  const grepped = await notes.call('vault_grep', { pattern: 'Quince 599' });
  assert.equal(grepped.value.matches.length, 1);
  const ended = await runProgram(entry, ['reindex'], { env: { NOTES_DATA: notes.data } });
  assert.match(ended.stdout, /default: 600 of 600 notes indexed\n$/);
  assert.equal(await notes.stop(), 0);
});

test('an older Node is told in one sentence what is needed', {
  skip: OLD_NODE === undefined && 'the machine has no older Node',
}, () => {
  const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  for (const [name, file] of Object.entries<string>(bin)) {
    const { status, stdout, stderr } = spawnSync(OLD_NODE!, [join(installed, file), 'version'], {
      encoding: 'utf8',
    });
    assert.deepEqual([status, stdout], [1, ''], name);
    assert.match(
      stderr,
      new RegExp(`^${name} needs Node 24\\.7 or later, and this is Node \\S+; .+\n$`),
    );
  }
});

describe('an installation without the package that hashes', () => {
  let broken: string;
  let gateway: string;
  let notes: string;
  let environment: Record<string, string>;
  const SENTENCE =
    'passwords cannot be hashed: the package bcryptjs is missing; install the program again, in a checkout with npm ci';

  before(() => {
    // Beside the other installation, since Node looks for packages in every folder above.
    broken = mkdtempSync(join(tmpdir(), 'package-broken-'));
    cpSync(installed, join(broken, 'package'), { recursive: true });
    mkdirSync(join(broken, 'node_modules'));
    for (const name of readdirSync(join(ROOT, 'node_modules'))) {
      if (name === 'bcryptjs') continue;
      symlinkSync(join(ROOT, 'node_modules', name), join(broken, 'node_modules', name));
    }
    [gateway, notes] = ['gateway', 'notes'].map((name) =>
      join(broken, `package/dist/bin/${name}.js`),
    ) as [string, string];
    const config = join(broken, 'config.yaml');
    const server = { listen: '127.0.0.1:0', public_url: 'http://127.0.0.1:1' };
    writeFileSync(config, JSON.stringify({ server }));
    mkdirSync(join(broken, 'data'));
    environment = {
      GATEWAY_CONFIG: config,
      ...NOTES_ENVIRONMENT,
      NOTES_DATA: join(broken, 'data'),
    };
  });

  after(() => rmSync(broken, { recursive: true, force: true }));

  test('start and validate say so in one sentence, and nothing is served', async () => {
    for (const entry of [gateway, notes]) {
      for (const words of [[], ['validate']]) {
        const { code, stderr } = await runProgram(entry, words, { env: environment });
        assert.equal(code, 1);
        assert.match(stderr, new RegExp(`^installation: ${SENTENCE}$`, 'm'));
        assert.doesNotMatch(stderr, STACK);
      }
    }
  });

  test('hashpw and init say so before they ask for anything, and init writes nothing', async () => {
    const path = join(directory, 'never.yaml');
    const flags = ['--public-url', 'https://gw.example.org', '--user', 'ada', '--target', 'none'];
    const commands: [entry: string, words: string[]][] = [
      [gateway, ['hashpw']],
      [notes, ['hashpw']],
      [gateway, ['init', path, ...flags]],
    ];
    for (const [entry, words] of commands) {
      const ended = await runProgram(entry, words, { env: environment, input: 'correct horse\n' });
      assert.deepEqual(ended, { code: 1, stdout: '', stderr: `${SENTENCE}\n` });
    }
    assert.equal(existsSync(path), false);
  });
});

test('a Node without SQLite is told so at start, by validate and by reindex', async () => {
  const entry = join(installed, 'dist/bin/notes.js');
  const env = { ...NOTES_ENVIRONMENT, NOTES_DATA: directory };
  for (const words of [[], ['validate'], ['reindex']]) {
    const node = { ...env, NODE_OPTIONS: '--no-experimental-sqlite' };
    const { code, stderr } = await runProgram(entry, words, { env: node });
    assert.equal(code, 1);
    assert.match(stderr, /^.*this Node \(v\S+\) has no node:sqlite; use Node 24\.7 or later.+$/m);
    assert.doesNotMatch(stderr, STACK);
  }
});

test('without git, notes that need it say so at start and by validate', async (context) => {
  const data = mkdtempSync(join(tmpdir(), 'package-data-'));
  context.after(() => rmSync(data, { recursive: true, force: true }));
  const entry = join(installed, 'dist/bin/notes.js');
  const env = { ...NOTES_ENVIRONMENT, NOTES_DATA: data, NOTES_GIT: 'true', PATH: data };
  for (const words of [[], ['validate']]) {
    const { code, stderr } = await runProgram(entry, words, { env });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^installation: NOTES_GIT needs the git program, .+ PATH; install git, or set NOTES_GIT=false$/m,
    );
    assert.doesNotMatch(stderr, STACK);
  }
  assert.deepEqual(readdirSync(data), []);
  const { code } = await runProgram(entry, ['validate'], { env: { ...env, NOTES_GIT: 'false' } });
  assert.equal(code, 0);
});
