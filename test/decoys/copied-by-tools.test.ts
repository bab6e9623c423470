/** What real tools copy from the decoys: git, OpenSSH, OpenSSL, a client of registries, the AWS loader. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { loadSharedConfigFiles } from '@smithy/shared-ini-file-loader';
import { Honeytokens } from '../../src/decoys/tokens/honeytoken.ts';
import { KEY, NOW_MS, startDecoys, type TestDecoys } from './support.ts';

const run = promisify(execFile);
const tokens = new Honeytokens({ key: KEY, site: 'decoys' });
const TOKEN = /hp_live_[a-z2-7]{32}/;
let decoys: TestDecoys;
let directory: string;
before(async () => {
  decoys = await startDecoys();
  directory = mkdtempSync(join(tmpdir(), 'decoys-copied-'));
});
after(async () => {
  await decoys.close();
  rmSync(directory, { recursive: true, force: true });
});

const receiverOf = (token: string | undefined) => tokens.open(token ?? '', NOW_MS)?.address;

test('git clones the repository, finds nothing wrong, and its history leads to a token', async () => {
  const clone = join(directory, 'clone');
  const environment = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
  const git = (...words: string[]) =>
    run('git', words, { env: environment, timeout: 30_000, encoding: 'utf8' });
  await git('clone', '--quiet', `${decoys.url}/.git`, clone);
  const { stderr } = await git('-C', clone, 'fsck', '--strict');
  assert.doesNotMatch(stderr, /error|missing|broken/);
  const { stdout } = await git('-C', clone, 'log', '-p', '--format=%s');
  assert.match(stdout, /^-API_TOKEN=/m);
  assert.equal(receiverOf(TOKEN.exec(stdout)?.[0]), '127.0.0.1');
});

test('the index names the files and their objects, as tools that dump directories read it', async () => {
  const response = await fetch(`${decoys.url}/.git/index`);
  const index = Buffer.from(await response.arrayBuffer());
  assert.equal(index.toString('latin1', 0, 4), 'DIRC');
  const sum = createHash('sha1').update(index.subarray(0, -20)).digest('hex');
  assert.equal(index.subarray(-20).toString('hex'), sum);
  const id = index.subarray(12 + 40, 12 + 60).toString('hex');
  assert.equal((await decoys.ask(`/.git/objects/${id.slice(0, 2)}/${id.slice(2)}`)).status, 200);
});

test('OpenSSH reads the private key, whose comment is a honeytoken', async () => {
  const file = join(directory, 'id_ed25519');
  writeFileSync(file, (await decoys.ask('/.ssh/id_ed25519')).body);
  chmodSync(file, 0o600);
  const { stdout } = await run('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' });
  assert.match(stdout, /^ssh-ed25519 AAAA/);
  assert.equal(receiverOf(/passphrase:([a-z2-7]{32})$/m.exec(stdout)?.[1]), '127.0.0.1');
});

test('OpenSSL reads the private key of a server, whose name is a honeytoken', async () => {
  const file = join(directory, 'server.key');
  writeFileSync(file, (await decoys.ask('/server.key')).body);
  const { stdout } = await run('openssl', ['pkey', '-in', file, '-text', '-noout']);
  assert.match(stdout, /^ED25519 Private-Key:/);
  const { body } = await decoys.ask('/server.key');
  assert.equal(receiverOf(/passphrase:([a-z2-7]{32})$/m.exec(body)?.[1]), '127.0.0.1');
});

test('an image can be pulled: every digest is that of its bytes, and the environment has a token', async () => {
  const get = async (path: string) => {
    const response = await fetch(`${decoys.url}/v2/${path}`);
    assert.equal(response.status, 200, path);
    assert.equal(response.headers.get('docker-distribution-api-version'), 'registry/2.0');
    return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const sha = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  await get('');
  const [name] = JSON.parse((await get('_catalog')).bytes.toString()).repositories;
  const [tag] = JSON.parse((await get(`${name}/tags/list`)).bytes.toString()).tags;
  const manifest = await get(`${name}/manifests/${tag}`);
  assert.equal(manifest.headers.get('docker-content-digest'), sha(manifest.bytes));
  await get(`${name}/manifests/${sha(manifest.bytes)}`);
  const { config, layers } = JSON.parse(manifest.bytes.toString());
  const read = await get(`${name}/blobs/${config.digest}`);
  assert.deepEqual([sha(read.bytes), read.bytes.length], [config.digest, config.size]);
  const image = JSON.parse(read.bytes.toString());
  const layer = await get(`${name}/blobs/${layers[0].digest}`);
  assert.equal(sha(layer.bytes), layers[0].digest);
  assert.equal(sha(gunzipSync(layer.bytes)), image.rootfs.diff_ids[0]);
  assert.equal(receiverOf(TOKEN.exec(image.config.Env.join())?.[0]), '127.0.0.1');
});

test('the loader of AWS reads configuration and credentials together', async () => {
  const [filepath, configFilepath] = ['credentials', 'config'].map((name) => join(directory, name));
  writeFileSync(filepath!, (await decoys.ask('/.aws/credentials')).body);
  writeFileSync(configFilepath!, (await decoys.ask('/.aws/config')).body);
  const { configFile, credentialsFile } = await loadSharedConfigFiles({
    filepath: filepath!,
    configFilepath: configFilepath!,
  });
  assert.equal(receiverOf(credentialsFile.default?.aws_access_key_id), '127.0.0.1');
  const role = Object.values(configFile).find(({ role_arn }) => role_arn)?.role_arn;
  assert.match(role ?? '', /^arn:aws:iam::[1-9][0-9]{11}:role\/[a-z]+$/);
});

test('a cluster is discovered as kubectl does it: versions, groups, resources, lists', async () => {
  const json = async (path: string) => JSON.parse((await decoys.ask(path)).body);
  assert.ok((await json('/version')).gitVersion);
  const { versions } = await json('/api');
  const { resources } = await json(`/api/${versions[0]}`);
  for (const { name, kind } of resources) {
    const list = await json(`/api/v1/${name}`);
    assert.deepEqual([list.kind, list.apiVersion], [`${kind}List`, 'v1']);
  }
  for (const { preferredVersion } of (await json('/apis')).groups) {
    const group = await json(`/apis/${preferredVersion.groupVersion}`);
    for (const { name, kind } of group.resources) {
      assert.equal((await json(`/apis/${group.groupVersion}/${name}`)).kind, `${kind}List`);
    }
  }
});
