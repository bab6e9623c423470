/** A thousand calls while the configuration is swapped fifty times: nothing fails, nothing is lost. */
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { callTool, signIn, startGateway } from '../support/gateway/gateway.ts';
import { PASSWORD, PASSWORD_HASH } from '../support/gateway/signed-in.ts';
import { startUpstream } from '../support/http/upstream.ts';

const CALLS = 1_000;
const CALLERS = 16;
const VERSIONS = 50;
const TOKEN = 'secret-token-value';

test('no call fails for a reload, no audit line is lost, each version is reported', async () => {
  const upstream = await startUpstream((_request, response) => response.end('ok'));
  const config = (number: number): string =>
    JSON.stringify({
      server: { allow_networks: ['127.0.0.0/8'] },
      users: [
        {
          name: 'alice',
          password: PASSWORD_HASH,
          secrets: { token: TOKEN, [`other_${number}`]: `other-value-${number}` },
          targets: [
            {
              id: 't',
              description: `version ${number}`,
              base_url: upstream.url,
              inject: { headers: { 'X-Token': `\${token}` } },
            },
          ],
        },
        ...Array.from({ length: number }, (_, index) => ({
          name: `user-${index}`,
          password: PASSWORD_HASH,
        })),
      ],
    });
  /** Every fifth version is broken, each in its own way. */
  const version = (number: number): string => {
    if (number % 5 !== 0) return config(number);
    const whole = config(number);
    return number % 2 === 0 ? whole.slice(0, -number) : whole.replace('"name"', `"name${number}"`);
  };

  const gateway = await startGateway({ config: config(0) });
  const { accessToken } = await signIn(gateway.url, 'alice', PASSWORD);
  /**
   * The valid versions in the order of their reports: each has one user more than the one before.
   * One may be reported twice in a row: when the watcher found it, and for its signal, always.
   */
  const reloaded = (): number[] =>
    gateway
      .lines()
      .filter(({ event }) => event === 'config_reloaded')
      .map(({ users }) => Number(users) - 1)
      .filter((number, index, all) => number !== all[index - 1]);
  const errors = (): number =>
    gateway.lines().filter(({ event }) => event === 'config_error').length;
  const failures: string[] = [];
  let begun = 0;
  async function caller(): Promise<void> {
    while (begun < CALLS) {
      begun += 1;
      const url = `${upstream.url}/${begun}`;
      const { value, isError } = await callTool(gateway.url, accessToken, 'http_request', { url });
      if (isError || value.status !== 200) failures.push(JSON.stringify(value));
    }
  }
  async function swapper(): Promise<void> {
    for (let number = 1; number <= VERSIONS; number++) {
      const errorsBefore = errors();
      const next = `${gateway.configPath}.next`;
      writeFileSync(next, version(number));
      renameSync(next, gateway.configPath);
      // Most are asked for at once; the others are left to the watcher.
      if (number % 10 !== 0) gateway.signal('SIGHUP');
      const isBroken = number % 5 === 0;
      await gateway.linesThat(
        ({ event, users }) =>
          isBroken ? event === 'config_error' : event === 'config_reloaded' && users === number + 1,
        isBroken ? errorsBefore + 1 : 1,
        `the report of version ${number}`,
      );
    }
  }
  await Promise.all([swapper(), ...Array.from({ length: CALLERS }, caller)]);

  assert.deepEqual(failures, []);
  assert.equal(upstream.received.length, CALLS);
  assert.ok(upstream.received.every(({ headers }) => headers['x-token'] === TOKEN));
  assert.equal(await gateway.stop(), 0);
  assert.equal(gateway.lines().filter(({ event }) => event === 'request').length, CALLS);
  const numbers = Array.from({ length: VERSIONS }, (_, index) => index + 1);
  assert.deepEqual(
    reloaded(),
    numbers.filter((number) => number % 5 !== 0),
  );
  await upstream.close();
});
