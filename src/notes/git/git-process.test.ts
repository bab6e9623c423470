import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory, until } from '../../../test/support/notes/notes-storage.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { GitProcess } from './git-process.ts';

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

/** What is written to it goes to standard error, as the words of a remote do. */
const SAYS = ['-c', 'alias.say=!cat >&2; exit 1', 'say'];
const TOKEN = 'ghp_//some-token@0123456789/abc';

async function told(words: string, token?: string): Promise<string> {
  const git = new GitProcess('/', token === undefined ? undefined : new Secret('token', token));
  const failure = await git.run(SAYS, { input: Buffer.from(words) }).catch((error) => error);
  assert.equal(failure.name, 'GitFailure');
  return failure.message;
}

test('of the words of a remote the beginning is kept, each line trimmed, whatever their shape', async () => {
  assert.equal(await told('  one\r\n\n \t two \n'), 'one; two');
  assert.equal(await told(`one${'\n'.repeat(100_000)}two`), 'one');
  assert.equal(await told(`remote:${' '.repeat(10_000_000)}x`), 'remote:');
  assert.equal((await told('x'.repeat(10_000))).length, 500);
});

test('no part of a token is reported, whatever it contains and wherever the message is cut', async () => {
  assert.equal(await told(`no entry for ${TOKEN} here`, TOKEN), 'no entry for [REDACTED] here');
  assert.equal(await told(`at https://me:${TOKEN}@host/x`, TOKEN), 'at https://host/x');
  for (let shown = 1; shown < TOKEN.length; shown++) {
    const words = `one${' '.repeat(64 * 1024 - 3 - shown)}${TOKEN}`;
    assert.equal(await told(words, TOKEN), 'one', `${shown} characters before the cut`);
  }
});

test('a git that writes more than can be held is ended, and said so', async () => {
  const git = new GitProcess('/');
  const flood = git.run(['-c', 'alias.flood=!cat /dev/zero', 'flood']);
  await assert.rejects(flood, { name: 'GitFailure', message: /^git wrote more than \d+ bytes/ });
});

/**
 * A command of git that leaves its group and holds its descriptors until the test ends, as a
 * connection that ssh shares does; `begun` resolves once it runs.
 */
async function lingering(t: TestContext) {
  const directory = await temporaryDirectory(t);
  const begun = join(directory, 'begun');
  const waits = `touch ${begun}; while test -e ${begun}; do sleep 0.1; done`;
  const args = ['-c', `alias.linger=!setsid sh -c '${waits}'`, 'linger'];
  return { args, begun: () => until(() => existsSync(begun)) };
}

test('a git that takes too long is given up, though something it started holds on to its output', async (t) => {
  const { args } = await lingering(t);
  const late = new GitProcess('/').run(args, { timeoutMs: 500 });
  await assert.rejects(late, { message: 'git took too long' });
});

test('so is one that is stopped, and one that is to be stopped already is not started', async (t) => {
  const stop = new AbortController();
  const git = new GitProcess('/');
  const { args, begun } = await lingering(t);
  const reason = { name: 'GitFailure', message: 'git was stopped with the server' };
  const stopped = assert.rejects(git.run(args, { signal: stop.signal }), reason);
  await begun();
  stop.abort();
  await stopped;
  await assert.rejects(git.run(['version'], { signal: stop.signal }), reason);
});
