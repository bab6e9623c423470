/** A value that a reload replaces, reflected by an answer that was already under way. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { answer, request, USER } from '../support/gateway/redaction-bench.ts';
import { PASSWORD_HASH, startSignedIn } from '../support/gateway/signed-in.ts';
import { startRawUpstream } from '../support/http/raw-upstream.ts';
import { linesOf } from '../support/programs/program.ts';

const values = Array.from({ length: 8 }, (_, index) => `value-${index}-Kq7vRzP2mXw9`);

const configOf = (value: string) => ({
  server: { allow_networks: ['127.0.0.0/8'] },
  users: [
    {
      name: USER,
      password: PASSWORD_HASH,
      secrets: { key: value },
      targets: [
        {
          ...{ id: 'target', description: 'd', base_url: upstream.url },
          inject: { headers: { 'X-Key': '${key}' } },
        },
      ],
    },
  ],
});

async function rotateTo(value: string | undefined): Promise<void> {
  const { gateway } = signedIn;
  const before = gateway.lines().filter((line) => line.event === 'config_reloaded').length;
  const config = value === undefined ? { ...configOf(''), users: [] } : configOf(value);
  gateway.writeConfig(JSON.stringify(config));
  gateway.signal('SIGHUP');
  await linesOf(gateway, ['config_reloaded'], before + 1);
}

/** Starts a call whose answer has begun with these bytes and goes on when it is told to. */
async function slowCall(begun: string) {
  const arrived = Promise.withResolvers<Socket>();
  upstream.script = (socket) => arrived.resolve(socket);
  const shown = request(signedIn, USER, { url: `${upstream.url}/slow` });
  const socket = await arrived.promise;
  socket.write(begun);
  return { shown, goOn: (rest: string) => socket.end(rest) };
}

const sentKey = () =>
  upstream.received
    .at(-1)!
    .headers.find((line) => line.startsWith('x-key:'))
    ?.slice(7);

const upstream = await startRawUpstream();
const signedIn = await startSignedIn(configOf(values[0]!));
after(async () => {
  await signedIn.gateway.stop();
  await upstream.close();
});

describe('while an answer is under way', () => {
  test('the value it was asked with is still redacted, and so is the new one', async () => {
    const [old, fresh] = [values[0]!, values[1]!];
    const call = await slowCall(
      `HTTP/1.1 200 OK\r\nX-Echo: ${old}, ${fresh}\r\n\r\n${old.slice(0, 9)}`,
    );
    assert.equal(sentKey(), old);
    await rotateTo(fresh);
    call.goOn(`${old.slice(9)} and ${fresh} and ${old}`);
    const { body, headers } = await call.shown;
    assert.equal(body, '[REDACTED] and [REDACTED] and [REDACTED]');
    assert.equal(headers['x-echo'], '[REDACTED], [REDACTED]');
  });

  test('also before its headers have come', async () => {
    const [old, fresh] = [values[1]!, values[2]!];
    const call = await slowCall('HTTP/1.1 200 OK\r\n');
    await rotateTo(fresh);
    call.goOn(`X-Echo: ${old}\r\n\r\n${old} ${fresh}`);
    const { body, headers } = await call.shown;
    assert.deepEqual([body, headers['x-echo']], ['[REDACTED] [REDACTED]', '[REDACTED]']);
  });

  test('also when several reloads follow each other', async () => {
    const call = await slowCall(`HTTP/1.1 200 OK\r\n\r\n${values[2]} `);
    for (const value of values.slice(3, 6)) await rotateTo(value);
    call.goOn(values.slice(2, 6).join(' '));
    assert.equal((await call.shown).body, Array(5).fill('[REDACTED]').join(' '));
  });
});

test('after the reload the new value is sent, and all former ones are still redacted', async () => {
  upstream.script = answer(values.join(' '));
  const { body } = await request(signedIn, USER, { url: `${upstream.url}/` });
  assert.equal(sentKey(), values[5]);
  // Values six and seven were never configured.
  assert.equal(body, `${Array(6).fill('[REDACTED]').join(' ')} ${values[6]} ${values[7]}`);
});

test('a user removed while an answer is under way gets none of the values from it', async () => {
  const call = await slowCall('HTTP/1.1 200 OK\r\n\r\nanswer: ');
  await rotateTo(undefined);
  call.goOn(values.slice(0, 6).join(' '));
  const { raw } = await call.shown;
  for (const value of values.slice(0, 6)) assert.ok(!raw.includes(value), raw);
});
