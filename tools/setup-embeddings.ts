/**
 * Installs the optional packages of the local embedding model into this checkout. Install scripts stay
 * off: that of the runtime downloads files for graphics processors. Neither package.json nor the lock
 * changes, so `npm ci` removes the packages again.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { peerDependencies } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const packages = Object.entries(peerDependencies).map(([name, version]) => `${name}@${version}`);
const options = [
  '--no-save',
  '--save-prod',
  '--no-package-lock',
  '--ignore-scripts',
  '--loglevel=error',
];
const { status, error } = spawnSync('npm', ['install', ...options, ...packages], {
  cwd: root,
  stdio: 'inherit',
});
if (error) throw error;
process.exitCode = status ?? 1;
