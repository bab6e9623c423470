/** Starts to listen and gives the port; what stands in the way is said in our own words. */
import type { Server } from 'node:net';
import type { Listen } from './environment.ts';
import { describeError } from './log.ts';

export async function openListener(
  server: Server,
  { host, port, text }: Listen,
  start: (at: { host: string; port: number }) => Promise<unknown>,
): Promise<number> {
  try {
    await start({ host: host ?? '::', port });
  } catch (error) {
    const taken = (error as { code?: unknown }).code === 'EADDRINUSE';
    const reason = taken ? 'the address is in use by another process' : describeError(error);
    throw new Error(`cannot listen on ${text}: ${reason}`);
  }
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}
