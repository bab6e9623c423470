/**
 * What a call takes longer than one straight to the upstream, through us and through the bare
 * forwarder: what the forwarder adds is the second hop and the machine itself, where three
 * processes share the processors. The three take turns at half of what we can do, which is measured
 * anew for each turn: on a machine that has become slower meanwhile, half of what it could do
 * before may be all it can. The rounds of a turn have no pause between them: a server that was idle
 * for some seconds has lost its optimised code. Rounds in which the host gave the processors to
 * another machine are left out, where there are others. The best rounds are compared with one
 * another, and so are the medians of the rounds.
 *
 * Two more things tell what a machine can show at all: how often it pauses by itself, and what the
 * forwarder takes under the rule that is ours, half of its own saturation.
 */
import { best, type Call, median, percentile, WARM_UP_CALLS } from './measure.ts';
import { PacedLoad, type Round } from './paced-load.ts';
import { pausesOfMachine } from './pauses.ts';

const TURNS = 2;
const TURN_ROUNDS = 7;
const RATE_CALLS = 20_000;
/** The slowest hundredth of the calls of a round fits into so long. */
const MAX_STOLEN_MS = 20;

type Asked = readonly [url: string, call: Call];
type Row = [what: string, figure: string, budget: string];

/** A server under calls at an even pace, and what was measured of it. */
class Paced {
  readonly rates: number[] = [];
  readonly #load: PacedLoad;
  readonly #rounds: Round[] = [];

  constructor([url, call]: Asked) {
    this.#load = new PacedLoad(url, call);
  }

  /** Without a rate, at half of what the server can do at this moment. */
  async turn(rate?: number): Promise<number> {
    await this.#load.saturate(WARM_UP_CALLS);
    const at = rate ?? (await this.#load.saturate(RATE_CALLS)) / 2;
    this.rates.push(at);
    this.#rounds.push(...(await this.#load.atRate(at, TURN_ROUNDS)));
    return at;
  }

  /** Of each round that counts. */
  percentiles(share: number): readonly number[] {
    return this.#undisturbed().map(({ latencies }) => percentile(latencies, share));
  }

  counted(): string {
    return `in ${this.#undisturbed().length} of ${this.#rounds.length} rounds`;
  }

  close(): void {
    this.#load.close();
  }

  #undisturbed(): readonly Round[] {
    const own = this.#rounds.filter(({ stolenMs }) => stolenMs <= MAX_STOLEN_MS);
    return own.length > 0 ? own : this.#rounds;
  }
}

/** Rows of what is measured, its figure and its budget. */
export async function addedLatency(
  asked: Record<'gateway' | 'forwarder' | 'upstream', Asked>,
): Promise<readonly Row[]> {
  const ours = new Paced(asked.gateway);
  const straight = new Paced(asked.upstream);
  const bare = new Paced(asked.forwarder);
  const bareAtItsOwn = new Paced(asked.forwarder);
  const pausesBefore = await pausesOfMachine();
  for (let turn = 0; turn < TURNS; turn++) {
    const rate = await ours.turn();
    await straight.turn(rate);
    await bare.turn(rate);
    await bareAtItsOwn.turn();
  }
  for (const server of [ours, straight, bare, bareAtItsOwn]) server.close();
  const added = (share: number): string => {
    const of = (server: Paced): string => {
      const ms = inBoth(
        (pick) => pick(server.percentiles(share)) - pick(straight.percentiles(share)),
      );
      return `${ms} ms ${server.counted()}`;
    };
    const beside = inBoth((pick) => pick(straight.percentiles(share)));
    return `${of(ours)}, bare forwarder ${of(bare)}, straight ${beside} ms (best / median)`;
  };
  const itsOwn = inBoth((pick) => pick(bareAtItsOwn.percentiles(0.99)));
  return [
    [`added latency at ${span(ours)}, p50`, added(0.5), 'under 1 ms'],
    [`added latency at ${span(ours)}, p99`, added(0.99), 'under 3 ms'],
    [
      `p99 of the bare forwarder at half of its own saturation, ${span(bareAtItsOwn)}`,
      `${itsOwn} ms ${bareAtItsOwn.counted()} (best / median)`,
      '',
    ],
    ['pauses of the machine over 1 ms, before the latency', pausesBefore, ''],
    ['pauses of the machine over 1 ms, after it', await pausesOfMachine(), ''],
  ];
}

function inBoth(figure: (pick: (values: readonly number[]) => number) => number): string {
  return [best, median].map((pick) => figure(pick).toFixed(2)).join(' / ');
}

function span({ rates }: Paced): string {
  return `${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)} calls/s`;
}
