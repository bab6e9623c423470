/** What compose.yaml promises: one open port, hardened services, metrics and secrets inside. */
import { parse } from 'yaml';
import { Findings, PORTS, PROGRAMS, same } from './names.ts';

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the rules look at.
type Any = any;

export function composeProblems(text: string): string[] {
  const found = new Findings();
  const { services, networks, secrets }: Any = parse(text, { merge: true });
  found.check(same(Object.keys(services).sort(), ['caddy', ...PROGRAMS].sort()), 'other services');
  const published = Object.values<Any>(services).flatMap(({ ports = [] }) => ports);
  found.check(same(published, ['443:443']), `published: ${published}`);
  for (const [name, service] of Object.entries<Any>(services)) {
    const rule = (isSo: boolean, what: string) => found.check(isSo, `${name}: ${what}`);
    rule(same(service.cap_drop, ['ALL']), 'keeps capabilities');
    rule(same(service.security_opt, ['no-new-privileges:true']), 'may gain privileges');
    rule(!service.privileged && !service.network_mode && !service.pid, 'shares with the host');
    rule(service.restart === 'unless-stopped', 'is not restarted');
    rule(service.healthcheck?.test?.[0] === 'CMD', 'has no health check without a shell');
    rule((service.read_only === true) === (name !== 'notes'), 'read_only is wrong');
    const mounts: string[] = service.volumes ?? [];
    rule(!mounts.some((mount) => mount.includes('docker.sock')), 'has the socket of Docker');
    const own = mounts.filter((mount) => mount.startsWith('.'));
    rule(
      own.every((mount) => mount.endsWith(':ro')),
      'writes into the checkout',
    );
    for (const network of service.networks) rule(network in networks, `${network} is missing`);
    const granted: string[] = service.secrets ?? [];
    for (const secret of granted) rule(secret in secrets, `${secret} is missing`);
    const used = JSON.stringify(service.environment ?? {}).matchAll(/file:\/run\/secrets\/(\w+)/g);
    for (const [, secret] of used) rule(granted.includes(secret!), `is not granted ${secret}`);
    for (const [key, value] of Object.entries(service.environment ?? {})) {
      const isSecret = /_(KEY|PASSWORD|TOKEN)$/.test(key);
      rule(!isSecret || String(value).startsWith('file:/run/secrets/'), `${key} is in it`);
    }
  }
  for (const program of PROGRAMS) {
    const service = services[program];
    const rule = (isSo: boolean, what: string) => found.check(isSo, `${program}: ${what}`);
    rule(service?.user === '65532:65532', 'is not 65532');
    rule(service?.cap_add === undefined, 'adds capabilities');
    // Docker kills after 10 s unless told otherwise: just when the running calls are cut.
    const graceS = Number.parseInt(service?.stop_grace_period ?? '10s', 10);
    rule(program === 'decoys' || graceS >= 20, 'is killed before it has written its last lines');
    rule(service?.build?.target === program, 'is built from another target');
    const port = String(service?.healthcheck?.test?.at(-1)).includes(String(PORTS[program]));
    rule(port, 'its health check asks another port');
    const upstream = services.caddy.environment[`UPSTREAM_${program.toUpperCase()}`];
    rule(upstream === `${program}:${PORTS[program]}`, `Caddy asks ${upstream}`);
    rule(services.caddy.depends_on?.[program]?.condition === 'service_healthy', 'is not awaited');
    // Caddy and the program meet on a separate network.
    const inner = `to-${program}`;
    const members = Object.keys(services).filter((name) => services[name].networks.includes(inner));
    rule(same(members.sort(), ['caddy', program].sort()), `${inner} has ${members}`);
    rule(networks[inner]?.internal === true, `${inner} leads outside`);
  }
  found.check(same(services.caddy.cap_add, ['NET_BIND_SERVICE']), 'caddy: other capabilities');
  found.check(!services.caddy.networks.includes('metrics'), 'caddy can reach the metrics');
  found.check(networks.metrics?.internal === true, 'the metrics lead outside');
  found.check(same(services.decoys.networks, ['to-decoys']), 'the decoys can call somebody');
  found.check(services.notes.environment.NOTES_METRICS_LISTEN === ':9090', 'metrics are public');
  for (const program of ['notes', 'decoys'] as const) {
    const trusted = services[program].environment[`${program.toUpperCase()}_TRUSTED_PROXIES`];
    const [{ subnet }] = networks[`to-${program}`].ipam.config;
    found.check(trusted === subnet, `${program} trusts ${trusted}, Caddy comes from ${subnet}`);
  }
  return found.list;
}
