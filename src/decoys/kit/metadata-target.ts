/**
 * The cloud metadata service that a value refers to, if it does. Values are parsed as URLs, so that
 * decimal, hexadecimal, octal and full-width spellings, mapped IPv6 and trailing dots are recognised.
 */
import { type Address, canonicalHost, hostLiteral, isMetadata } from '../../core/net/address.ts';

export interface MetadataTarget {
  /** The canonical address, or the name from the list below. */
  readonly host: string;
  readonly isName: boolean;
  readonly port: number;
}

const NAMES = new Set(['metadata.google.internal', 'metadata.goog', 'metadata.azure.internal']);
/** Services whose names resolve to the address they contain. */
const WILDCARD =
  /^(?:.*[.-])?((?:[0-9]{1,3}[.-]){3}[0-9]{1,3}|[0-9a-f]{8})\.(?:nip|sslip|xip)\.io$/;
const MAX_LENGTH = 2_048;
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ftp:': 21 };

export function metadataTarget(value: string): MetadataTarget | undefined {
  if (value.length > MAX_LENGTH) return undefined;
  const url = readUrl(value.trim());
  const host = url && canonicalHost(url.hostname);
  if (!url || !host) return undefined;
  const port = Number(url.port) || (PORTS[url.protocol] ?? 80);
  if (NAMES.has(host)) return { host, isName: true, port };
  const address = hostLiteral(host) ?? wildcardAddress(host);
  return address && isMetadata(address) ? { host: address.text, isName: false, port } : undefined;
}

/** Also without a scheme, as in `169.254.169.254/latest` and `//169.254.169.254`. */
function readUrl(value: string): URL | undefined {
  for (const candidate of [value, `http://${value.replace(/^[/\\]+/, '')}`]) {
    if (!URL.canParse(candidate)) continue;
    const url = new URL(candidate);
    if (url.hostname !== '') return url;
  }
  return undefined;
}

function wildcardAddress(host: string): Address | undefined {
  const found = WILDCARD.exec(host)?.[1];
  if (found === undefined) return undefined;
  const isHex = /^[0-9a-f]{8}$/.test(found);
  return hostLiteral(isHex ? `0x${found}` : found.replaceAll('-', '.'));
}
