/**
 * Makes `dist/`: the JavaScript that is packed, stamped with the commit and its date. Our modules
 * are joined into a few files, since a start spends most of its time on opening files; what we
 * depend on stays in its own packages, where `npm audit` sees it.
 *
 * With a folder as its argument, it is made there, beside a copy of package.json.
 *
 * It is made aside and takes the place of the previous one when it is finished, so that a build that
 * fails leaves the previous one as it was, and two at the same time do not mix.
 */
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { parse } from 'yaml';
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
mkdirSync(into, { recursive: true });
const aside = mkdtempSync(`${into}/dist-`);
try {
  chmodSync(aside, 0o755);
  await fill(aside);
  if (into !== root) cpSync(`${root}/package.json`, `${into}/package.json`);
  replace(`${into}/dist`, aside);
} finally {
  rmSync(aside, { recursive: true, force: true });
}

async function fill(dist: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries([...programs, ...threads]),
    outdir: dist,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    logLevel: 'warning',
  });
  writeDecoyFiles(`${dist}/decoys`);
  const tags = JSON.stringify({ tags: CATALOGUE }, null, 2);
  writeFileSync(`${dist}/decoys.json`, `${tags}\n`);
  writeFileSync(`${dist}/build.json`, `${JSON.stringify(buildInfo())}\n`);
  mkdirSync(`${dist}/bin`);
  for (const [name, file] of Object.entries<string>(bin)) {
    writeFileSync(join(dist, relative('dist', file)), launcher(name), { mode: 0o755 });
  }
}

/** As JSON: to parse YAML would take most of the time of a start. */
function writeDecoyFiles(folder: string): void {
  const yaml = `${root}/src/decoys/built-in`;
  mkdirSync(folder);
  for (const name of readdirSync(yaml)) {
    const value = parse(readFileSync(`${yaml}/${name}`, 'utf8'), { schema: 'core', merge: false });
    writeFileSync(`${folder}/${basename(name, '.yaml')}.json`, JSON.stringify(value));
  }
}

/** Puts a folder in the place of another, which is removed; of two at once, the last one stays. */
function replace(place: string, folder: string): void {
  const previous = `${folder}-previous`;
  for (;;) {
    try {
      renameSync(folder, place);
      return;
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code!)) throw error;
    }
    try {
      renameSync(place, previous);
    } catch (error) {
      // Another build has just moved it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    rmSync(previous, { recursive: true, force: true });
  }
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
