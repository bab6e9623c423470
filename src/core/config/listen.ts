/**
 * Reads a listen address: `:2019` (every interface), `host:2019` or `[::1]:2019`.
 *
 * Port 0 is accepted and lets the system choose.
 */
import { parseAddress } from '../net/address.ts';

export interface ListenAddress {
  /** Without brackets; `undefined` means every interface. */
  readonly host: string | undefined;
  readonly port: number;
}

export function parseListen(text: string): ListenAddress | undefined {
  const match = /^(?:\[([^\]]*)\]|([A-Za-z0-9._-]*)):([0-9]{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [, bracketed, plain, digits] = match;
  const port = Number(digits);
  if (port > 65535) return undefined;
  if (bracketed === undefined) return { host: plain || undefined, port };
  return bracketed.includes(':') && parseAddress(bracketed) ? { host: bracketed, port } : undefined;
}
