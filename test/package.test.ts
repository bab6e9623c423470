/** What `npm pack` yields: JavaScript that runs on Node 24, stamped, without the pinned Node. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { startNotes } from './support/notes.ts';
import { freePort, runProgram, startProgram } from './support/program.ts';

const ROOT = join(import.meta.dirname, '..');
let directory: string;
let installed: string;

before(() => {
  directory = mkdtempSync(join(tmpdir(), 'package-'));
  const pack = ['pack', '--pack-destination', directory, '--silent'];
  const name = execFileSync('npm', pack, { cwd: ROOT, encoding: 'utf8' })
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
