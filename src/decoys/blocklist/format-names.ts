/** The formats of `decoys export`; apart from their code, which help does not need. */
export const FORMAT_NAMES = [
  'nftables',
  'ipset',
  'fail2ban',
  'crowdsec',
  'nginx',
  'plain',
  'stix',
  /** The former name of `plain`. */
  'ips',
] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];
