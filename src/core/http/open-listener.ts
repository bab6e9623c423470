/** Starts to listen and returns the port; a failure is explained with what to do. */
import type { Server } from 'node:net';
import type { Listen } from '../config/environment.ts';
import { describeError } from '../log/log.ts';

type Start = (at: { readonly host: string; readonly port: number }) => Promise<unknown>;

export async function openListener(
  server: Server,
  { host, port, text }: Listen,
  start: Start,
): Promise<number> {
  try {
    await startAt(host, port, start);
  } catch (error) {
    const taken = (error as { code?: unknown }).code === 'EADDRINUSE';
    const reason = taken ? 'the address is in use by another process' : describeError(error);
    throw new Error(`cannot listen on ${text}: ${reason}`);
  }
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}

/** All interfaces are `::`, which includes IPv4, or `0.0.0.0` on a machine without IPv6. */
async function startAt(host: string | undefined, port: number, start: Start): Promise<void> {
  try {
    await start({ host: host ?? '::', port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const hasNoIpv6 = code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL';
    if (host !== undefined || !hasNoIpv6) throw error;
    await start({ host: '0.0.0.0', port });
  }
}
