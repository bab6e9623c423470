/**
 * The resolver of the system (hosts file, search domains and DNS), in the order of its answers.
 *
 * Prevents denial of service by repeated lookups of a name that stalls (CWE-400): concurrent callers
 * share one lookup, which holds one of the few threads for lookups and cannot be cancelled.
 */
import { lookup } from 'node:dns/promises';
import type { Resolver } from './guard.ts';

export const systemResolver: Resolver = sharing(async (host) => {
  const answers = await lookup(host, { all: true, order: 'verbatim' });
  return answers.map(({ address }) => address);
});

/** Shares concurrent lookups of one name. Answers are not cached. */
export function sharing(resolve: (host: string) => Promise<readonly string[]>): Resolver {
  const underWay = new Map<string, Promise<readonly string[]>>();
  return (host) => {
    const known = underWay.get(host);
    if (known) return known;
    const answers = resolve(host).finally(() => underWay.delete(host));
    underWay.set(host, answers);
    return answers;
  };
}
