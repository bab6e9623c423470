/**
 * TLS in front of a plain upstream, with certificates made on the spot: a good one of a test
 * authority, and those that a client must not accept.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type SecureContextOptions } from 'node:tls';

export interface Certificates {
  /** For NODE_EXTRA_CA_CERTS. */
  readonly authorityPath: string;
  readonly good: SecureContextOptions;
  readonly selfSigned: SecureContextOptions;
  readonly expired: SecureContextOptions;
  readonly otherHost: SecureContextOptions;
  remove(): void;
}

export function makeCertificates(): Certificates {
  const directory = mkdtempSync(join(tmpdir(), 'certificates-'));
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const selfSign = (name: string, ...rest: string[]) =>
    openssl(
      ...['req', '-x509', ...key, '-keyout', `${name}.key`, '-out', `${name}.pem`],
      ...['-subj', `/CN=${name}`, '-days', '2', ...rest],
    );
  const sign = (name: string, host: string, days: string) => {
    writeFileSync(
      join(directory, `${name}.ext`),
      `subjectAltName=${host}\nbasicConstraints=CA:FALSE\n`,
    );
    openssl(
      'req',
      '-new',
      ...key,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      '/CN=x',
    );
    openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, '-days', days],
      ...['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', `${name}.ext`],
    );
  };
  const load = (name: string): SecureContextOptions => ({
    key: readFileSync(join(directory, `${name}.key`)),
    cert: readFileSync(join(directory, `${name}.pem`)),
  });
  selfSign('ca');
  selfSign('self', '-addext', 'subjectAltName=IP:127.0.0.1');
  sign('good', 'IP:127.0.0.1', '2');
  sign('expired', 'IP:127.0.0.1', '-1');
  sign('other', 'DNS:other.test', '2');
  return {
    authorityPath: join(directory, 'ca.pem'),
    good: load('good'),
    selfSigned: load('self'),
    expired: load('expired'),
    otherHost: load('other'),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

export interface TlsFront {
  readonly url: string;
  readonly port: number;
  close(): void;
}

/** Hands every byte on to the plain upstream at that port. */
export async function startTlsFront(
  upstreamPort: number,
  credentials: SecureContextOptions,
): Promise<TlsFront> {
  const server = createServer(credentials, (outer) => {
    const inner = connect(upstreamPort, '127.0.0.1');
    outer.on('error', () => inner.destroy());
    inner.on('error', () => outer.destroy());
    outer.on('close', () => inner.destroy());
    inner.on('close', () => outer.destroy());
    outer.pipe(inner).pipe(outer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}`, port, close: () => server.close() };
}
