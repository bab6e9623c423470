/** From what somebody calls a note to the notes that may be meant. */
import { spellingKey } from '../../files/vault-path.ts';
import { mostSimilar } from '../../text/similar.ts';
import { type Candidate, nameKey, VIA } from '../content/link-names.ts';
import { searchablePhrase } from '../content/searchable-text.ts';
import type { Sql } from '../store/sql.ts';

export interface NamedNote {
  readonly path: string;
  readonly title: string;
  readonly via: 'path' | 'name' | 'alias' | 'title';
}

const MAX_WORDS = 8;
const SAME_START = 3;
const MAX_COMPARED = 5000;

const CANDIDATES = `
  SELECT n.file, n.via, f.path, f.title FROM names n JOIN files f ON f.id = n.file WHERE n.key = ?`;

/**
 * The notes a caller may mean by a path, a name, an alias or a title, case aside. Only the best
 * kind is given: a path beats a name, that an alias, that a title.
 */
export function resolveName(sql: Sql, name: string): NamedNote[] {
  const asked = name.trim().replace(/^\/+/, '');
  const byKey = sql.all<Candidate & { title: string }>(CANDIDATES, nameKey(asked));
  const whole = asked.includes('/')
    ? sql.all<Candidate & { title: string }>(CANDIDATES, spellingKey(asked))
    : [];
  const wanted = spellingKey(asked);
  const isPath = ({ via, path }: Candidate) =>
    via === VIA.file && (spellingKey(path) === wanted || spellingKey(path) === `${wanted}.md`);
  const kinds: [NamedNote['via'], (candidate: Candidate) => boolean][] = [
    ['path', isPath],
    ['name', ({ via }) => via === VIA.file && !asked.includes('/')],
    ['alias', ({ via }) => via === VIA.alias],
    ['title', ({ via }) => via === VIA.title],
  ];
  const candidates = asked.includes('/')
    ? [...byKey.filter(({ via }) => via === VIA.file), ...whole]
    : byKey;
  for (const [via, meets] of kinds) {
    const found = candidates.filter(meets).map(({ path, title }) => ({ path, title, via }));
    if (found.length > 0) return found.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
  return [];
}

/**
 * The notes whose path, file name or title is most like a name that none has. `least` is how alike
 * they must be, from 0 to 1.
 */
export function similarNotes(sql: Sql, name: string, limit: number, least = 0): string[] {
  const asked = withoutExtension(name);
  const named = notesLike(sql, asked).flatMap(({ path, title }) => {
    const whole = withoutExtension(path);
    const names = asked.includes('/') ? [whole] : [title, whole.slice(whole.lastIndexOf('/') + 1)];
    return names.map((text) => ({ path, text }));
  });
  // A note is there under two names at most.
  const found = mostSimilar(asked, named, ({ text }) => text, 2 * limit, least);
  return [...new Set(found.map(({ path }) => path))].slice(0, limit);
}

function withoutExtension(path: string): string {
  return path.replace(/\.md$/i, '');
}

/** Those with a word in their names that begins alike; where there are none, the first by path. */
function notesLike(sql: Sql, asked: string): { path: string; title: string }[] {
  const starts = asked.match(/[\p{L}\p{N}]+/gu)?.slice(0, MAX_WORDS) ?? [];
  const match = starts.flatMap((word) => {
    const phrase = searchablePhrase([...word].slice(0, SAME_START).join(''));
    return phrase ? [`"${phrase.text}" *`] : [];
  });
  const near =
    match.length === 0
      ? []
      : sql.all<{ path: string; title: string }>(
          `SELECT f.path, f.title FROM titles_fts CROSS JOIN files f ON f.id = titles_fts.rowid
            WHERE titles_fts MATCH ? LIMIT ${MAX_COMPARED}`,
          match.join(' OR '),
        );
  if (near.length > 0) return near;
  return sql.all(
    `SELECT path, title FROM files WHERE kind = 'note' ORDER BY path LIMIT ${MAX_COMPARED}`,
  );
}

/** The files that a bare name may lead to, for asking whether it is enough. */
export function namesakes(sql: Sql, path: string): string[] {
  const candidates = sql.all<Candidate>(CANDIDATES, nameKey(path));
  return [...new Set(candidates.map((candidate) => candidate.path))].sort();
}
