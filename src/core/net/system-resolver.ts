/**
 * The system's own resolver (hosts file, search domains and DNS), in the order it answers.
 *
 * The attack: a name that never answers, asked for again and again. A lookup cannot be cancelled
 * and holds one of the few threads that everybody's lookups need. The defence: while a name is
 * looked up, every other caller that asks for it waits for the same answer.
 */
import { lookup } from 'node:dns/promises';
import type { Resolver } from './guard.ts';

export const systemResolver: Resolver = sharing(async (host) => {
  const answers = await lookup(host, { all: true, order: 'verbatim' });
  return answers.map(({ address }) => address);
});

/** What was answered is not kept: the next to ask repeats the lookup. */
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
