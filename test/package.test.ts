/** What `npm pack` yields: JavaScript that runs on Node 24, stamped, without the pinned Node. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { freePort } from './support/gateway.ts';

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

for (const program of ['gateway', 'decoys']) {
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
  const child = spawn(process.execPath, [join(installed, 'dist/bin/gateway.js')], {
    env: { PATH: process.env.PATH, GATEWAY_CONFIG: path },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let text = '';
    for await (const chunk of child.stdout) {
      text += chunk;
      if (text.includes('"event":"startup"')) break;
    }
    const { status } = (await (await fetch(`${url}/healthz`)).json()) as { status: string };
    assert.equal(status, 'ok');
  } finally {
    child.kill();
    await once(child, 'exit');
  }
});
