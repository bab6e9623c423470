/**
 * Makes `dist/`: the JavaScript that is packed, stamped with the commit and its date. Our modules
 * are joined into a few files, since a start spends most of its time on opening files; what we
 * depend on stays in its own packages, where `npm audit` sees it.
 *
 * With a folder as its argument, it is made there, beside a copy of package.json.
 */
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildInfo } from '../src/core/version.ts';
import { CATALOGUE } from '../src/decoys/catalogue.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { bin, engines } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines.node)!;
const programs = Object.keys(bin).map((name) => [`programs/${name}`, `bin/${name}.ts`]);
// A thread is started from the file beside the one that starts it; those are all chunks.
const threads = globSync('src/**/*-worker.ts', { cwd: root }).map((file) => [
  `chunks/${basename(file, '.ts')}`,
  file,
]);

const [given] = process.argv.slice(2);
const into = given === undefined ? root : resolve(given);
rmSync(`${into}/dist`, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries([...programs, ...threads]),
  outdir: `${into}/dist`,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node24',
  logLevel: 'warning',
});
cpSync(`${root}/src/decoys/built-in`, `${into}/dist/decoys`, { recursive: true });
const tags = JSON.stringify({ tags: CATALOGUE }, null, 2);
writeFileSync(`${into}/dist/decoys.json`, `${tags}\n`);
writeFileSync(`${into}/dist/build.json`, `${JSON.stringify(buildInfo())}\n`);
if (into !== root) cpSync(`${root}/package.json`, `${into}/package.json`);
mkdirSync(`${into}/dist/bin`);
for (const [name, file] of Object.entries<string>(bin)) {
  writeFileSync(`${into}/${file}`, launcher(name));
  chmodSync(`${into}/${file}`, 0o755);
}

/** Every Node since 14 can read it, and says what it lacks before anything newer is loaded. */
function launcher(name: string): string {
  return `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  console.error('${name} needs Node ${major}.${minor} or later, and this is Node ' + process.versions.node + '; install a newer one, or use the container image');
  process.exit(1);
}
import('../programs/${name}.js');
`;
}
