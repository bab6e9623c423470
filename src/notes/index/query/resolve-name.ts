/** Finds the notes that a path, a name, an alias or a title may mean. */
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
const PREFIX_LENGTH = 3;
const MAX_COMPARED = 5000;

const CANDIDATES = `
  SELECT n.file, n.via, n.whole, f.path, f.title FROM names n JOIN files f ON f.id = n.file WHERE n.key = ?`;

/** Ignores case. Only the best kind of match is returned: path, then name, alias, title. */
export function resolveName(sql: Sql, name: string): NamedNote[] {
  const asked = name.trim().replace(/^\/+/, '');
  const hasFolder = asked.includes('/');
  const candidatesOf = (key: string) => sql.all<Candidate & { title: string }>(CANDIDATES, key);
  const byKey = candidatesOf(nameKey(asked));
  const wanted = spellingKey(asked);
  const isPath = ({ via, path }: Candidate) =>
    via === VIA.file && (spellingKey(path) === wanted || spellingKey(path) === `${wanted}.md`);
  const kinds: [NamedNote['via'], (candidate: Candidate) => boolean][] = [
    ['path', isPath],
    ['name', ({ via }) => via === VIA.file && !hasFolder],
    ['alias', ({ via, whole }) => via === VIA.alias && (whole === '' || whole === wanted)],
    ['title', ({ via }) => via === VIA.title],
  ];
  const candidates = hasFolder
    ? [
        ...byKey.filter(({ via, whole }) => via === VIA.file || whole !== ''),
        ...candidatesOf(wanted),
      ]
    : byKey;
  for (const [via, meets] of kinds) {
    const found = candidates.filter(meets).map(({ path, title }) => ({ path, title, via }));
    if (found.length > 0) return found.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
  return [];
}

/**
 * Notes with the most similar path, file name or title; `least` is the minimum similarity (0-1).
 */
export function similarNotes(sql: Sql, name: string, limit: number, least = 0): string[] {
  const asked = withoutExtension(name);
  const named = similarCandidates(sql, asked).flatMap(({ path, title }) => {
    const whole = withoutExtension(path);
    const names = asked.includes('/') ? [whole] : [title, whole.slice(whole.lastIndexOf('/') + 1)];
    return names.map((text) => ({ path, text }));
  });
  // A note has at most two names here.
  const found = mostSimilar(asked, named, ({ text }) => text, 2 * limit, least);
  return [...new Set(found.map(({ path }) => path))].slice(0, limit);
}

function withoutExtension(path: string): string {
  return path.replace(/\.md$/i, '');
}

/** Notes with a word in their names that starts alike; without any, the first by path. */
function similarCandidates(sql: Sql, asked: string): { path: string; title: string }[] {
  const starts = asked.match(/[\p{L}\p{N}]+/gu)?.slice(0, MAX_WORDS) ?? [];
  const match = starts.flatMap((word) => {
    const phrase = searchablePhrase([...word].slice(0, PREFIX_LENGTH).join(''));
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

/** The files that the bare name of a path may mean. */
export function namesakes(sql: Sql, path: string): string[] {
  const candidates = sql.all<Candidate>(CANDIDATES, nameKey(path));
  return [...new Set(candidates.map((candidate) => candidate.path))].sort();
}
