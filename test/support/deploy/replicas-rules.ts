/** What the files for three replicas promise: a store that keeps its data, and no secret in a file. */
import { parse } from 'yaml';
import { manifestsOf } from './kubernetes-rules.ts';
import { Findings, same } from './names.ts';

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the rules look at.
type Any = any;

export function composeReplicasProblems(text: string): string[] {
  const found = new Findings();
  const { services, networks, secrets }: Any = parse(text);
  const { gateway, store } = services;
  found.check(gateway.deploy.replicas === 3, 'not three replicas');
  found.check(gateway.depends_on.store.condition === 'service_healthy', 'the store is not awaited');
  for (const name of ['GATEWAY_STORE', 'GATEWAY_SEAL_KEY']) {
    const [, secret] = /^file:\/run\/secrets\/(.+)$/.exec(gateway.environment[name]) ?? [];
    found.check(secret !== undefined && gateway.secrets.includes(secret), `${name} is not granted`);
    found.check(secret !== undefined && secret in secrets, `${name} is missing`);
  }
  found.check(same(store.networks, ['to-store']), 'the store is reachable from elsewhere');
  found.check(networks['to-store'].internal === true && !store.ports, 'the store leads outside');
  found.check(
    same(store.cap_drop, ['ALL']) && store.read_only === true,
    'the store is not hardened',
  );
  found.check(store.user === '999:999', 'the store runs as root');
  keepsItsData(store.command, found);
  return found.list;
}

export function kubernetesReplicasProblems(text: string): string[] {
  const found = new Findings();
  const manifests = manifestsOf(text);
  const one = (kind: string, name: string) =>
    manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  const { spec } = one('Deployment', 'gateway');
  const [container] = spec.template.spec.containers;
  found.check(spec.replicas === 3, 'not three replicas');
  found.check(spec.strategy.rollingUpdate?.maxUnavailable === 0, 'a rollout takes one away');
  found.check(container.readinessProbe.httpGet.path === '/readyz', 'ready without the store');
  found.check(container.livenessProbe.httpGet.path === '/healthz', 'restarted for its store');
  found.check(one('PodDisruptionBudget', 'gateway').spec.minAvailable === 2, 'all may be drained');
  found.check(spec.template.spec.terminationGracePeriodSeconds >= 20, 'killed too early');
  for (const { name, value } of container.env) {
    found.check(value.startsWith('file:/run/secrets/gatehouse/'), `${name} is in it`);
  }
  const pods = [spec, one('StatefulSet', 'store').spec].map(({ template }) => template.spec);
  for (const pod of pods) {
    const { securityContext: context, resources } = pod.containers[0];
    found.check(pod.securityContext.runAsNonRoot === true, 'may run as root');
    found.check(context.readOnlyRootFilesystem === true, 'its root can be written');
    found.check(same(context.capabilities, { drop: ['ALL'] }), 'keeps capabilities');
    found.check(resources.limits.memory !== undefined, 'has no bound on its memory');
    found.check(pod.automountServiceAccountToken === false, 'has a token of the cluster');
  }
  const [from] = one('NetworkPolicy', 'store').spec.ingress[0].from;
  found.check(from.podSelector.matchLabels.app === 'gateway', 'others reach the store');
  keepsItsData(pods[1].containers[0].args.join(' '), found);
  return found.list;
}

function keepsItsData(command: string, found: Findings): void {
  found.check(command.includes('--appendonly yes'), 'the store keeps nothing');
  found.check(command.includes('--maxmemory-policy noeviction'), 'the store forgets when full');
}
