/** Programs that print a value: how they are started, what is taken of them, and when they run again. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ExecValues } from './exec-values.ts';

let directory: string;
before(() => {
  directory = mkdtempSync(join(tmpdir(), 'exec-'));
});
after(() => rmSync(directory, { recursive: true }));

/** A script of its own; its path is the command. */
function script(name: string, text: string, mode = 0o755): string {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, mode);
  return path;
}

async function resolved(command: string, env = {}, names: string[] = []) {
  const exec = new ExecValues(env);
  exec.allowEnvironment(names);
  exec.resolve(command);
  await exec.run();
  return { ...exec.resolve(command), complaints: exec.takeComplaints() };
}

const textOf = async (command: string, env = {}, names: string[] = []) => {
  const value = await resolved(command, env, names);
  return 'text' in value ? value.text : value;
};

describe('a command', () => {
  test('is split at spaces, double quotes group, and there is no shell', async () => {
    const args = script('args', `for word in "$@"; do printf '[%s]' "$word"; done`);
    assert.equal(
      await textOf(`${args} a  "b c" d"e f" "" $HOME *;x`),
      '[a][b c][de f][][$HOME][*;x]',
    );
  });

  test('prints a value of which one trailing newline is trimmed', async () => {
    assert.equal(await textOf(script('two', "printf 'value\\n\\n'")), 'value\n');
    assert.equal(await textOf(script('crlf', "printf 'value\\r\\n'")), 'value');
  });

  test('gets PATH, HOME, LANG and what is named, and no other variable', async () => {
    const names = script(
      'names',
      'env | sed "s/=.*//" | grep -v "^\\(PWD\\|SHLVL\\|_\\|OLDPWD\\)$" | sort | tr "\\n" " "',
    );
    const env = { PATH: '/usr/bin:/bin', HOME: '/h', LANG: 'C', VAULT_ADDR: 'x', OTHER: 'y' };
    assert.equal(await textOf(names, env), 'HOME LANG PATH ');
    assert.equal(await textOf(names, env, ['VAULT_ADDR', 'ABSENT']), 'HOME LANG PATH VAULT_ADDR ');
  });

  test('gets an empty standard input', async () => {
    assert.equal(await textOf(script('input', 'cat; echo end')), 'end');
  });

  test('is run once for many values, and beside others', async () => {
    const count = join(directory, 'count');
    const counting = script('counting', `echo x >> ${count}; echo value`);
    const exec = new ExecValues({});
    for (let i = 0; i < 3; i++) assert.equal(exec.resolve(counting).kind, 'skipped');
    assert.equal(await exec.run(), true);
    assert.equal(await exec.run(), false);
    assert.equal(readFileSync(count, 'utf8'), 'x\n');
  });
});

const failures: [what: string, command: () => string, message: RegExp][] = [
  ['a relative path', () => 'op read x', /absolute path of a program/],
  ['nothing', () => '', /absolute path of a program/],
  ['a quote that is not closed', () => '/bin/echo "x', /a double quote too many/],
  ['a program that is not there', () => '/nonexistent/op', /there is no such program/],
  ['a file that is not executable', () => script('plain', 'echo x', 0o644), /not executable/],
  ['an exit status', () => script('three', 'echo value; exit 3'), /failed with the status 3/],
  ['a signal', () => script('killed', 'kill -TERM $$'), /failed \(SIGTERM\)/],
  ['no output', () => '/bin/true', /printed nothing/],
  ['an empty line', () => '/bin/echo', /printed nothing/],
  ['too much', () => script('much', 'head -c 70000 /dev/zero'), /over 64 KiB/],
  ['no text', () => script('binary', "printf '\\377\\376'"), /no UTF-8 text/],
];
for (const [what, command, message] of failures) {
  test(`a problem: ${what}`, async () => {
    const text = command();
    const value = await resolved(text);
    assert.equal(value.kind, 'problem');
    assert.match((value as { message: string }).message, message);
  });
}

test('the time is limited', async () => {
  const exec = new ExecValues({ PATH: '/usr/bin:/bin' }, 2_000);
  const [endless, leaving] = [
    script('endless', 'exec sleep 60'),
    script('leaving', 'sleep 60 & echo value'),
  ];
  for (const command of [endless, leaving]) exec.resolve(command);
  await exec.run();
  const message = 'the program took longer than 10 s';
  assert.deepEqual(exec.resolve(endless), { kind: 'problem', message });
  // It has ended, and only its child holds the output open.
  assert.deepEqual(exec.resolve(leaving), { kind: 'plain', text: 'value' });
});

test('what a program writes to standard error is told without any value', async () => {
  const loud = script('loud', 'echo "the value is s3cret-value-1" >&2; echo s3cret-value-1');
  assert.deepEqual((await resolved(loud)).complaints, [
    { program: loud, text: 'the value is [REDACTED]' },
  ]);
});

test('a failure is tried again with every reading, a success when all are asked for anew', async () => {
  const file = join(directory, 'content');
  const reading = script('reading', `cat ${file}`);
  const exec = new ExecValues({ PATH: '/usr/bin:/bin' });
  const read = async (everything: boolean) => {
    exec.begin(everything);
    exec.resolve(reading);
    await exec.run();
    return exec.resolve(reading);
  };
  assert.equal((await read(false)).kind, 'problem');
  writeFileSync(file, 'one');
  assert.deepEqual(await read(false), { kind: 'plain', text: 'one' });
  writeFileSync(file, 'two');
  assert.deepEqual(await read(false), { kind: 'plain', text: 'one' });
  assert.deepEqual(await read(true), { kind: 'plain', text: 'two' });
});
