/** The decoys open no socket, resolve no name and write no file, whatever they are asked. */
import assert from 'node:assert/strict';
import dns from 'node:dns';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import { test } from 'node:test';
import { createServer } from '../../src/core/http/server.ts';
import { createLog } from '../../src/core/log/log.ts';
import { CORPUS } from '../../src/decoys/catalogue.ts';
import { mountDecoys } from '../../src/decoys/mount.ts';
import { KEY, MCP_HEADERS, rpc } from './support.ts';

const METADATA = [
  'http://169.254.169.254/latest/meta-data/iam/security-credentials/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://metadata.azure.internal/metadata/instance',
  'http://169.254.169.254.nip.io/',
  'http://0xa9fea9fe/',
  'http://[fd00:ec2::254]/',
];
const RPC = ['initialize', 'tools/list', 'tools/call', 'resources/read', 'server/discover'];

const questions = [
  ...CORPUS,
  ...METADATA.map((url) => ({ method: 'GET', target: `/fetch?url=${encodeURIComponent(url)}` })),
  ...RPC.map((method) => ({
    method: 'POST',
    target: '/mcp',
    headers: MCP_HEADERS,
    body: rpc(method, { name: 'get_invoice', uri: METADATA[0] }),
  })),
  { method: 'GET', target: '/fetch?url=http://example.com/' },
  { method: 'GET', target: '/nothing' },
];

test('the whole corpus is answered with every way out closed', async () => {
  const written: string[] = [];
  const log = createLog({ level: 'debug', write: (line) => written.push(line) });
  const app = createServer({ log });
  mountDecoys(app, { key: KEY, site: 'decoys', log });
  await app.ready();

  const attempts: string[] = [];
  const closed = (name: string) => () => {
    attempts.push(name);
    throw new Error(`${name} was called`);
  };
  const doors: readonly [object: object, names: readonly string[]][] = [
    [net, ['connect', 'createConnection']],
    [net.Socket.prototype, ['connect']],
    [dns, ['lookup', 'resolve', 'resolve4', 'resolve6']],
    [dns.promises, ['lookup', 'resolve']],
    [http, ['request', 'get']],
    [https, ['request', 'get']],
    [globalThis, ['fetch']],
    [fs, ['writeFileSync', 'writeFile', 'appendFileSync', 'createWriteStream', 'openSync', 'open']],
  ];
  const restore = doors.flatMap(([object, names]) =>
    names.map((name) => {
      const original = Reflect.get(object, name);
      Reflect.set(object, name, closed(name));
      return () => Reflect.set(object, name, original);
    }),
  );
  syncBuiltinESMExports();
  try {
    for (const { method, target, ...rest } of questions) {
      const { headers, body } = rest as { headers?: Record<string, string>; body?: string };
      const reply = await app.inject({
        method: method as 'GET',
        url: target,
        ...(headers && { headers }),
        ...(body && { payload: body }),
      });
      assert.ok(reply.statusCode >= 200);
    }
  } finally {
    for (const put of restore) put();
    syncBuiltinESMExports();
  }
  assert.deepEqual(attempts, []);
  const hits = written.map((line) => JSON.parse(line)).filter(({ event }) => event === 'decoy_hit');
  assert.equal(hits.length, questions.length - 2);
  await app.close();
});
