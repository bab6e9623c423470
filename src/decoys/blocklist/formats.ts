/**
 * Blocklists for other programs. Prevents injection from log lines into a firewall (CWE-74): every
 * address in it was parsed and serialized again.
 */
import type { FormatName } from './format-names.ts';
import { type Source, stixBundle } from './stix.ts';

const NAME = 'gatehouse-decoys';
const TABLE = 'gatehouse_decoys';
const REASON = 'requests to decoys';
const FAMILIES = [4, 6] as const;

type Format = (sources: readonly Source[], validMs: number) => string;

export const FORMATS: Readonly<Record<FormatName, Format>> = {
  nftables,
  ipset,
  fail2ban: (sources) => sources.map(fail2banLine).join(''),
  crowdsec: (sources, validMs) => json(sources.map((source) => crowdsecDecision(source, validMs))),
  nginx: (sources) => sources.map(({ address }) => `deny ${address};\n`).join(''),
  plain,
  stix: (sources, validMs) => json(stixBundle(sources, validMs)),
  ips: plain,
};

function plain(sources: readonly Source[]): string {
  return sources.map(({ address }) => `${address}\n`).join('');
}

/** Replaces our own table in one transaction. */
function nftables(sources: readonly Source[]): string {
  const sets = FAMILIES.map((family) => {
    const addresses = ofFamily(sources, family);
    const elements =
      addresses.length === 0
        ? ''
        : `\n    elements = {\n      ${addresses.join(',\n      ')}\n    }`;
    return `  set blocked${family} {
    type ipv${family}_addr
    flags interval${elements}
  }
`;
  });
  return `table inet ${TABLE}
delete table inet ${TABLE}
table inet ${TABLE} {
${sets.join('')}  chain prerouting {
    type filter hook prerouting priority raw; policy accept;
    ip saddr @blocked4 drop
    ip6 saddr @blocked6 drop
  }
}
`;
}

/** For `ipset restore`: a new set is filled and then swapped with the old one. */
function ipset(sources: readonly Source[]): string {
  return FAMILIES.map((family) => {
    const name = `${NAME}${family}`;
    const addresses = ofFamily(sources, family);
    const options = `hash:net family ${family === 4 ? 'inet' : 'inet6'} maxelem 262144`;
    return [
      `create ${name} ${options} -exist`,
      `create ${name}-new ${options} -exist`,
      `flush ${name}-new`,
      ...addresses.map((address) => `add ${name}-new ${address} -exist`),
      `swap ${name} ${name}-new`,
      `destroy ${name}-new`,
      '',
    ].join('\n');
  }).join('');
}

/** A line of a log, for the filter in deploy/fail2ban: fail2ban reads nothing else. */
function fail2banLine({ address, hits, lastMs }: Source): string {
  return `${new Date(lastMs).toISOString()} ${NAME}: block ${address}, hits ${hits}\n`;
}

function crowdsecDecision({ address, family }: Source, validMs: number): object {
  return {
    duration: `${Math.round(validMs / 1_000)}s`,
    reason: REASON,
    scope: family === 4 ? 'Ip' : 'Range',
    type: 'ban',
    value: address,
  };
}

function ofFamily(sources: readonly Source[], wanted: 4 | 6): string[] {
  return sources.filter(({ family }) => family === wanted).map(({ address }) => address);
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
