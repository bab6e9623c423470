/**
 * Full-text search as SQLite's manual shows it: one row per note, any word of the query, stems of
 * English, two-character pieces of Chinese and Japanese, and a title that counts more than the text.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Engine, MAX_RESULTS } from '../engine.ts';

const TITLE_WEIGHT = 8;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu;

export function plainFts5(): Engine {
  const db = new DatabaseSync(':memory:');
  db.exec(`CREATE VIRTUAL TABLE notes USING fts5(
    path UNINDEXED, title, text, tokenize = 'porter unicode61 remove_diacritics 2')`);
  const find = db.prepare(`SELECT path FROM notes WHERE notes MATCH ?
    ORDER BY bm25(notes, 0, ${TITLE_WEIGHT}, 1), path LIMIT ${MAX_RESULTS}`);
  return {
    name: 'plain FTS5',
    async index(vault) {
      const insert = db.prepare('INSERT INTO notes VALUES (?, ?, ?)');
      db.exec('BEGIN');
      for (const path of notesIn(vault)) {
        const text = readFileSync(join(vault, path), 'utf8');
        insert.run(path, inBigrams(`${titleOf(text)} ${path}`), inBigrams(text));
      }
      db.exec('COMMIT');
    },
    async search(query) {
      const words = inBigrams(query).match(/[\p{L}\p{N}]+/gu) ?? [];
      if (words.length === 0) return [];
      const rows = find.all(words.map((word) => `"${word}"`).join(' OR '));
      return rows.map(({ path }) => String(path));
    },
    async close() {
      db.close();
    },
  };
}

/** Chinese and Japanese have no spaces: each pair of neighbours becomes a word. */
function inBigrams(text: string): string {
  return text.replace(CJK, (run) => {
    const letters = [...run];
    if (letters.length === 1) return ` ${run} `;
    return ` ${letters
      .slice(1)
      .map((letter, before) => letters[before]! + letter)
      .join(' ')} `;
  });
}

function titleOf(text: string): string {
  const found = /^title: *["']?(.+?)["']? *$|^#+ +(.+)$|^(\S.*)\n=+ *$/m.exec(text);
  return found?.slice(1).find((title) => title !== undefined) ?? '';
}

function notesIn(vault: string): string[] {
  const files = readdirSync(vault, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.md')).toSorted();
}
