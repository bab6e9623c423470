/**
 * `decoys export --format stix|ips [file]`: the sources of the event lines, for other programs:
 * plain addresses, one a line, or a STIX 2.1 bundle.
 */

import type { CommandOutput } from '../../core/command-line/output.ts';
import { classify, parseAddress } from '../../core/net/address.ts';
import type { Skipped } from '../../core/report/json-lines.ts';
import { logFailure } from '../../core/report/json-lines.ts';
import { malformedLines, readEventLines } from './event-lines.ts';
import { type Source, stixBundle } from './stix.ts';

export async function exportEvents(
  file: string | undefined,
  format: string,
  output: CommandOutput,
): Promise<number> {
  let sources: Source[];
  const skipped = { other: 0, malformed: 0 };
  try {
    sources = await readSources(file, skipped);
  } catch (error) {
    output.err(`the event lines cannot be read: ${logFailure(file, error)}`);
    return 1;
  }
  output.write(format === 'stix' ? bundle(sources) : addresses(sources));
  const own = sources.filter(({ address }) => classify(parseAddress(address)!) !== 'public').length;
  if (own > 0) {
    const advice = 'behind a proxy, name it in DECOYS_TRUSTED_PROXIES before you block anyone';
    output.err(`${own} of ${sources.length} addresses are not public; ${advice}`);
  }
  if (skipped.malformed > 0) output.err(malformedLines(skipped.malformed));
  return 0;
}

async function readSources(file: string | undefined, skipped: Skipped): Promise<Source[]> {
  const byAddress = new Map<string, Source>();
  for await (const line of readEventLines(file, skipped)) {
    const address = parseAddress(line.text('source.ip'));
    if (line.event === 'events_left_out' || address === undefined) continue;
    const { timeMs } = line;
    let source = byAddress.get(address.text);
    if (source === undefined) {
      const { text, family } = address;
      source = { address: text, family, hits: 0, firstMs: timeMs, lastMs: timeMs, tags: new Set() };
      byAddress.set(text, source);
    }
    source.hits++;
    source.firstMs = Math.min(source.firstMs, timeMs);
    source.lastMs = Math.max(source.lastMs, timeMs);
    source.tags.add(line.event === 'honeytoken_used' ? 'honeytoken-used' : line.text('tag'));
  }
  return [...byAddress.values()].sort((a, b) => (a.address < b.address ? -1 : 1));
}

function addresses(sources: readonly Source[]): string {
  return sources.map(({ address }) => `${address}\n`).join('');
}

function bundle(sources: readonly Source[]): string {
  return `${JSON.stringify(stixBundle(sources), null, 2)}\n`;
}
