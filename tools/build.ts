/** Makes `dist/`: the JavaScript that is packed, stamped with the commit and its date. */
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { buildInfo } from '../src/core/version.ts';

const root = new URL('..', import.meta.url);
rmSync(new URL('dist', root), { recursive: true, force: true });
execFileSync('tsc', ['--project', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
writeFileSync(new URL('dist/build.json', root), `${JSON.stringify(buildInfo())}\n`);
chmodSync(new URL('dist/bin/gateway.js', root), 0o755);
