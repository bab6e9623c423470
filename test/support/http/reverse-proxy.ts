/**
 * The shipped configurations of nginx and Caddy, run on loopback as they are: only names, ports
 * and certificates are put in, and every replacement must find its place.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { freePort } from '../programs/free-port.ts';
import { makeCertificates } from './tls-front.ts';

const DEPLOY = new URL('../../../deploy/', import.meta.url).pathname;
export const PROGRAMS = ['gateway', 'notes', 'decoys'] as const;
export type Program = (typeof PROGRAMS)[number];
export type PerProgram<T> = Readonly<Record<Program, T>>;
const PORTS: PerProgram<number> = { gateway: 2019, notes: 2020, decoys: 2021 };

export const HINT = 'apt-get install --no-install-recommends nginx-light caddy';

/** Ways to write the path of the metrics, of which none may lead there. */
export const METRICS_PATHS = [
  ...['/metrics', '/metrics/', '/metrics?x=1', '/%6detrics', '/metrics%3f', '//metrics'],
  ...['/./metrics', '/x/../metrics', '/METRICS', '/metrics;x', '/metrics%2f', '/metrics%00'],
];

export interface ReverseProxy {
  /** The authority that signed its certificates. */
  readonly authority: string;
  stop(): Promise<void>;
}

export interface ProxyKind {
  readonly name: string;
  /** As it is in the certificates. */
  readonly host: string;
  /** Starts it on these ports, in front of the programs at those. */
  start(ports: PerProgram<number>, upstreams: PerProgram<number>): Promise<ReverseProxy>;
}

/** False where the program can be run, else the reason. */
export function isMissing(program: string, hint: string): string | false {
  const { error } = spawnSync(program, ['--version'], { stdio: 'ignore' });
  return error ? `${program} is not installed; ${hint}` : false;
}

/** Replaces each text by its other, and fails where one is not there. */
export function put(text: string, replacements: readonly (readonly [string, string])[]): string {
  return replacements.reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`the file has no "${from}"`);
    return result.replaceAll(from, to);
  }, text);
}

/** Writes nginx.conf for a separate directory, with the certificate in it. */
export function writeNginx(
  directory: string,
  ports: PerProgram<number>,
  upstreams: PerProgram<number>,
): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  for (const name of temporary) mkdirSync(join(directory, name));
  const paths = temporary.map((name) => `${name}_temp_path ${join(directory, name)};`);
  const own = PROGRAMS.flatMap((program) => [
    [`/etc/ssl/${program}.example.com`, join(directory, 'site')] as const,
    [`127.0.0.1:${PORTS[program]}`, `127.0.0.1:${upstreams[program]}`] as const,
  ]);
  const isRoot = process.getuid?.() === 0;
  let text = put(readFileSync(join(DEPLOY, 'nginx.conf'), 'utf8'), [
    ...own,
    ['pid /run/nginx.pid;', `pid ${join(directory, 'nginx.pid')};`],
    ['http {\n', `http {\n    access_log off;\n    ${paths.join('\n    ')}\n`],
    ...(isRoot ? [] : [['user www-data;', ''] as const]),
  ]);
  for (const program of PROGRAMS) {
    // The sites are told by their ports here, since loopback has one name.
    const site = new RegExp(`listen 443 ([^;]*);(\\s+server_name ${program}\\.)`);
    if (!site.test(text)) throw new Error(`the file has no site for ${program}`);
    text = text.replace(site, `listen 127.0.0.1:${ports[program]} $1;$2`);
  }
  const path = join(directory, 'nginx.conf');
  writeFileSync(path, text);
  return path;
}

export const nginx: ProxyKind = {
  name: 'nginx',
  host: '127.0.0.1',
  start: async (ports, upstreams) => {
    const certificates = makeCertificates();
    const directory = openDirectory('nginx-');
    writeFileSync(join(directory, 'site.pem'), certificates.good.cert as Buffer);
    writeFileSync(join(directory, 'site.key'), certificates.good.key as Buffer);
    const path = writeNginx(directory, ports, upstreams);
    const child = spawn('nginx', ['-p', directory, '-c', path, '-e', 'stderr', '-g', DAEMON_OFF]);
    await ready(child, ports);
    const authority = readFileSync(certificates.authorityPath, 'utf8');
    certificates.remove();
    return { authority, stop: () => end(child, directory) };
  },
};
const DAEMON_OFF = 'daemon off;';

export const caddy: ProxyKind = {
  name: 'Caddy',
  host: 'localhost',
  start: async (ports, upstreams) => {
    const directory = openDirectory('caddy-');
    const path = join(directory, 'Caddyfile');
    const text = readFileSync(join(DEPLOY, 'Caddyfile'), 'utf8');
    const onLoopback = put(text, [['\tadmin off\n', '\tadmin off\n\tdefault_bind 127.0.0.1\n']]);
    writeFileSync(path, onLoopback);
    const env: Record<string, string> = { PATH: process.env.PATH ?? '' };
    for (const home of ['HOME', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME']) env[home] = directory;
    for (const program of PROGRAMS) {
      env[`HOST_${program.toUpperCase()}`] = `https://localhost:${ports[program]}`;
      env[`UPSTREAM_${program.toUpperCase()}`] = `127.0.0.1:${upstreams[program]}`;
    }
    const args = ['run', '--config', path, '--adapter', 'caddyfile'];
    const child = spawn('caddy', args, { env, cwd: directory });
    await ready(child, ports);
    const root = join(directory, 'caddy/pki/authorities/local/root.crt');
    return { authority: readFileSync(root, 'utf8'), stop: () => end(child, directory) };
  },
};

export async function freePorts(): Promise<PerProgram<number>> {
  return { gateway: await freePort(), notes: await freePort(), decoys: await freePort() };
}

/** Workers under another user must get in. */
export function openDirectory(prefix: string): string {
  const directory = mkdtempSync(join(tmpdir(), prefix));
  chmodSync(directory, 0o755);
  return directory;
}

async function end(child: ChildProcess, directory: string): Promise<void> {
  if (child.exitCode === null) {
    child.kill();
    await once(child, 'exit');
  }
  rmSync(directory, { recursive: true, force: true });
}

/** Neither proxy says that it is ready, so each port is asked until it has a certificate. */
async function ready(child: ChildProcess, ports: PerProgram<number>): Promise<void> {
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  for (const port of Object.values(ports)) {
    while (!(await shakesHands(port))) {
      if (child.exitCode !== null) throw new Error(`the proxy ended: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function shakesHands(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false };
    const socket = connect({ port, ...options });
    socket.once('error', () => resolve(false));
    socket.once('secureConnect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
