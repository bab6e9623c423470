/**
 * What the units of systemd forbid is what the programs, and the git that the notes run, do not
 * do: no system call outside the filter, no socket of another family, no namespace of their own,
 * no set-uid bit. So the filters never hit a working program. Needs strace and systemd-analyze.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { read } from '../support/deploy/names.ts';
import { valuesOf } from '../support/deploy/unit-rules.ts';
import { callTool, signIn } from '../support/gateway/gateway.ts';
import { isMissing } from '../support/http/reverse-proxy.ts';
import { gitHttpServer } from '../support/notes/git-http.ts';
import { notesEnvironment, PASSWORD, place, USERNAME } from '../support/notes/notes.ts';
import { until } from '../support/notes/notes-storage.ts';
import { freePort } from '../support/programs/free-port.ts';

/** No unit runs as root, and SQLite and git do more as root than as anybody else. */
const isRoot = process.getuid?.() === 0;
const AS_A_USER = ['setpriv', '--reuid=65532', '--regid=65532', '--clear-groups'];
const skip =
  isMissing('strace', 'apt-get install strace') ||
  isMissing('systemd-analyze', 'it comes with systemd');

/** The calls of each set that systemd knows, sets within sets resolved. */
function callSets(): Map<string, string[]> {
  const args = ['syscall-filter'];
  const text = execFileSync('systemd-analyze', args, { encoding: 'utf8', stdio: 'pipe' });
  const listed = new Map<string, string[]>();
  for (const line of text.split('\n').filter((row) => /^\s*[@\w]/.test(row))) {
    if (line.startsWith('@')) listed.set(line.trim(), []);
    else [...listed.values()].at(-1)!.push(line.trim());
  }
  const resolve = (name: string): string[] =>
    name.startsWith('@') ? listed.get(name)!.flatMap(resolve) : [name];
  return new Map([...listed.keys()].map((name) => [name, resolve(name)]));
}

/** What the lines of a unit leave allowed. */
function allowed(filters: readonly string[]): Set<string> {
  const sets = callSets();
  const calls = new Set<string>();
  for (const filter of filters) {
    for (const name of filter.replace(/^~/, '').split(' ')) {
      for (const call of sets.get(name)!) {
        if (filter.startsWith('~')) calls.delete(call);
        else calls.add(call);
      }
    }
  }
  return calls;
}

function give(path: string): void {
  if (isRoot) execFileSync('chown', ['-R', '65532:65532', path]);
}

