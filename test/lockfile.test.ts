/**
 * `npm ci` installs in silence what the lock can vouch for and leaves out the rest, so a native part
 * without version and integrity is missed on another machine alone, and as late as its first use.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

interface Package {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type Packages = Readonly<Record<string, Package>>;

interface Machine {
  readonly os: string;
  readonly cpu: string;
  readonly libc?: 'glibc' | 'musl';
}

const MACHINES: readonly Machine[] = [
  ...['x64', 'arm64'].flatMap((cpu) => [
    { os: 'linux', cpu, libc: 'glibc' as const },
    { os: 'linux', cpu, libc: 'musl' as const },
    { os: 'darwin', cpu },
  ]),
  { os: 'win32', cpu: 'x64' },
];
/** No registry has a Node for musl: a checkout there runs on the Node of the system. */
const WITHOUT_MUSL = 'tools/node';
/** Ours and no package of a registry: it has no integrity. */
const LOCAL = ['', 'tools/node'];
/** The packages of native parts, one for each machine; how each is named is theirs. */
const NATIVE = [
  'tools/node',
  'node_modules/@biomejs/biome',
  'node_modules/esbuild',
  'node_modules/typescript',
];

const { packages } = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
) as { packages: Packages };

test('every package has a version and an integrity, whatever machine it is for', () => {
  assert.deepEqual(unvouched(packages), []);
});

test('the tools have a part for every machine', () => {
  for (const machine of MACHINES)
    assert.deepEqual(withoutPart(packages, machine), [], JSON.stringify(machine));
});

test('nothing that runs in production has a native part or a script at installation', () => {
  assert.deepEqual(nativeAtRunTime(packages), []);
});

test('every package with native parts is looked at', () => {
  const found = Object.entries(packages).filter(([, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).some((name) => packages[`node_modules/${name}`]?.cpu),
  );
  assert.deepEqual(found.map(([path]) => path).toSorted(), NATIVE.toSorted());
});

test('a lock as it was with a part that the registry lacked is refused by each rule', () => {
  const part = { version: '2.0.0', os: ['linux'], cpu: ['arm64'], libc: ['glibc'], optional: true };
  const broken: Packages = {
    'tools/node': { optionalDependencies: { hash: '2.0.0', 'hash-linux-arm64': '2.0.0' } },
    'node_modules/esbuild': { optionalDependencies: { 'hash-linux-arm64': '2.0.0' } },
    'node_modules/hash': { version: '2.0.0', integrity: 'sha512-x', hasInstallScript: true },
    'node_modules/hash-linux-arm64': part,
  };
  const path = 'node_modules/hash-linux-arm64';
  assert.deepEqual(unvouched(broken), ['node_modules/esbuild', path]);
  assert.deepEqual(nativeAtRunTime(broken), ['node_modules/hash', path]);
  const machine = { os: 'linux', cpu: 'arm64', libc: 'glibc' } as const;
  assert.deepEqual(withoutPart(broken, machine), NATIVE);
  const vouched = { ...broken, [path]: { ...part, integrity: 'sha512-y' } };
  assert.ok(!withoutPart(vouched, machine).includes('node_modules/esbuild'));
  assert.ok(withoutPart(vouched, { ...machine, libc: 'musl' }).includes('node_modules/esbuild'));
});

function unvouched(all: Packages): string[] {
  return Object.entries(all)
    .filter(([path, { link }]) => !LOCAL.includes(path) && !link)
    .filter(([, { version, integrity }]) => !version || !/^sha512-./.test(integrity ?? ''))
    .map(([path]) => path);
}

function nativeAtRunTime(all: Packages): string[] {
  return Object.entries(all)
    .filter(([path, { dev, link }]) => !LOCAL.includes(path) && !dev && !link)
    .filter(([, { os, cpu, hasInstallScript }]) => os || cpu || hasInstallScript)
    .map(([path]) => path);
}

function withoutPart(all: Packages, { os, cpu, libc }: Machine): string[] {
  return NATIVE.filter((path) => libc !== 'musl' || path !== WITHOUT_MUSL).filter((path) => {
    const names = Object.keys(all[path]?.optionalDependencies ?? {});
    return !names.some((name) => {
      const part = all[`node_modules/${name}`];
      return (
        part?.version !== undefined &&
        part.integrity !== undefined &&
        part.os?.includes(os) &&
        part.cpu?.includes(cpu) &&
        (part.libc === undefined || libc === undefined || part.libc.includes(libc))
      );
    });
  });
}
