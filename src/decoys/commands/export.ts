/** `decoys export`: the sources of event lines that may be blocked, for other programs. */
import type { CommandOutput } from '../../core/command-line/output.ts';
import { parseLifetime } from '../../core/config/duration.ts';
import { type Environment, EnvironmentReader } from '../../core/config/environment.ts';
import { formatProblem, quote } from '../../core/config/problems.ts';
import { type Cidr, classify, parseAddress, parseCidr } from '../../core/net/address.ts';
import { LogError } from '../../core/report/log-files.ts';
import { parseSince, SINCE_FORM } from '../../core/report/since.ts';
import type { FormatName } from '../blocklist/format-names.ts';
import { FORMATS } from '../blocklist/formats.ts';
import { type Blocked, type BlockRules, SourceCollector } from '../blocklist/sources.ts';
import { malformedLines, readEventLines } from '../event-log/event-lines.ts';

const DEFAULT_MIN_HITS = 3;
const DEFAULT_VALID_MS = 24 * 3_600_000;

export interface ExportFlags {
  readonly format: string;
  readonly since: string | undefined;
  readonly 'min-hits': string | undefined;
  readonly allow: readonly string[];
}

export async function exportSources(
  files: readonly string[],
  flags: ExportFlags,
  env: Environment,
  output: CommandOutput,
): Promise<number> {
  const rules = rulesOf(flags, env);
  if ('message' in rules) {
    output.err(rules.message);
    return 2;
  }
  const collector = new SourceCollector(rules);
  const skipped = { other: 0, malformed: 0 };
  try {
    for await (const line of readEventLines(files, skipped)) collector.add(line);
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    output.err(`the event lines cannot be read: ${error.message}`);
    return 1;
  }
  const blocked = collector.result();
  output.write(FORMATS[flags.format as FormatName](blocked.sources, validMs(flags)));
  tell(blocked, output);
  if (skipped.malformed > 0) output.err(malformedLines(skipped.malformed));
  return 0;
}

function rulesOf(flags: ExportFlags, env: Environment): BlockRules | { readonly message: string } {
  const { since, 'min-hits': minHits = String(DEFAULT_MIN_HITS), allow } = flags;
  const sinceMs = since === undefined ? undefined : parseSince(since, Date.now());
  if (since !== undefined && sinceMs === undefined) return { message: `--since is ${SINCE_FORM}` };
  if (!/^[1-9]\d{0,5}$/.test(minHits))
    return { message: '--min-hits is a number from 1 to 999999' };
  const networks: Cidr[] = [];
  for (const text of allow.flatMap((each) => each.split(','))) {
    const network = parseCidr(text.trim());
    if (!network) return { message: `--allow: ${quote(text)} is not a network such as 10.0.0.0/8` };
    networks.push(network);
  }
  const reader = new EnvironmentReader(env);
  const proxies = reader.proxies('DECOYS_TRUSTED_PROXIES');
  const [problem] = reader.problems;
  if (problem) return { message: formatProblem(problem) };
  return { sinceMs, minHits: Number(minHits), allow: [...networks, ...proxies] };
}

/** As long as the period of `--since`. */
function validMs({ since = '' }: ExportFlags): number {
  const days = /^(\d{1,4})d$/.exec(since)?.[1];
  return days === undefined
    ? (parseLifetime(since) ?? DEFAULT_VALID_MS)
    : Number(days) * 86_400_000;
}

function tell({ sources, spared, crossSite, leftOut }: Blocked, output: CommandOutput): void {
  const own = sources.filter(({ address }) => {
    return classify(parseAddress(address.split('/')[0]!)!) !== 'public';
  }).length;
  if (own > 0) {
    const advice = 'behind a proxy, name it in DECOYS_TRUSTED_PROXIES before you block anyone';
    output.err(`${own} of ${sources.length} addresses are not public; ${advice}`);
  }
  const left: readonly (readonly [count: number, why: string])[] = [
    [spared.allowed, 'in an allowed network or of this machine'],
    [spared.signedIn, 'somebody signed in from there'],
  ];
  for (const [count, why] of left) {
    if (count > 0) output.err(`${sourcesText(count)} left out: ${why}`);
  }
  if (crossSite > 0) {
    output.err(
      `${crossSite} ${crossSite === 1 ? 'hit' : 'hits'} not counted: another site sent them`,
    );
  }
  if (leftOut > 0)
    output.err(`${sourcesText(leftOut)} with few hits forgotten: there were too many`);
}

function sourcesText(count: number): string {
  return `${count} ${count === 1 ? 'source' : 'sources'}`;
}
