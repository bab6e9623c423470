/** Colours are for terminals whose owner wants them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runGateway } from './support/gateway/gateway.ts';
import { atTerminal } from './support/gateway/terminal.ts';

const ESCAPE = '\x1b[';

for (const name of ['gateway', 'notes', 'decoys']) {
  const options = { entry: new URL(`../bin/${name}.ts`, import.meta.url).pathname };

  test(`${name} help has colours on a terminal`, async () => {
    const { code, screen } = await atTerminal(['help'], [], options);
    assert.equal(code, 0);
    assert.ok(screen.includes(`${ESCAPE}1m${name}${ESCAPE}22m: `), screen);
  });

  for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
    test(`${name} help has none with ${Object.entries(env).join().replace(',', '=')}`, async () => {
      const { code, screen } = await atTerminal(['help'], [], { ...options, env });
      assert.equal(code, 0);
      assert.match(screen, new RegExp(`${name}: `));
      assert.ok(!screen.includes(ESCAPE), screen);
    });
  }
}

test('an empty NO_COLOR is as good as none', async () => {
  const { screen } = await atTerminal(['help'], [], { env: { NO_COLOR: '' } });
  assert.ok(screen.includes(ESCAPE));
});

test('a pipe gets no colours', async () => {
  const { stdout } = await runGateway(['help'], { env: { TERM: 'xterm' } });
  assert.ok(stdout.length > 100 && !stdout.includes(ESCAPE));
});
