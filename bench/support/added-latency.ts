/**
 * What a call takes longer through the gateway, and through the bare forwarder, than straight to
 * the upstream. In each round the three get the same rate, half of what the gateway can do at that
 * moment, so that a change of the machine's speed falls on all of them alike.
 */
import { type Call, Load, median, percentile, WARM_UP_CALLS } from './measure.ts';

const ROUNDS = 7;
const ROUND_S = 4;
const SATURATING_CALLS = 10_000;
const CONNECTIONS = 64;

type Asked = readonly [url: string, call: Call];
type Row = [what: string, figure: string, budget: string];

/** Rows of what is measured, its figure and its budget. */
export async function addedLatency(
  asked: Record<'gateway' | 'forwarder' | 'upstream', Asked>,
): Promise<readonly Row[]> {
  const { gateway, forwarder, upstream } = asked;
  const loads = [gateway, forwarder, upstream].map(
    ([url, call]) => new Load(url, call, CONNECTIONS),
  );
  for (const load of loads) await load.saturate(WARM_UP_CALLS);
  const rounds: Float64Array[][] = [];
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const rate = (await loads[0]!.saturate(SATURATING_CALLS)) / 2;
    rates.push(rate);
    const latencies: Float64Array[] = [];
    for (const load of loads) latencies.push(await load.atRate(rate, Math.round(rate * ROUND_S)));
    rounds.push(latencies);
  }
  for (const load of loads) await load.close();
  const row = (name: string, share: number): Row => {
    const added = (server: number) =>
      rounds.map((all) => percentile(all[server]!, share) - percentile(all[2]!, share));
    const [ours, bare] = [median(added(0)), median(added(1))];
    return [
      `added latency at half of saturation, ${median(rates).toFixed(0)} calls/s, ${name}`,
      `${ours.toFixed(2)} ms, bare forwarder ${bare.toFixed(2)} ms (medians of ${ROUNDS} rounds)`,
      share === 0.99 ? 'at most 2 of the bare forwarder' : '',
    ];
  };
  return [row('p50', 0.5), row('p99', 0.99)];
}