/** The names of the calls in what strace wrote. */
function callsIn(trace: string): Set<string> {
  const calls = trace.matchAll(/^\d+ +(?:<\.\.\. )?(\w+)[ (]/gm);
  return new Set(Array.from(calls, ([, name]) => name!));
}

describe('the system call filter', { skip }, () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'calls-'));
    give(directory);
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  /** Runs a program under strace while it is worked, and gives what it did, a call a line. */
  async function traceOf(
    program: string,
    env: Readonly<Record<string, string>>,
    work: () => Promise<unknown>,
  ): Promise<string> {
    const trace = join(directory, program);
    const entry = new URL(`../../bin/${program}.ts`, import.meta.url).pathname;
    const strace = ['strace', '-f', '-qq', '-o', trace, process.execPath, entry];
    const [command, ...args] = [...(isRoot ? AS_A_USER : []), ...strace];
    const child = spawn(command!, args, {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      child.emit('said');
    });
    while (!said.includes('"event":"startup"')) await once(child, 'said');
    await work();
    // strace hands no signal on; the first call in its file is that of the program.
    const pid = Number(/^\d+/.exec(readFileSync(trace, 'utf8'))![0]);
    process.kill(pid, 'SIGTERM');
    await closed;
    return readFileSync(trace, 'utf8');
  }
  const unitOf = (program: string) => valuesOf(read(`deploy/systemd/gatehouse-${program}.service`));
  const filterOf = (program: string) => unitOf(program).get('SystemCallFilter')!;

  function assertAllowed(program: string, trace: string): void {
    const calls = callsIn(trace);
    assert.ok(calls.has('accept4') && calls.size > 40, [...calls].join(' '));
    assert.deepEqual([...calls.difference(allowed(filterOf(program)))], []);
    const [families] = unitOf(program).get('RestrictAddressFamilies')!;
    const opened = new Set(Array.from(trace.matchAll(/ socket\((AF_\w+)/g), ([, name]) => name!));
    assert.ok(opened.has('AF_INET'), [...opened].join(' '));
    assert.deepEqual([...opened.difference(new Set(families!.split(' ')))], []);
    // RestrictNamespaces and RestrictSUIDSGID look at arguments.
    assert.doesNotMatch(trace, /CLONE_NEW|S_ISUID|S_ISGID/);
  }

  test('lets the gateway start, sign a user in, answer and stop', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const path = join(directory, 'config.yaml');
    writeFileSync(path, JSON.stringify({ users: [{ name: 'alice', password: PASSWORD }] }));
    const env = {
      GATEWAY_CONFIG: path,
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      GATEWAY_PUBLIC_URL: url,
    };
    const trace = await traceOf('gateway', env, async () => {
      const { accessToken } = await signIn(url, 'alice', PASSWORD);
      await callTool(url, accessToken, 'list_targets');
    });
    assertAllowed('gateway', trace);
  });

  test('lets the decoys start, answer and stop', async () => {
    const port = await freePort();
    const env = { DECOYS_LISTEN: `127.0.0.1:${port}`, DECOYS_KEY: 'a key of the tests alone' };
    const trace = await traceOf('decoys', env, async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/.aws/credentials`);
      assert.match(await answer.text(), /aws_access_key_id/);
    });
    assertAllowed('decoys', trace);
  });

  for (const [where, remote] of [
    ['a directory of the machine', (at: string) => `file://${at}`],
    ['a server that wants a token', (_: string, url: string) => url],
  ] as const) {
    test(`lets the notes start, index, commit, push to ${where} and stop`, async (context) => {
      const home = mkdtempSync(join(directory, 'notes-'));
      const bare = join(home, 'remote.git');
      execFileSync('git', ['init', '--quiet', '--bare', bare]);
      execFileSync('git', ['-C', bare, 'config', 'http.receivepack', 'true']);
      const server = await gitHttpServer(context, home, 'a-token-of-the-tests');
      const data = join(home, 'data');
      const files = Array.from({ length: 300 }, (_, n) => [`default/${n}.md`, `# Quince ${n}\n`]);
      place(data, Object.fromEntries(files));
      give(data);
      if (where === 'a directory of the machine') give(bare);
      chmodSync(home, 0o755);
      const port = await freePort();
      const url = remote(bare, `${server.url}/remote.git`);
      const env = {
        ...notesEnvironment(data, port),
        NOTES_GIT: 'true',
        NOTES_GIT_REMOTE: url,
        ...(url.startsWith('http') && { NOTES_GIT_TOKEN: 'a-token-of-the-tests' }),
      };
      const trace = await traceOf('notes', env, async () => {
        const base = `http://127.0.0.1:${port}`;
        const { accessToken } = await signIn(base, USERNAME, PASSWORD);
        const call = async (tool: string, args: object) => {
          const { isError, value, raw } = await callTool(base, accessToken, tool, args);
          assert.equal(isError, false, raw);
          return value;
        };
        await call('note_create', { path: 'new.md', content: '# Medlar\n' });
        const moved = await call('note_move', { path: '0.md', to: 'moved/0.md' });
        await call('change_undo', { change_id: moved.change_id });
        await call('note_delete', { path: '1.md' });
        await call('vault_grep', { pattern: 'Quince 29' });
        await call('note_search', { query: 'medlar' });
        const git = (root: string, ...args: string[]) =>
          execFileSync('git', ['-c', 'safe.directory=*', '-C', root, ...args], {
            encoding: 'utf8',
          }).trim();
        const root = join(data, 'default');
        const names = ['for-each-ref', '--format=%(objectname)'];
        await until(() => git(root, 'log', '--format=%s').includes('1.md'));
        await until(() => git(bare, ...names) === git(root, 'rev-parse', 'HEAD'));
      });
      assert.match(trace, /execve\("[^"]*git"/);
      assertAllowed('notes', trace);
    });
  }

  test('would be too narrow without pipes', () => {
    assert.equal(allowed(filterOf('gateway')).has('pipe2'), true);
    assert.equal(allowed([...filterOf('gateway'), '~@ipc']).has('pipe2'), false);
  });
});
