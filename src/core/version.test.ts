import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { buildInfo, VERSION } from './version.ts';

test('the version is that of the package', () => {
  const { version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  assert.equal(VERSION, version);
});

const ROOT = new URL('../../', import.meta.url).pathname;
const isCheckout = existsSync(join(ROOT, '.git'));

test('in a checkout, commit and date are those of the last commit', {
  skip: !isCheckout && 'this is no checkout',
}, () => {
  const format = ['log', '-1', '--format=%h %cI'];
  const [commit, date] = execFileSync('git', format, { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split(' ');
  assert.deepEqual(buildInfo(), { commit, date });
  assert.match(commit!, /^[0-9a-f]{7,40}$/);
  assert.ok(!Number.isNaN(Date.parse(date!)));
});

describe('a copy of the sources within the checkout of something else', () => {
  const directory = mkdtempSync(join(tmpdir(), 'version-'));
  after(() => rmSync(directory, { recursive: true, force: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: directory });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'another project');
  mkdirSync(join(directory, 'copy/src/core'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(directory, 'copy/package.json'));
  cpSync(join(ROOT, 'src/core/version.ts'), join(directory, 'copy/src/core/version.ts'));
  const ask =
    "import('./copy/src/core/version.ts').then((m) => console.log(JSON.stringify(m.buildInfo())))";
  const told = () =>
    JSON.parse(execFileSync(process.execPath, ['-e', ask], { cwd: directory, encoding: 'utf8' }));

  test('does not take the commit of that', () => {
    assert.deepEqual(told(), { commit: 'unknown', date: 'unknown' });
  });
});
