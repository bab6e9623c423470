/** Orders the notes that the full-text index found: by their sections, their names and their links. */
import { stemmer } from 'stemmer';
import { memoize } from '../../../core/memoize.ts';
import { VIA } from '../content/link-names.ts';
import { compoundParts, searchableText } from '../content/searchable-text.ts';
import { foldText } from '../store/folded-text.ts';
import { SECTIONS_PER_NOTE } from '../store/schema.ts';
import type { Sql } from '../store/sql.ts';
import type { Found, WeighedTerm } from './search-candidates.ts';
import { STOP_WORDS } from './stop-words.ts';

export interface RankedNote {
  readonly note: number;
  /** The sections that were found, the best first; the first of the note where only its name was. */
  readonly sections: readonly number[];
  readonly score: number;
}
/** Of the best so many by their text, and of those found by a name, names and links are read. */
const MAX_NOTES = 100;
/** Each further section counts half of the one before; the best text of all gets 1. */
const NEXT = 0.5;
/** What stands before or under the first heading says what the whole note is about. */
const LEAD = 1.3;
/** The frontmatter or the text before a heading, and the first heading. */
const LEAD_SECTIONS = 2;
/** What the text gives is raised by so much for a note that very many link to. */
const LINKED = 0.2;
const MAX_LINKS = 100;
/** A name with all the words adds the first, and one without any others the second. */
const NAMED = 0.25;
const COVERED = 0.2;
/** Further so much for all the words in a name, in just this name, or in the headings. */
const WHOLE = 1;
const SAME = 1;
const HEADED = 0.4;

interface FoundRow {
  readonly id: number;
  readonly path: string;
  readonly title: string;
  readonly aliases: string | null;
  readonly headings: string | null;
  readonly links: number;
}

const FOUND = `
  SELECT f.id, f.path, f.title, s.heading_path AS headings,
    (SELECT group_concat(iif(whole = '', key, whole), char(10)) FROM names WHERE file = f.id AND via = ${VIA.alias}) AS aliases,
    (SELECT count(*) FROM (SELECT DISTINCT source FROM links
      WHERE destination = f.id AND source <> f.id LIMIT ${MAX_LINKS})) AS links
  FROM json_each(?) found CROSS JOIN files f ON f.id = found.value / ${SECTIONS_PER_NOTE}
    LEFT JOIN sections s ON s.id = found.value`;

/** The best first. */
export function rankNotes(
  sql: Sql,
  terms: readonly WeighedTerm[],
  sections: readonly Found[],
  titles: readonly Found[],
): RankedNote[] {
  const notes = new Map<number, Found[]>();
  for (const found of sections) {
    const note = Math.floor(found[0] / SECTIONS_PER_NOTE);
    const others = notes.get(note);
    if (others) others.push(found);
    else notes.set(note, [found]);
  }
  for (const [note] of titles) {
    if (!notes.has(note)) notes.set(note, [[note * SECTIONS_PER_NOTE, 0]]);
  }
  const texts = [...notes].map(([note, found]) => ({ note, found, text: textRank(found) }));
  texts.sort((a, b) => b.text - a.text);
  const most = Math.max(Number.MIN_VALUE, texts[0]?.text ?? 0);
  const named = new Set(titles.map(([note]) => note));
  const isRead = texts.map(({ note }, place) => place < MAX_NOTES || named.has(note));
  const rows = readRows(
    sql,
    texts.filter((_, place) => isRead[place]),
  );
  const wanted = stemsOf(terms);
  const ranked = texts.flatMap(({ note, found, text }, place) => {
    const row = rows.get(note);
    if (isRead[place] && !row) return [];
    const links = row ? Math.log1p(row.links) / Math.log1p(MAX_LINKS) : 0;
    const names = row ? scoreNames(row, wanted) : 0;
    const score = (text / most) * (1 + LINKED * links) + names;
    return [{ note, sections: found.map(([id]) => id), score }];
  });
  return ranked.sort((a, b) => b.score - a.score || b.note - a.note);
}

function readRows(
  sql: Sql,
  notes: readonly { readonly found: readonly Found[] }[],
): ReadonlyMap<number, FoundRow> {
  const best = notes.map(({ found }) => found[0]![0]);
  const rows = sql.all<FoundRow>(FOUND, JSON.stringify(best));
  return new Map(rows.map((row) => [row.id, row]));
}

function textRank(sections: readonly Found[]): number {
  let [sum, share] = [0, 1];
  for (const [id, rank] of sections) {
    sum += share * rank * (id % SECTIONS_PER_NOTE < LEAD_SECTIONS ? LEAD : 1);
    share *= NEXT;
  }
  return sum;
}

function stemsOf(terms: readonly WeighedTerm[]): Map<string, number> {
  const words = terms.filter(({ term }) => !term.text.includes(' '));
  return new Map(words.map(({ term, weight }) => [stem(foldText(term.text)), weight]));
}

/** How much of what is looked for the best of the names has, and how little else. */
function scoreNames(row: FoundRow, wanted: ReadonlyMap<string, number>): number {
  const total = [...wanted.values()].reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return 0;
  const read = (text: string) => {
    const words = new Set(nameWords(text));
    const has = [...words].filter((word) => wanted.has(word));
    const share = has.reduce((sum, word) => sum + wanted.get(word)!, 0) / total;
    return {
      share,
      cover: has.length / Math.max(1, words.size),
      isWhole: has.length === wanted.size,
    };
  };
  const scores = namesOf(row).map((name) => {
    const { share, cover, isWhole } = read(name);
    return share * (NAMED + COVERED * cover) + (isWhole ? WHOLE + (cover === 1 ? SAME : 0) : 0);
  });
  const isHeaded = read((JSON.parse(row.headings ?? '[]') as string[]).join('\n')).isWhole;
  return Math.max(...scores, isHeaded ? HEADED : 0);
}

const GENERIC = /^(?:_?index|readme)$/i;

/** A file name that says nothing of itself is that of its folder. */
function namesOf({ path, title, aliases }: FoundRow): string[] {
  const segments = path.replace(/\.md$/i, '').split('/');
  const name = segments.findLast((segment) => !GENERIC.test(segment)) ?? '';
  return [...new Set([title, name, ...(aliases?.split('\n') ?? [])])];
}

const nameWords = memoize((name): readonly string[] => {
  const parts = (name.match(/\w+/g) ?? []).map(compoundParts).filter(({ length }) => length > 1);
  const words = foldText(searchableText(name)).match(/[\p{L}\p{M}\p{N}\p{Co}]+/gu) ?? [];
  return [...words, ...parts.flat().map((part) => part.toLowerCase())]
    .filter((word) => !STOP_WORDS.has(word))
    .map(stem);
});

const stem = memoize(stemmer);
