/** Makes `dist/`: the JavaScript that is packed, stamped with the commit and its date. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { buildInfo } from '../src/core/version.ts';

const root = new URL('..', import.meta.url);
rmSync(new URL('dist', root), { recursive: true, force: true });
execFileSync('tsc', ['--project', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
writeFileSync(new URL('dist/build.json', root), `${JSON.stringify(buildInfo())}\n`);
const { bin } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
for (const file of Object.values<string>(bin)) chmodSync(new URL(file, root), 0o755);
