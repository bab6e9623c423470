import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

/** Takes every descriptor there is, asks git, gives them back and asks again. */
const WITHOUT_DESCRIPTORS = `
  import { closeSync, openSync } from 'node:fs';
  const { GitProcess } = await import(process.argv[1]);
  const git = new GitProcess('/');
  const taken = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch {}
  const failure = await git.ask(['version']).catch((error) => error);
  for (const descriptor of taken) closeSync(descriptor);
  const version = await git.text(['version']);
  console.log(JSON.stringify([failure.name, failure.message, version.slice(0, 11)]));
`;

test('a git that cannot be started for want of descriptors fails, and nothing else does', () => {
  const script = new URL('./git-process.ts', import.meta.url).href;
  const node = [process.execPath, '--input-type=module', '-e', WITHOUT_DESCRIPTORS, script];
  const limited = ['-c', 'ulimit -n 64 && exec "$@"', 'sh', ...node];
  const said = JSON.parse(execFileSync('sh', limited, { encoding: 'utf8', stdio: 'pipe' }));
  assert.deepEqual(said, ['GitFailure', 'git cannot be run: spawn git EMFILE', 'git version']);
});
