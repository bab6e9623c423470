/**
 * A STIX 2.1 bundle: an indicator for each source, and the ATT&CK techniques of its tags. The ids are
 * derived from names (UUID version 5, RFC 9562), so that a later export updates an earlier one.
 */
import { createHash } from 'node:crypto';
import { CATALOGUE, entryOf } from '../catalogue.ts';
import type { CatalogueEntry } from '../kit/catalogue-entry.ts';

/** The namespace that STIX 2.1, section 2.9, gives for such ids. */
const NAMESPACE = Buffer.from('00abedb4aa42466c9c01fed23315a9b7', 'hex');
/** For all of them: `created` must not change with an id (section 3.6), whatever lines are left. */
const CREATED = '2026-01-01T00:00:00.000Z';

/** One source and what it did. */
export interface Source {
  readonly address: string;
  readonly family: 4 | 6;
  hits: number;
  firstMs: number;
  lastMs: number;
  readonly tags: Set<string>;
}

/** An indicator is valid for `validMs` after the last event of its source. */
export function stixBundle(sources: readonly Source[], validMs: number): object {
  const producer = object('identity', 'gatehouse decoys', {
    created: CREATED,
    modified: CREATED,
    name: 'Gatehouse decoys',
    identity_class: 'system',
  });
  const techniques = new Map(
    CATALOGUE.map((entry) => [entry.technique.id, techniqueObject(entry)] as const),
  );
  const indicators = sources.map((source) => indicator(source, producer.id, validMs));
  const relationships = sources.flatMap((source, index) => {
    const ids = new Set([...source.tags].map((tag) => entryOf(tag)?.technique.id));
    return [...techniques]
      .filter(([id]) => ids.has(id))
      .map(([, technique]) => relationship(indicators[index]!, technique));
  });
  const objects = [producer, ...techniques.values(), ...indicators, ...relationships];
  return { type: 'bundle', id: `bundle--${uuid(objects.map(({ id }) => id).join())}`, objects };
}

interface StixObject {
  readonly type: string;
  readonly id: string;
  readonly [property: string]: unknown;
}

function indicator(source: Source, producer: string, validMs: number): StixObject {
  const { address, family, hits, tags } = source;
  const { firstMs, lastMs } = source;
  // At least a millisecond: `valid_until` is after `valid_from` (section 4.7).
  const untilMs = Math.max(lastMs + validMs, firstMs + 1);
  const [first, last, until] = [firstMs, lastMs, untilMs].map((ms) => new Date(ms).toISOString());
  return object('indicator', address, {
    created_by_ref: producer,
    created: CREATED,
    modified: last,
    name: `Scanner ${address}`,
    description: `${hits} events: ${[...tags].sort().join(', ')}`,
    indicator_types: ['malicious-activity'],
    pattern: `[ipv${family}-addr:value = '${address}']`,
    pattern_type: 'stix',
    valid_from: first,
    valid_until: until,
  });
}

function techniqueObject({ technique: { id, name, url } }: CatalogueEntry): StixObject {
  return object('attack-pattern', id, {
    created: CREATED,
    modified: CREATED,
    name,
    external_references: [{ source_name: 'mitre-attack', external_id: id, url }],
  });
}

function relationship(from: StixObject, to: StixObject): StixObject {
  return object('relationship', `${from.id} indicates ${to.id}`, {
    created: CREATED,
    modified: from.modified,
    relationship_type: 'indicates',
    source_ref: from.id,
    target_ref: to.id,
  });
}

function object(type: string, name: string, properties: object): StixObject {
  return { type, spec_version: '2.1', id: `${type}--${uuid(`${type} ${name}`)}`, ...properties };
}

function uuid(name: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
