/** What kubernetes.yaml promises: restricted pods, probes, one writer of the notes, closed nets. */
import { parseAllDocuments } from 'yaml';
import { Findings, IDLE_SECONDS, PORTS, PROGRAMS, same } from './names.ts';

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the rules look at.
type Any = any;

export function manifestsOf(text: string): Any[] {
  // Read as YAML 1.1, as kubectl does.
  return parseAllDocuments(text, { version: '1.1' }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
}

export function kubernetesProblems(text: string): string[] {
  const found = new Findings();
  const manifests = manifestsOf(text);
  const all = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
  const one = (kind: string, name: string) =>
    all(kind).find((manifest) => manifest.metadata.name === name);

  const labels = all('Namespace')[0].metadata.labels;
  found.check(labels['pod-security.kubernetes.io/enforce'] === 'restricted', 'not restricted');
  for (const { kind, metadata } of manifests) {
    const isInside = kind === 'Namespace' || metadata.namespace === 'gatehouse';
    found.check(isInside, `${kind} ${metadata.name} is in another namespace`);
    found.check(kind !== 'Secret', 'a secret is in the file');
  }
  for (const program of PROGRAMS) {
    const rule = (isSo: boolean, what: string) => found.check(isSo, `${program}: ${what}`);
    const { spec } = one('Deployment', program);
    const pod = spec.template.spec;
    const [container] = pod.containers;
    const { runAsNonRoot, runAsUser, runAsGroup, fsGroup, seccompProfile } = pod.securityContext;
    rule(runAsNonRoot === true, 'may run as root');
    rule(
      [runAsUser, runAsGroup, fsGroup].every((id) => id === 65532),
      'is not 65532',
    );
    rule(seccompProfile.type === 'RuntimeDefault', 'has no seccomp profile');
    rule(!pod.hostNetwork && !pod.hostPID && !pod.hostIPC, 'shares with the host');
    rule(pod.automountServiceAccountToken === false, 'has a token of the cluster');
    const { securityContext: context } = container;
    rule(context.allowPrivilegeEscalation === false && !context.privileged, 'may gain privileges');
    rule(same(context.capabilities, { drop: ['ALL'] }), 'keeps capabilities');
    rule(context.readOnlyRootFilesystem === (program !== 'notes'), 'its root is wrong');
    rule(/:\d+\.\d+\.\d+$/.test(container.image), 'its image has no version');
    rule(container.ports[0].containerPort === PORTS[program], 'listens elsewhere');
    for (const name of ['readinessProbe', 'livenessProbe']) {
      const { httpGet, tcpSocket } = container[name] ?? {};
      const isRight = program === 'decoys' ? tcpSocket : httpGet?.path === '/healthz';
      rule(Boolean(isRight) && (httpGet ?? tcpSocket).port === 'http', `its ${name} is wrong`);
    }
    rule(container.resources?.limits?.memory !== undefined, 'has no bound on its memory');
    const volumes = pod.volumes.map(({ name }: Any) => name).sort();
    rule(same(container.volumeMounts.map(({ name }: Any) => name).sort(), volumes), 'its volumes');
    for (const { name, value } of container.env ?? []) {
      rule(!/_(KEY|PASSWORD|TOKEN)$/.test(name) || /^file:/.test(value), `${name} is in it`);
    }
    const service = one('Service', program)?.spec;
    rule(same(service?.selector, spec.template.metadata.labels), 'its service finds no pod');
    rule(
      same(
        service?.ports.map(({ port }: Any) => port),
        [PORTS[program]],
      ),
      'its ports',
    );
  }
  for (const program of ['gateway', 'notes']) {
    const { replicas, strategy } = one('Deployment', program).spec;
    found.check(replicas === 1 && strategy?.type === 'Recreate', `${program} may run twice`);
  }
  const claims = all('PersistentVolumeClaim').map(({ metadata }) => metadata.name);
  const [data] = one('Deployment', 'notes').spec.template.spec.volumes;
  found.check(claims.includes(data.persistentVolumeClaim?.claimName), 'the notes are not kept');

  const { annotations } = all('Ingress')[0].metadata;
  for (const [name, value] of Object.entries<string>(annotations)) {
    const isLong = !name.endsWith('-timeout') || secondsOf(value) > IDLE_SECONDS;
    found.check(isLong, `${name} is ${value}`);
    found.check(!name.endsWith('-buffering') || /^(false|off)$/i.test(value), `${name}: ${value}`);
  }
  const timeouts = Object.keys(annotations).filter((name) => /(read|send)-timeout$/.test(name));
  found.check(timeouts.length === 4, 'a controller has no time-outs');
  const { rules, tls } = all('Ingress')[0].spec;
  found.check(
    same(
      tls[0].hosts,
      rules.map(({ host }: Any) => host),
    ),
    'a host has no TLS',
  );

  const policies = all('NetworkPolicy').map(({ spec }) => spec);
  const closed = policies.some(
    ({ podSelector, policyTypes, ingress, egress }) =>
      same(podSelector, {}) && policyTypes.length === 2 && !ingress && !egress,
  );
  found.check(closed, 'what no policy names is open');
  const callers = policies.filter(({ egress }) => egress);
  const decoysCall = callers.some(
    ({ podSelector }) => !isOnlyFor(podSelector, ['gateway', 'notes']),
  );
  found.check(!decoysCall, 'the decoys can call somebody');
  const blocks = callers.flatMap(({ egress }) => egress).flatMap(({ to }: Any) => to);
  const [internet] = blocks.flatMap(({ ipBlock }: Any) => ipBlock ?? []);
  for (const range of ['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16']) {
    found.check(internet?.except?.includes(range), `${range} can be reached`);
  }
  return found.list;
}

const isOnlyFor = (selector: Any, apps: readonly string[]) =>
  same(selector.matchExpressions, [{ key: 'app', operator: 'In', values: apps }]);

/** `1h`, `60s` or plain seconds. */
export function secondsOf(text: string): number {
  const [, digits, unit = 's'] = /^(\d+)([smh])?$/.exec(text) ?? [];
  return Number(digits) * { s: 1, m: 60, h: 3600 }[unit as 's' | 'm' | 'h'];
}
