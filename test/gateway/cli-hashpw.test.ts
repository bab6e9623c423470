/** `hashpw` at a real terminal. From a pipe: transcripts/hashpw.txt. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bcryptPassword, verifyPassword } from '../../src/core/secrets/password.ts';
import { runGateway } from '../support/gateway/gateway.ts';
import { atTerminal } from '../support/gateway/terminal.ts';

const typed = (...steps: [prompt: string, text: string][]) => atTerminal(['hashpw'], steps);

async function isHashOf(value: string, password: string): Promise<boolean> {
  assert.match(value, /^bcrypt:\$2b\$12\$.{53}$/);
  return verifyPassword(bcryptPassword(value.slice('bcrypt:'.length)), password);
}

test('it asks twice, shows nothing of what is typed and prints the hash', async () => {
  const { code, screen } = await typed(
    ['Password: ', 'correct-horse\r'],
    ['Again: ', 'correct-horse\r'],
  );
  assert.equal(code, 0);
  assert.doesNotMatch(screen, /correct-horse|\*/);
  const [asked, again, hash] = screen.split('\n');
  assert.deepEqual([asked, again], ['Password: ', 'Again: ']);
  assert.ok(await isHashOf(hash!, 'correct-horse'));
});

test('both lines pasted at once are both taken', async () => {
  const { code, screen } = await typed(['Password: ', 'correct-horse\rcorrect-horse\r']);
  assert.equal(code, 0);
  assert.doesNotMatch(screen, /correct-horse/);
});

const nothing: [what: string, steps: [string, string][], said: RegExp][] = [
  [
    'two that differ',
    [
      ['Password: ', 'swordfish\r'],
      ['Again: ', 'two\r'],
    ],
    /the two passwords differ/,
  ],
  [
    'none',
    [
      ['Password: ', '\r'],
      ['Again: ', '\r'],
    ],
    /the password is empty/,
  ],
  [
    'the first, fetched back with a key',
    [
      ['Password: ', 'swordfish\r'],
      ['Again: ', '\x1b[A\r'],
    ],
    /differ/,
  ],
  ['Ctrl-C', [['Password: ', 'swordfish\x03']], /cancelled; nothing was made/],
  [
    'Ctrl-D at the second',
    [
      ['Password: ', 'swordfish\r'],
      ['Again: ', '\x04'],
    ],
    /cancelled; nothing/,
  ],
];
for (const [what, steps, said] of nothing) {
  test(`${what}: nothing is made, and it says why`, async () => {
    const { code, screen } = await typed(...steps);
    assert.equal(code, 1);
    assert.match(screen, said);
    assert.doesNotMatch(screen, /bcrypt:\$|swordfish| {4}at /);
  });
}

test('from a pipe the first line is the password, whatever follows and however it ends', async () => {
  for (const input of ['pass word\n', 'pass word\r\nmore\n']) {
    const { code, stdout, stderr } = await runGateway(['hashpw'], { input });
    assert.deepEqual([code, stderr], [0, '']);
    assert.ok(await isHashOf(stdout.trimEnd(), 'pass word'));
  }
});
