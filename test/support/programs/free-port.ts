/**
 * Ports for programs that must be told theirs. They lie below the range from which Linux draws the
 * ports of clients and of servers that ask for port 0, so that none of those takes one of them before
 * the program listens, and above the ports to which `fetch` does not connect.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';

interface PortRange {
  readonly first: number;
  readonly end: number;
}

const BELOW_EPHEMERAL: PortRange = { first: 10_100, end: 32_000 };

export async function freePort(): Promise<number> {
  return freePorts(1);
}

/** The first of `count` neighbours that are free. */
export async function freePorts(count: number, range = BELOW_EPHEMERAL): Promise<number> {
  for (;;) {
    const first = range.first + Math.floor(Math.random() * (range.end - range.first));
    const servers = Array.from({ length: count }, (_, offset) =>
      createServer().listen(first + offset, '127.0.0.1'),
    );
    const outcomes = await Promise.allSettled(servers.map((server) => once(server, 'listening')));
    const listening = servers.filter((_, place) => outcomes[place]!.status === 'fulfilled');
    await Promise.all(listening.map((server) => once(server.close(), 'close')));
    if (listening.length === count) return first;
  }
}
