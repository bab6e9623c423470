import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { collectGarbage } from '../../core/garbage.ts';
import { keyFor } from '../../core/secrets/derive-key.ts';
import { MemoryStore } from '../../core/store/store.ts';
import { FORM_TTL_MS, FormTokens } from './form-token.ts';

const SUBJECT = ['client', 'https://app.example/cb', 'challenge', 'state'];

function tokensAt(clock: { ms: number }): FormTokens {
  const now = () => clock.ms;
  return new FormTokens(new MemoryStore({ now }), keyFor('forms', undefined), now);
}

test('a form token serves once', async () => {
  const tokens = tokensAt({ ms: 0 });
  const token = tokens.seal(SUBJECT);
  assert.equal(await tokens.use(token, SUBJECT), true);
  assert.equal(await tokens.use(token, SUBJECT), false);
});

test('a form token expires after ten minutes, used or not', async () => {
  const clock = { ms: 0 };
  const tokens = tokensAt(clock);
  const [early, late] = [tokens.seal(SUBJECT), tokens.seal(SUBJECT)];
  clock.ms = FORM_TTL_MS - 1;
  assert.equal(await tokens.use(early, SUBJECT), true);
  clock.ms = FORM_TTL_MS;
  assert.equal(await tokens.use(late, SUBJECT), false);
  assert.equal(await tokens.use(early, SUBJECT), false);
});

test('a form token of one process does not serve another', async () => {
  const token = tokensAt({ ms: 0 }).seal(SUBJECT);
  assert.equal(await tokensAt({ ms: 0 }).use(token, SUBJECT), false);
});

const otherSubjects: [string, string[]][] = [
  ['another client', ['other', ...SUBJECT.slice(1)]],
  ['another redirect', ['client', 'https://evil.example/', 'challenge', 'state']],
  ['another state', [...SUBJECT.slice(0, 3), 'other']],
  ['no state', SUBJECT.slice(0, 3)],
  [
    'the same letters divided elsewhere',
    ['clienth', 'ttps://app.example/cb', 'challenge', 'state'],
  ],
];
for (const [name, subject] of otherSubjects) {
  test(`a form token does not serve ${name}`, async () => {
    const tokens = tokensAt({ ms: 0 });
    assert.equal(await tokens.use(tokens.seal(SUBJECT), subject), false);
  });
}

test('a form token with any character changed is refused', async () => {
  const tokens = tokensAt({ ms: 0 });
  const token = tokens.seal(SUBJECT);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(token.length - 1),
      fc.constantFrom(...'A0.-_z9'),
      async (index, character) => {
        const changed = token.slice(0, index) + character + token.slice(index + 1);
        fc.pre(changed !== token);
        assert.equal(await tokens.use(changed, SUBJECT), false);
      },
    ),
  );
});

test('used tokens are memoize in bounded space, and the newest are never forgotten', async () => {
  const tokens = tokensAt({ ms: 0 });
  const first = tokens.seal(SUBJECT);
  await tokens.use(first, SUBJECT);
  let last = '';
  for (let count = 0; count < 10_000; count += 1) {
    last = tokens.seal(SUBJECT);
    await tokens.use(last, SUBJECT);
  }
  assert.equal(await tokens.use(last, SUBJECT), false);
  assert.equal(await tokens.use(first, SUBJECT), true);
});

test('a used token keeps nothing of the body that it came in', async () => {
  const tokens = tokensAt({ ms: 0 });
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 300; count += 1) {
    const body = `${tokens.seal(SUBJECT)}&${String(count).padEnd(64 * 1024, 'x')}`;
    await tokens.use(body.slice(0, body.indexOf('&')), SUBJECT);
  }
  collectGarbage();
  assert.ok(process.memoryUsage().heapUsed - before < 4 * 1024 * 1024);
});
