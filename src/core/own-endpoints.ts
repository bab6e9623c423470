/** Where a program itself is reached: what its network guard blocks. */
import { networkInterfaces } from 'node:os';
import type { OwnEndpoints } from './guard.ts';

export interface OpenEndpoints extends OwnEndpoints {
  /** Added once their ports are known. */
  readonly listeners: { readonly host: string | undefined; readonly port: number }[];
}

export function ownEndpoints(publicUrl: string): OpenEndpoints {
  const { hostname, port, protocol } = new URL(publicUrl);
  const publicPort = Number(port) || (protocol === 'https:' ? 443 : 80);
  const localAddresses = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .map(({ address }) => address);
  return { origins: [{ host: hostname, port: publicPort }], listeners: [], localAddresses };
}
