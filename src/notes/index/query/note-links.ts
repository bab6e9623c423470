/** The links to and from a note, up to three steps away. */
import type { Sql } from '../store/sql.ts';
import { noteId } from './note-texts.ts';

export type LinkDirection = 'in' | 'out' | 'both';

export interface LinksQuery {
  readonly path: string;
  readonly direction?: LinkDirection;
  /** 2 adds the links of the notes found at depth 1, and so on up to 3. */
  readonly depth?: number;
  /** The maximum number of edges per direction. */
  readonly limit?: number;
  /** Whether edges contain the name by which they call the note. */
  readonly names?: boolean;
}

export interface LinkEdge {
  readonly from: string;
  readonly to: string;
  readonly line: number;
  readonly kind: string;
  readonly anchor?: string;
  readonly ambiguous?: true;
  /** The folded name in the link. */
  readonly name?: string;
}

export interface BrokenLink {
  readonly from: string;
  readonly target: string;
  readonly line: number;
  readonly kind: string;
}

export interface NoteLinks {
  readonly in: readonly LinkEdge[];
  readonly out: readonly LinkEdge[];
  readonly broken: readonly BrokenLink[];
  /** Set if edges are omitted. */
  readonly truncated?: true;
}

const DEFAULT_LIMIT = 100;
const MAX_DEPTH = 3;

export function noteLinks(sql: Sql, query: LinksQuery): NoteLinks {
  const start = noteId(sql, query.path);
  const direction = query.direction ?? 'both';
  const limit = Math.max(1, query.limit ?? DEFAULT_LIMIT);
  const depth = Math.min(Math.max(1, query.depth ?? 1), MAX_DEPTH);
  const reach = { depth, limit, names: query.names === true };
  const into = direction === 'out' ? none() : walk(sql, start, 'in', reach);
  const out = direction === 'in' ? none() : walk(sql, start, 'out', reach);
  const broken =
    direction === 'in'
      ? []
      : sql.all<BrokenLink>(
          `SELECT f.path AS "from", l.target, l.line, l.kind FROM links l JOIN files f ON f.id = l.source
            WHERE l.source = ? AND l.destination IS NULL ORDER BY l.place LIMIT ?`,
          start,
          limit,
        );
  return {
    in: into.edges,
    out: out.edges,
    broken,
    ...((into.truncated || out.truncated) && { truncated: true }),
  };
}

function none(): { edges: LinkEdge[]; truncated: boolean } {
  return { edges: [], truncated: false };
}

interface EdgeRow {
  readonly next: number;
  readonly from: string;
  readonly to: string;
  readonly line: number;
  readonly kind: string;
  readonly anchor: string | null;
  readonly ambiguous: number;
  readonly name: string;
}

const EDGE = `
  SELECT s.path AS "from", d.path AS "to", l.line, l.kind, l.anchor, l.ambiguous, l.key AS name`;
const TABLES = `FROM links l JOIN files s ON s.id = l.source JOIN files d ON d.id = l.destination`;
const EDGES = {
  in: `${EDGE}, l.source AS next ${TABLES}
    WHERE l.destination = ?1 AND l.source <> ?1 ORDER BY s.path, l.place LIMIT ?2`,
  out: `${EDGE}, l.destination AS next ${TABLES}
    WHERE l.source = ?1 AND l.destination <> ?1 ORDER BY l.place LIMIT ?2`,
} as const;

function walk(
  sql: Sql,
  start: number,
  direction: 'in' | 'out',
  { depth, limit, names }: Required<Pick<LinksQuery, 'depth' | 'limit' | 'names'>>,
): { edges: LinkEdge[]; truncated: boolean } {
  const edges: LinkEdge[] = [];
  const seen = new Set([start]);
  let level = [start];
  for (let step = 0; step < depth; step++) {
    const next: number[] = [];
    for (const id of level) {
      for (const row of sql.all<EdgeRow>(EDGES[direction], id, limit + 1)) {
        if (edges.length === limit) return { edges, truncated: true };
        edges.push(names ? { ...edgeOf(row), name: row.name } : edgeOf(row));
        if (!seen.has(row.next)) next.push(row.next);
        seen.add(row.next);
      }
    }
    level = next;
  }
  return { edges, truncated: false };
}

function edgeOf({ from, to, line, kind, anchor, ambiguous }: EdgeRow): LinkEdge {
  return {
    from,
    to,
    line,
    kind,
    ...(anchor !== null && { anchor }),
    ...(ambiguous === 1 && { ambiguous: true }),
  };
}
