/** Statistics of a vault. */
import type { Sql } from '../store/sql.ts';
import { andAlso, fileCondition } from './file-filter.ts';

export interface VaultCounts {
  readonly notes: number;
  readonly words: number;
  readonly bytes: number;
  readonly tags: number;
  readonly links: number;
  readonly broken_links: number;
  readonly orphans: number;
  readonly open_tasks: number;
  readonly attachments: number;
}

export interface VaultStats {
  readonly counts: VaultCounts;
  /** The number of notes by folder depth, with 0 for the vault root. */
  readonly depth: Readonly<Record<string, number>>;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

const MAX_SKIPPED = 20;

/**
 * Orphans have no links from or to other notes. Without the hint SQLite would use a larger index.
 */
export const ORPHANS = `files f INDEXED BY files_orphaned
  WHERE f.kind = 'note' AND f.skipped IS NULL AND f.linked = 0`;

/** Memoized until the index changes, because metrics and lists call it often. */
export function vaultStats(sql: Sql, query: { readonly prefix?: string }): VaultStats {
  const otherWrites = sql.get<{ data_version: number }>('PRAGMA data_version')?.data_version;
  const ownWrites = sql.get<{ n: number }>('SELECT total_changes() AS n')?.n;
  const version = `${otherWrites}.${ownWrites}`;
  const known = cache.get(sql);
  const state = known?.version === version ? known : { version, stats: new Map() };
  cache.set(sql, state);
  const prefix = query.prefix ?? '';
  const stats = state.stats.get(prefix) ?? countStats(sql, query);
  if (state.stats.size < MAX_CACHED) state.stats.set(prefix, stats);
  return stats;
}

const MAX_CACHED = 20;
const cache = new WeakMap<Sql, { version: string; stats: Map<string, VaultStats> }>();

function countStats(sql: Sql, query: { readonly prefix?: string }): VaultStats {
  const filter = fileCondition(query);
  const also = andAlso(filter);
  const count = (from: string) =>
    sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${from}${also}`, ...filter.values)?.n ?? 0;
  const joined = (table: string, key: string) =>
    filter.sql === '' ? `${table} t` : `${table} t JOIN files f ON f.id = t.${key}`;
  const levels = sql.all<Level>(
    `SELECT f.kind, f.depth, count(*) AS files, sum(f.words) AS words, sum(f.size) AS bytes
      FROM files f WHERE TRUE${also} GROUP BY f.depth, f.kind`,
    ...filter.values,
  );
  const notes = levels.filter(({ kind }) => kind === 'note');
  const tags = sql.get<{ n: number }>(
    `SELECT count(DISTINCT t.key) AS n FROM ${joined('tags', 'file')} WHERE TRUE${also}`,
    ...filter.values,
  );
  return {
    counts: {
      notes: sum(notes, 'files'),
      words: sum(notes, 'words'),
      bytes: sum(notes, 'bytes'),
      tags: tags?.n ?? 0,
      links: count(`${joined('links', 'source')} WHERE TRUE`),
      broken_links: count(`${joined('links', 'source')} WHERE t.destination IS NULL`),
      orphans: count(ORPHANS),
      open_tasks: count(`${joined('tasks', 'file')} WHERE t.done = 0`),
      attachments: sum(levels, 'files') - sum(notes, 'files'),
    },
    depth: Object.fromEntries(notes.map(({ depth, files }) => [String(depth), files])),
    skipped: sql.all<{ path: string; reason: string }>(
      `SELECT f.path, f.skipped AS reason FROM files f WHERE f.skipped IS NOT NULL${also}
        ORDER BY f.path LIMIT ${MAX_SKIPPED}`,
      ...filter.values,
    ),
  };
}

interface Level {
  readonly kind: string;
  readonly depth: number;
  readonly files: number;
  readonly words: number;
  readonly bytes: number;
}

function sum(levels: readonly Level[], column: 'files' | 'words' | 'bytes'): number {
  return levels.reduce((total, level) => total + level[column], 0);
}
