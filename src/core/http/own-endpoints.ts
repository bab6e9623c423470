/** The addresses of the program itself, which the network guard blocks. */
import { networkInterfaces } from 'node:os';
import type { OwnEndpoints } from '../net/guard.ts';

export interface OpenEndpoints extends OwnEndpoints {
  /** Added when their ports are known. */
  readonly listeners: { readonly host: string | undefined; readonly port: number }[];
}

export function ownEndpoints(publicUrl: string): OpenEndpoints {
  const { hostname, port, protocol } = new URL(publicUrl);
  const publicPort = Number(port) || (protocol === 'https:' ? 443 : 80);
  return {
    origins: [{ host: hostname, port: publicPort }],
    listeners: [],
    get localAddresses() {
      return currentAddresses();
    },
  };
}

/** A cache: addresses change with networks, and asking the system is slow. */
const ASKED_EVERY_MS = 5_000;
let asked: { readonly atMs: number; readonly addresses: readonly string[] } | undefined;

function currentAddresses(): readonly string[] {
  const nowMs = performance.now();
  if (!asked || nowMs - asked.atMs > ASKED_EVERY_MS) {
    const entries = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
    asked = { atMs: nowMs, addresses: entries.map(({ address }) => address) };
  }
  return asked.addresses;
}
