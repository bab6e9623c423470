/** The version of the package, its commit and its date. */
import { existsSync, readFileSync } from 'node:fs';

const root = packageRoot();

export const VERSION: string = JSON.parse(
  readFileSync(new URL('package.json', root), 'utf8'),
).version;

interface Build {
  readonly commit: string;
  readonly date: string;
}

/** Stamped at build time; in a checkout, what git says of the last commit. */
export function buildInfo(): Build {
  const stamp = new URL('dist/build.json', root);
  if (import.meta.url.endsWith('.js') && existsSync(stamp)) {
    return JSON.parse(readFileSync(stamp, 'utf8'));
  }
  // Without its own history, git would name the commit of a checkout around it.
  if (!existsSync(new URL('.git', root))) return { commit: 'unknown', date: 'unknown' };
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  try {
    const format = ['log', '-1', '--format=%h %cI'];
    const options = { cwd: new URL('.', root), encoding: 'utf8', stdio: 'pipe' } as const;
    const [commit = 'unknown', date = 'unknown'] = execFileSync('git', format, options)
      .trim()
      .split(' ');
    return { commit, date };
  } catch {
    return { commit: 'unknown', date: 'unknown' };
  }
}

/** A folder of the package: where it is in a checkout, and where it is once built. */
export function packageFolder(source: string, built: string): URL {
  return new URL(import.meta.url.endsWith('.js') ? built : source, root);
}

/** The folder of package.json: two levels up from the source, three from the built file. */
function packageRoot(): URL {
  const near = new URL('../../', import.meta.url);
  return existsSync(new URL('package.json', near)) ? near : new URL('../../../', import.meta.url);
}
