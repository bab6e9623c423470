/**
 * The files in deploy/ keep their promises. What the programs that read them would say is asked
 * where those programs are installed; the rest is held by rules, and each rule is seen to fail.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse } from 'yaml';
import { composeProblems } from './support/deploy/compose-rules.ts';
import { dockerfileProblems, healthCheckOf, stagesOf } from './support/deploy/dockerfile-rules.ts';
import { kubernetesProblems, manifestsOf } from './support/deploy/kubernetes-rules.ts';
import {
  deployFiles,
  namedVariables,
  PORTS,
  PROGRAMS,
  ROOT,
  read,
  VARIABLES,
} from './support/deploy/names.ts';
import { caddyProblems, nginxProblems } from './support/deploy/proxy-rules.ts';
import {
  composeReplicasProblems,
  kubernetesReplicasProblems,
} from './support/deploy/replicas-rules.ts';
import { unitProblems } from './support/deploy/unit-rules.ts';
import { runGateway } from './support/gateway/gateway.ts';
import {
  freePorts,
  isMissing,
  openDirectory,
  put,
  writeNginx,
} from './support/http/reverse-proxy.ts';
import { makeCertificates } from './support/http/tls-front.ts';

let directory: string;
before(() => {
  directory = openDirectory('deploy-');
});
after(() => rmSync(directory, { recursive: true, force: true }));

const unit = (program: string) => `systemd/gatehouse-${program}.service`;
const RULES: Readonly<Record<string, (text: string) => string[]>> = {
  Dockerfile: dockerfileProblems,
  'compose.yaml': composeProblems,
  'kubernetes.yaml': kubernetesProblems,
  'compose-replicas.yaml': composeReplicasProblems,
  'kubernetes-replicas.yaml': kubernetesReplicasProblems,
  'nginx.conf': nginxProblems,
  Caddyfile: caddyProblems,
  ...Object.fromEntries(
    PROGRAMS.map((program) => [unit(program), (text: string) => unitProblems(program, text)]),
  ),
};

describe('the rules', () => {
  for (const [file, problems] of Object.entries(RULES)) {
    test(`find nothing in ${file}`, () => assert.deepEqual(problems(read(`deploy/${file}`)), []));
  }

  for (const [file, what, from, to] of [
    ['Dockerfile', 'root', 'USER 65532:65532', 'USER root'],
    ['Dockerfile', 'another Node', 'node:24-trixie-slim', 'node:latest'],
    ['Dockerfile', 'no health check', 'HEALTHCHECK --interval', 'LABEL --interval'],
    ['Dockerfile', 'a health check by shell', 'CMD ["/nodejs/bin/node", "-e",', 'CMD ["sh", "-c",'],
    ['Dockerfile', 'development dependencies', ' && npm prune --omit=dev', ' && true'],
    ['Dockerfile', 'no client of the store', 'ioredis@', 'other@'],
    ['Dockerfile', 'package lists', 'rm -rf /var/lib/apt/lists/*', 'true'],
    ['Dockerfile', 'a notes server without git', 'ca-certificates git', 'ca-certificates'],
    ['Dockerfile', 'data that others read', '-d -m 700', '-d -m 755'],
    ['Dockerfile', 'data that are lost', 'VOLUME /data', 'VOLUME /notes'],
    ['Dockerfile', 'files that the program owns', 'COPY --from', 'COPY --chown=65532 --from'],
    [
      'compose.yaml',
      'port 2019 published',
      '    read_only: true\n    # The dir',
      '    ports: ["2019:2019"]\n    read_only: true\n    # The dir',
    ],
    ['compose.yaml', 'port 80 published', '["443:443"]', '["80:80", "443:443"]'],
    [
      'compose.yaml',
      'a writable gateway',
      '    read_only: true\n    # The directory',
      '    # The directory',
    ],
    ['compose.yaml', 'root', 'user: "65532:65532"', 'user: "0:0"'],
    ['compose.yaml', 'too little time to stop', 'stop_grace_period: 20s', 'stop_grace_period: 10s'],
    ['compose.yaml', 'privileges', 'init: true', 'privileged: true'],
    ['compose.yaml', 'capabilities', 'cap_drop: [ALL]', 'cap_drop: [NET_RAW]'],
    ['compose.yaml', 'new privileges', 'no-new-privileges:true', 'no-new-privileges:false'],
    ['compose.yaml', 'no health check', 'healthcheck: &health', 'x-healthcheck: &health'],
    ['compose.yaml', 'Caddy beside the metrics', 'to-notes, to-decoys]', 'to-decoys, metrics]'],
    ['compose.yaml', 'decoys that call', 'networks: [to-decoys]', 'networks: [to-decoys, public]'],
    ['compose.yaml', 'a network that leads outside', 'internal: true', 'internal: false'],
    [
      'compose.yaml',
      'a proxy nobody trusts',
      'DECOYS_TRUSTED_PROXIES: 172.30.21',
      'DECOYS_TRUSTED_PROXIES: 172.31.21',
    ],
    [
      'compose.yaml',
      'a key in the file',
      'DECOYS_KEY: file:/run/secrets/decoys_key',
      'DECOYS_KEY: 0123456789abcdef',
    ],
    ['compose.yaml', 'a secret not granted', 'secrets: [decoys_key]', 'secrets: []'],
    ['compose-replicas.yaml', 'one replica', 'replicas: 3', 'replicas: 1'],
    ['compose-replicas.yaml', 'a store that forgets', 'noeviction', 'allkeys-lru'],
    ['compose-replicas.yaml', 'a store without a disk', 'appendonly yes', 'appendonly no'],
    ['compose-replicas.yaml', 'an open store', 'internal: true', 'internal: false'],
    ['compose-replicas.yaml', 'a key not granted', ', seal_key, store_url]', ', store_url]'],
    ['kubernetes-replicas.yaml', 'readiness without the store', 'path: /readyz', 'path: /healthz'],
    ['kubernetes-replicas.yaml', 'a liveness that restarts', 'path: /healthz', 'path: /readyz'],
    ['kubernetes-replicas.yaml', 'no budget', 'minAvailable: 2', 'minAvailable: 0'],
    ['kubernetes-replicas.yaml', 'a gap', 'maxUnavailable: 0', 'maxUnavailable: 1'],
    ['kubernetes-replicas.yaml', 'a store that forgets', 'noeviction', 'allkeys-lru'],
    ['kubernetes.yaml', 'root', 'runAsUser: 65532', 'runAsUser: 0'],
    [
      'kubernetes.yaml',
      'a writable root',
      'readOnlyRootFilesystem: true',
      'readOnlyRootFilesystem: false',
    ],
    [
      'kubernetes.yaml',
      'escalation',
      'allowPrivilegeEscalation: false',
      'allowPrivilegeEscalation: true',
    ],
    ['kubernetes.yaml', 'capabilities', 'capabilities: { drop: [ALL] }', 'capabilities: {}'],
    [
      'kubernetes.yaml',
      'two writers',
      'strategy: { type: Recreate }',
      'strategy: { type: RollingUpdate }',
    ],
    ['kubernetes.yaml', 'two replicas of everything', 'replicas: 1', 'replicas: 2'],
    ['kubernetes.yaml', 'no probe', 'livenessProbe:', 'otherProbe:'],
    [
      'kubernetes.yaml',
      'a health route of the decoys',
      'tcpSocket: { port: http }',
      'httpGet: { path: /, port: http }',
    ],
    ['kubernetes.yaml', 'short time-outs', 'read-timeout: "3600"', 'read-timeout: "30"'],
    ['kubernetes.yaml', 'buffering', 'proxy-buffering: "off"', 'proxy-buffering: "on"'],
    ['kubernetes.yaml', 'open networks', 'policyTypes: [Ingress, Egress]', 'policyTypes: [Egress]'],
    [
      'kubernetes.yaml',
      'decoys that call',
      'values: [gateway, notes]',
      'values: [gateway, notes, decoys]',
    ],
    ['kubernetes.yaml', 'metadata addresses', '169.254.0.0/16, ', ''],
    [
      'kubernetes.yaml',
      'notes that are lost',
      'persistentVolumeClaim: { claimName: notes }',
      'emptyDir: {}',
    ],
    ['nginx.conf', 'a short time-out', 'proxy_read_timeout 1h', 'proxy_read_timeout 30s'],
    ['nginx.conf', 'buffering', 'proxy_buffering off', 'proxy_buffering on'],
    ['nginx.conf', 'open metrics', 'return 404;', 'proxy_pass http://gateway;'],
    [
      'nginx.conf',
      'addresses that clients claim',
      'X-Forwarded-For $remote_addr',
      'X-Forwarded-For $http_x_forwarded_for',
    ],
    ['nginx.conf', 'a plain port', 'listen 443 ssl http2;', 'listen 80;'],
    ['Caddyfile', 'open metrics', 'respond @metrics 404', 'respond @metrics 200'],
    ['Caddyfile', 'a short time-out', 'dial_timeout 5s', 'response_header_timeout 30s'],
    ['Caddyfile', 'calls that go on', 'dial_timeout 5s', 'flush_interval -1'],
    ['Caddyfile', 'a control port', 'admin off', 'admin :2999'],
    [unit('gateway'), 'a writable system', 'ProtectSystem=strict', 'ProtectSystem=full'],
    [unit('gateway'), 'an open port', 'LISTEN=127.0.0.1:2019', 'LISTEN=:2019'],
    [unit('gateway'), 'a Node that cannot start', 'WriteExecute=no', 'WriteExecute=yes'],
    [unit('notes'), 'data in a read-only place', 'ReadWritePaths=', 'ReadOnlyPaths='],
    [unit('notes'), 'a credential not loaded', 'LoadCredential=password', 'LoadCredential=word'],
    [unit('notes'), 'a password in the unit', 'PASSWORD=file:%d/password', 'PASSWORD=secret'],
    [unit('decoys'), 'decoys that call', 'IPAddressDeny=any\n', ''],
    [unit('decoys'), 'every system call', 'SystemCallFilter=@system-service\n', ''],
  ] as const) {
    test(`${file}: find ${what}`, () => {
      const broken = put(read(`deploy/${file}`), [[from, to]]);
      assert.notDeepEqual(RULES[file]!(broken), []);
    });
  }
});

describe('the variables', () => {
  test('of the references are known', () => assert.ok(VARIABLES.size > 25, `${VARIABLES.size}`));

  for (const file of [...deployFiles().map((name) => `deploy/${name}`), 'docs/deploy.md']) {
    test(`that ${file} names exist`, () => {
      const unknown = namedVariables(read(file)).filter((name) => !VARIABLES.has(name));
      assert.deepEqual(unknown, []);
    });
  }

  test('would be missed if one were misspelt', () => {
    assert.deepEqual(namedVariables('  NOTES_METRIC_LISTEN: x'), ['NOTES_METRIC_LISTEN']);
    assert.equal(VARIABLES.has('NOTES_METRIC_LISTEN'), false);
  });
});

describe('the configuration of the gateway', () => {
  const manifest = () =>
    manifestsOf(read('deploy/kubernetes.yaml')).find(({ kind }) => kind === 'ConfigMap');
  const configs: [string, () => string][] = [
    ['for compose.yaml', () => read('deploy/gateway/config.yaml')],
    ['in kubernetes.yaml', () => manifest().data['config.yaml']],
  ];
  for (const [where, text] of configs) {
    test(`${where} validates, and every secret it names is given`, async () => {
      const names = [...text().matchAll(/file:\/run\/secrets\/(?:gatehouse\/)?(\w+)/g)];
      const secrets = join(directory, 'run', where.replaceAll(' ', '-'));
      mkdirSync(join(secrets, 'gatehouse'), { recursive: true });
      const { services } = parse(read('deploy/compose.yaml'), { merge: true });
      for (const [, name] of names) {
        assert.ok(services.gateway.secrets.includes(name), `${name} is not granted`);
        writeFileSync(join(secrets, name!), 'a-value-of-the-tests');
        writeFileSync(join(secrets, 'gatehouse', name!), 'a-value-of-the-tests');
      }
      const path = join(secrets, 'config.yaml');
      writeFileSync(path, put(text(), [['/run/secrets', secrets]]));
      const env = { GATEWAY_PUBLIC_URL: 'https://gateway.example.com' };
      const { code, stdout, stderr } = await runGateway(['validate', path], { env });
      assert.equal(code, 0, stdout + stderr);
    });
  }

  test('trusts the network on which Caddy comes', () => {
    const { networks } = parse(read('deploy/compose.yaml'), { merge: true });
    const { server } = parse(read('deploy/gateway/config.yaml'));
    assert.deepEqual(server.trusted_proxies, [networks['to-gateway'].ipam.config[0].subnet]);
  });
});

describe('the health check of', () => {
  const stages = stagesOf(read('deploy/Dockerfile'));
  const { services } = parse(read('deploy/compose.yaml'), { merge: true });
  const asked = (port: number, status: number, script: string) => {
    const code = `const { createServer } = require('node:http');
      const server = createServer((_, response) => response.writeHead(${status}).end());
      server.listen(0, '127.0.0.1', () => {
        const at = ${port === 0 ? "'1'" : 'String(server.address().port)'};
        eval(process.argv[1].replace('PORT', at));
      });`;
    return spawnSync(process.execPath, ['-e', code, script]).status;
  };

  for (const program of PROGRAMS) {
    const script = healthCheckOf(stages.get(program)!)!.at(-1)!;
    const withPort = put(script, [[String(PORTS[program]), 'PORT']]);

    test(`${program} passes when it answers and fails when nobody does`, () => {
      assert.equal(asked(1, 200, withPort), 0);
      assert.equal(asked(0, 200, withPort), 1);
    });
    test(`${program} is the same in compose.yaml`, () => {
      const check = healthCheckOf(stages.get(program)!)!;
      assert.deepEqual(services[program].healthcheck.test, ['CMD', ...check]);
    });
    if (program === 'decoys') continue;
    test(`${program} fails when it answers with an error`, () => {
      assert.equal(asked(1, 503, withPort), 1);
    });
  }
});

describe('the programs themselves accept', () => {
  test('nginx.conf', { skip: isMissing('nginx', 'apt-get install nginx-light') }, async () => {
    const place = openDirectory('nginx-conf-');
    const certificates = makeCertificates();
    writeFileSync(join(place, 'site.pem'), certificates.good.cert as Buffer);
    writeFileSync(join(place, 'site.key'), certificates.good.key as Buffer);
    const path = writeNginx(place, await freePorts(), PORTS);
    const { status, stderr } = spawnSync('nginx', ['-t', '-p', place, '-c', path, '-e', 'stderr']);
    certificates.remove();
    rmSync(place, { recursive: true });
    assert.equal(status, 0, String(stderr));
  });

  test('Caddyfile', { skip: isMissing('caddy', 'apt-get install caddy') }, () => {
    const path = join(ROOT, 'deploy/Caddyfile');
    const env = { PATH: process.env.PATH, HOME: directory };
    const args = ['validate', '--config', path, '--adapter', 'caddyfile'];
    const { status, stderr } = spawnSync('caddy', args, { env });
    assert.equal(status, 0, String(stderr));
    assert.doesNotMatch(String(stderr), /not formatted/);
  });

  test('compose-alert.yaml adds one container, which has the logs and a way out, and nothing else', () => {
    const { services, volumes, secrets } = parse(read('deploy/compose-alert.yaml'));
    const { alert, ...others } = services;
    const names = PROGRAMS.map((program) => `${program}.jsonl`);
    for (const program of PROGRAMS) {
      const variable = `${program.toUpperCase()}_LOG_FILE`;
      const environment = { [variable]: `/logs/${program}.jsonl` };
      assert.deepEqual(others[program], { environment, volumes: ['logs:/logs'] });
    }
    assert.equal(Object.keys(others).length, PROGRAMS.length);
    assert.deepEqual([alert.read_only, alert.user, alert.cap_drop], [true, '65532:65532', ['ALL']]);
    assert.deepEqual(alert.networks, ['from-alert']);
    assert.equal(alert.ports, undefined);
    assert.deepEqual(
      Object.keys(volumes),
      alert.volumes.map((mount: string) => mount.split(':')[0]),
    );
    assert.deepEqual(Object.keys(secrets), alert.secrets);
    const followed = alert.command.slice(-3).toSorted();
    assert.deepEqual(followed, names.map((name) => `/logs/${name}`).toSorted());
    const words = alert.command.map((word: string) => word.replace(/\$\{\w+:-(\w+)\}/, '$1'));
    const url = [
      'alert',
      '--to=http://127.0.0.1:1/',
      ...words.slice(2, 4),
      `--state=${directory}/alert`,
    ];
    const run = spawnSync(process.execPath, [join(ROOT, 'bin/decoys.ts'), ...url], { input: '' });
    assert.equal(run.status, 0, String(run.stderr));
  });

  const noAnalyze = isMissing('systemd-analyze', 'it comes with systemd');
  for (const program of [...PROGRAMS, 'alert']) {
    test(`${unit(program)}, and call it little exposed`, { skip: noAnalyze }, () => {
      // The Node and the program of the unit need not be installed here.
      const path = join(directory, `gatehouse-${program}.service`);
      const text = put(read(`deploy/${unit(program)}`), [['/usr/bin/node', process.execPath]]);
      writeFileSync(path, text);
      const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
      assert.equal(verified.status, 0, verified.stderr);
      assert.doesNotMatch(verified.stderr, new RegExp(`gatehouse-${program}`));
      const judge = ['security', '--offline=true', '--threshold=15', path];
      const judged = spawnSync('systemd-analyze', judge, { encoding: 'utf8' });
      assert.equal(judged.status, 0, judged.stdout.split('\n').slice(-3).join('\n'));
    });
  }

  const noSysusers = isMissing('systemd-sysusers', 'it comes with systemd');
  test('gatehouse.sysusers.conf, with the number of the images', { skip: noSysusers }, () => {
    const root = join(directory, 'users');
    mkdirSync(join(root, 'etc'), { recursive: true });
    const file = join(ROOT, 'deploy/systemd/gatehouse.sysusers.conf');
    execFileSync('systemd-sysusers', [`--root=${root}`, file], { stdio: 'pipe' });
    const passwd = readFileSync(join(root, 'etc/passwd'), 'utf8');
    assert.match(passwd, /^gatehouse-notes:x:65532:65532:/m);
    assert.match(passwd, /^gatehouse-gateway:/m);
  });

  const noCompose = spawnSync('docker', ['compose', 'version']).status !== 0;
  const skip = noCompose && 'docker compose is not installed';
  test('compose.yaml', { skip }, () => {
    const names = { HOST_GATEWAY: 'g.test', HOST_NOTES: 'n.test', HOST_DECOYS: 'd.test' };
    const args = ['compose', '-f', join(ROOT, 'deploy/compose.yaml'), 'config', '--quiet'];
    const { status, stderr } = spawnSync('docker', args, { env: { ...process.env, ...names } });
    assert.equal(status, 0, String(stderr));
  });
});
