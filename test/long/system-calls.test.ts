/**
 * The system calls that the units of systemd forbid are calls that the programs do not make, so
 * that the filter never hits a working program. Needs strace and systemd-analyze.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { read } from '../support/deploy/names.ts';
import { valuesOf } from '../support/deploy/unit-rules.ts';
import { callTool, freePort, signIn } from '../support/gateway.ts';
import { isMissing } from '../support/reverse-proxy.ts';

const PASSWORD = 'correct horse battery';
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

describe('the system call filter', { skip }, () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'calls-'));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  /** Runs a program under strace while it is worked, and gives the calls it made. */
  async function callsOf(
    program: string,
    env: Readonly<Record<string, string>>,
    work: () => Promise<unknown>,
  ): Promise<Set<string>> {
    const trace = join(directory, program);
    const entry = new URL(`../../bin/${program}.ts`, import.meta.url).pathname;
    const args = ['-f', '-qq', '-o', trace, process.execPath, entry];
    const child = spawn('strace', args, {
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
    const calls = readFileSync(trace, 'utf8').matchAll(/^\d+ +(?:<\.\.\. )?(\w+)[ (]/gm);
    return new Set(Array.from(calls, ([, name]) => name!));
  }
  const filterOf = (program: string) =>
    valuesOf(read(`deploy/systemd/gatehouse-${program}.service`)).get('SystemCallFilter')!;

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
    const calls = await callsOf('gateway', env, async () => {
      const { accessToken } = await signIn(url, 'alice', PASSWORD);
      await callTool(url, accessToken, 'list_targets');
    });
    assert.ok(calls.has('accept4') && calls.size > 40, [...calls].join(' '));
    assert.deepEqual([...calls.difference(allowed(filterOf('gateway')))], []);
  });

  test('lets the decoys start, answer and stop', async () => {
    const port = await freePort();
    const env = { DECOYS_LISTEN: `127.0.0.1:${port}`, DECOYS_KEY: 'a key of the tests alone' };
    const calls = await callsOf('decoys', env, async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/.aws/credentials`);
      assert.match(await answer.text(), /aws_access_key_id/);
    });
    assert.ok(calls.has('accept4') && calls.size > 40, [...calls].join(' '));
    assert.deepEqual([...calls.difference(allowed(filterOf('decoys')))], []);
  });

  test('would be too narrow without pipes', () => {
    assert.equal(allowed(filterOf('gateway')).has('pipe2'), true);
    assert.equal(allowed([...filterOf('gateway'), '~@ipc']).has('pipe2'), false);
  });
});
