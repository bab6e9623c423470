/** What the units of systemd promise. */
import { Findings, PORTS, type Program } from './names.ts';

/** The values of each key of a unit, in order. */
export function valuesOf(text: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [, key, value] of text.matchAll(/^(\w+)=(.*)$/gm)) {
    values.set(key!, [...(values.get(key!) ?? []), value!]);
  }
  return values;
}

const YES = [
  ...['ProtectHome', 'PrivateTmp', 'PrivateDevices', 'ProtectClock', 'ProtectHostname'],
  ...['ProtectKernelLogs', 'ProtectKernelModules', 'ProtectKernelTunables'],
  ...['ProtectControlGroups', 'NoNewPrivileges', 'LockPersonality', 'RestrictNamespaces'],
  ...['RestrictRealtime', 'RestrictSUIDSGID'],
];

export function unitProblems(program: Program, text: string): string[] {
  const found = new Findings();
  const values = valuesOf(text);
  const is = (key: string, ...wanted: string[]) =>
    found.check(
      (values.get(key) ?? []).join('\n') === wanted.join('\n'),
      `${key} is ${values.get(key)}, not ${wanted}`,
    );
  for (const key of YES) is(key, 'yes');
  is('ExecStart', `/usr/bin/node /opt/gatehouse/dist/bin/${program}.js`);
  is('ProtectSystem', 'strict');
  is('CapabilityBoundingSet', '');
  is('AmbientCapabilities', '');
  is('SystemCallArchitectures', 'native');
  is('SystemCallFilter', '@system-service', '~@privileged @resources @keyring');
  // Node ends with SIGTRAP where this is on.
  is('MemoryDenyWriteExecute', 'no');
  is('Restart', 'on-failure');
  is('WantedBy', 'multi-user.target');
  if (program === 'decoys') {
    is('DynamicUser', 'yes');
    is('IPAddressDeny', 'any');
    is('IPAddressAllow', 'localhost');
  } else is('User', `gatehouse-${program}`);
  is('ReadWritePaths', ...(program === 'notes' ? ['/var/lib/gatehouse-notes'] : []));
  is('StateDirectoryMode', ...(program === 'notes' ? ['0700'] : []));

  const environment = values.get('Environment')?.join(' ') ?? '';
  const listen = `${program.toUpperCase()}_LISTEN=127.0.0.1:${PORTS[program]}`;
  found.check(environment.split(' ').includes(listen), 'listens where others can reach it');
  const credentials = values.get('LoadCredential')?.map((entry) => entry.split(':')[0]) ?? [];
  found.check(credentials.length > 0, 'loads no credential');
  for (const [, name] of environment.matchAll(/file:%d\/(\w+)/g)) {
    found.check(credentials.includes(name), `the credential ${name} is not loaded`);
  }
  for (const [, key, value] of environment.matchAll(/(\w+_(?:KEY|PASSWORD|TOKEN))=(\S+)/g)) {
    found.check(value!.startsWith('file:%d/'), `${key} is in the unit`);
  }
  return found.list;
}
