/**
 * Metrics of the event lines of decoys. Labels have a fixed set of values: text of strangers, such as the
 * name of a header, would create an unbounded number of series.
 */
import type { Counter } from 'prom-client';
import type { Fields } from '../log/log.ts';

const PLACES = ['url', 'header', 'basic', 'cookie', 'body', 'trailer'];

interface Countable {
  counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L>;
  count(counting: (event: string, fields: Fields) => void): void;
}

export function countDecoys(metrics: Countable): void {
  const hits = metrics.counter('gatehouse_decoy_hits_total', 'Answers of decoys, by tag.', ['tag']);
  const uses = metrics.counter(
    'gatehouse_honeytoken_uses_total',
    'Honeytokens presented, by place in the request, by the program that gave them out, and whether they are sealed or invented.',
    ['place', 'issued_by', 'kind'],
  );
  const leftOut = metrics.counter(
    'gatehouse_decoy_lines_dropped_total',
    'Event lines of decoys that were counted instead of written.',
    [],
  );
  metrics.count((event, fields) => {
    if (event === 'decoy_hit') hits.inc({ tag: String(fields.tag) });
    else if (event === 'honeytoken_used') uses.inc(useLabels(fields));
    else if (event === 'events_left_out') leftOut.inc(Number(fields.count) || 0);
  });
}

function useLabels(fields: Fields) {
  const [place = ''] = String(fields['honeytoken.presented_in']).split(' ', 1);
  const isSealed = fields['honeytoken.received_by'] !== undefined;
  return {
    place: PLACES.includes(place) ? place : 'other',
    issued_by: String(fields['honeytoken.site'] ?? 'unknown'),
    kind: isSealed ? 'sealed' : 'invented',
  };
}
