/** Secrets that programs print, through a whole gateway: at the start, at a reload, in `validate`. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: injection templates are written so
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runHere } from '../support/gateway/command-here.ts';
import { linesOf, runGateway } from '../support/gateway/gateway.ts';
import { PASSWORD, type SignedIn, startSignedIn } from '../support/gateway/signed-in.ts';
import { startUpstream, type Upstream } from '../support/http/upstream.ts';

const FIRST = 'first-value-Kq7vRzP2mXw9';
const SECOND = 'second-value-Vb5nM8qLx2Rt';
let directory: string;
let upstream: Upstream;
let signedIn: SignedIn;
const path = (name: string) => join(directory, name);

const config = (secret: string, rest: object = {}) => ({
  server: { allow_networks: ['127.0.0.0/8'], exec_env: ['STORE'], ...rest },
  users: [
    {
      name: 'alice',
      password: `exec:/bin/echo ${PASSWORD}`,
      secrets: { key: secret },
      targets: [
        {
          ...{ id: 't', description: 'd', base_url: upstream.url },
          inject: { headers: { 'X-Key': '${key}' } },
        },
      ],
    },
  ],
});

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'exec-'));
  upstream = await startUpstream();
  writeFileSync(path('store'), FIRST);
  // Waits for as long as the file `hold` is there.
  const text = `while [ -e ${path('hold')} ]; do sleep 0.05; done
echo x >> ${path('runs')}
echo "read $STORE: $(cat ${path('store')})" >&2
cat "$STORE"`;
  writeFileSync(path('print'), `#!/bin/sh\n${text}\n`);
  chmodSync(path('print'), 0o755);
  signedIn = await startSignedIn(config(`exec:${path('print')}`), { STORE: path('store') });
});
after(async () => {
  await signedIn?.gateway.stop();
  await upstream.close();
  rmSync(directory, { recursive: true });
});

const call = async () => {
  const { value } = await signedIn.request('alice', { url: `${upstream.url}/x` });
  assert.equal(value.status, 200, JSON.stringify(value));
  return upstream.received.at(-1)!.headers['x-key'];
};
const runs = () => readFileSync(path('runs'), 'utf8').length / 2;
const reloads = (count: number) => linesOf(signedIn.gateway, ['config_reloaded'], count);

test('what the program prints is injected, and the password is what another prints', async () => {
  assert.equal(await call(), FIRST);
  assert.equal(runs(), 1);
});

test('a reload of the file runs only what is new in it; SIGHUP runs everything', async () => {
  const { gateway } = signedIn;
  writeFileSync(path('store'), SECOND);
  gateway.writeConfig(JSON.stringify(config(`exec:${path('print')}`, { code_ttl: '30s' })));
  await reloads(1);
  assert.deepEqual([await call(), runs()], [FIRST, 1]);
  gateway.signal('SIGHUP');
  await reloads(2);
  assert.deepEqual([await call(), runs()], [SECOND, 2]);
});

test('while a program runs, the previous configuration serves', async () => {
  writeFileSync(path('hold'), '');
  writeFileSync(path('store'), FIRST);
  signedIn.gateway.signal('SIGHUP');
  for (let calls = 0; calls < 5; calls++) assert.equal(await call(), SECOND);
  rmSync(path('hold'));
  await reloads(3);
  assert.equal(await call(), FIRST);
});

test('a program that fails leaves the previous configuration active', async () => {
  rmSync(path('store'));
  signedIn.gateway.signal('SIGHUP');
  const [error] = await linesOf(signedIn.gateway, ['config_error'], 1);
  assert.match(
    JSON.stringify(error),
    /users\[0\]\.secrets\.key: the program failed with the status 1/,
  );
  assert.equal(await call(), FIRST);
});

test('what it wrote to standard error is logged, without any secret', () => {
  const text = signedIn.gateway.stdout();
  assert.ok(text.includes(`"event":"exec_stderr","program":"${path('print')}"`));
  for (const value of [FIRST, SECOND, PASSWORD]) assert.ok(!text.includes(value));
});

test('validate runs the programs, and with --no-exec none', async () => {
  writeFileSync(path('store'), FIRST);
  const file = path('config.yaml');
  const before = runs();
  const full = config(`exec:${path('print')}`, { public_url: 'https://gateway.test' });
  writeFileSync(file, JSON.stringify(full));
  const checked = await runGateway(['validate', file], { env: { STORE: path('store') } });
  assert.equal(checked.code, 0, checked.stderr);
  assert.equal(runs(), before + 1);
  assert.ok(!`${checked.stdout}${checked.stderr}`.includes(FIRST));
  const skipped = await runHere(['validate', '--no-exec', file], { STORE: path('store') });
  assert.equal(skipped.code, 0, skipped.stderr);
  assert.match(skipped.stdout, /^OK/);
  assert.equal(runs(), before + 1);
  rmSync(path('store'));
  const failed = await runHere(['validate', file], { STORE: path('store') });
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /secrets\.key: the program failed with the status 1\n/);
});
