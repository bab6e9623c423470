/** Every way to reach a store but a plain port, by the real server: each must do what a store does. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { freePort } from '../../../test/support/programs/free-port.ts';
import { useAsStore } from '../../../test/support/replicas/as-store.ts';
import {
  replicasMissing,
  startRedis,
  type TestRedis,
} from '../../../test/support/replicas/programs.ts';

describe('a store is used', { skip: replicasMissing() }, () => {
  let redis: TestRedis;
  let tlsPort: number;
  let ca: string;
  before(async () => {
    tlsPort = await freePort();
    redis = await startRedis(['--unixsocket', 'redis.sock']);
    ca = makeCertificates(redis.directory);
    await redis.admin(async (connection) => {
      const file = (name: string) => join(redis.directory, name);
      await connection.config(
        'SET',
        'tls-cert-file',
        file('server.pem'),
        'tls-key-file',
        file('server.key'),
        'tls-ca-cert-file',
        file('ca.pem'),
        'tls-auth-clients',
        'no',
        'tls-port',
        tlsPort,
      );
      // As docs/how-to/many-replicas.md has it.
      const rules = [
        '~*gatehouse:*',
        '&gatehouse:*',
        '+@read',
        '+@write',
        '+@scripting',
        '+@pubsub',
        '+@connection',
        '+info',
        '+time',
      ];
      await connection.call('ACL', 'SETUSER', 'ada', 'on', '>p@ss word', ...rules);
    });
  });
  after(() => redis.remove());

  test('over a unix socket', async () => {
    await useAsStore(`unix://${redis.directory}/redis.sock?db=1`);
  });

  test('by an ACL user with the rights that the documentation names, and by no other', async () => {
    await useAsStore(`redis://ada:p%40ss%20word@127.0.0.1:${redis.port}`);
    await assert.rejects(
      useAsStore(`redis://ada:wrong-word@127.0.0.1:${redis.port}`, 300),
      (error: Error) => /WRONGPASS/.test(error.message) && !error.message.includes('wrong-word'),
    );
  });

  test('over TLS, only with a certificate that is trusted', async () => {
    const url = `rediss://localhost:${tlsPort}`;
    await assert.rejects(useAsStore(url, 300), /cannot be reached: .*certificate/);
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, ca]);
    try {
      await useAsStore(url);
      await assert.rejects(useAsStore(`rediss://127.0.0.2:${tlsPort}`, 300), /cannot be reached/);
    } finally {
      setDefaultCACertificates(before);
    }
  });

  test('over TLS, and given up at any moment of a handshake: nothing is left uncaught', async () => {
    for (let round = 0; round < 10; round++) {
      const attempts = Array.from({ length: 24 }, () =>
        assert.rejects(useAsStore(`rediss://localhost:${tlsPort}`, 100 + Math.random() * 300)),
      );
      await Promise.all(attempts);
    }
  });
});

/** A CA of its own and a certificate for `localhost`, in this directory; gives the CA. */
function makeCertificates(directory: string): string {
  const openssl = (...args: string[]) => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: directory, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...newKey, '-subj', '/CN=test', '-keyout', 'ca.key', '-out', 'ca.pem');
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    ...name,
    ...signed,
    '-keyout',
    'server.key',
    '-out',
    'server.pem',
  );
  return readFileSync(join(directory, 'ca.pem'), 'utf8');
}
