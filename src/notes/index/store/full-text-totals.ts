/**
 * A word weighs the more, the fewer of all sections have it. Of a table without content FTS5 counts
 * every section that is written and none that is deleted, so that with each edit of a note the
 * vault would seem larger, until a word that all notes have counts as much as one that a single
 * note has. So its count is set right: the first of the numbers it keeps in row 1 of its data,
 * before the lengths of all columns, which grow with it.
 */
import type { Sql } from './sql.ts';

const TABLES = ['sections_fts', 'titles_fts'] as const;
/** A count that is off by less changes no order that anybody would notice. */
const TOLERATED = 1.1;

/** To be called between transactions: FTS5 keeps its count in memory during one. */
export function correctTotals(sql: Sql): void {
  for (const table of TABLES) correctTotal(sql, table);
}

function correctTotal(sql: Sql, table: (typeof TABLES)[number]): void {
  const rows = sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}_docsize`)?.n ?? 0;
  const kept = sql.get<{ block: Uint8Array }>(`SELECT block FROM ${table}_data WHERE id = 1`);
  const [total = 0, ...lengths] = readNumbers(kept?.block ?? new Uint8Array());
  if (rows === 0 || total <= rows * TOLERATED) return;
  const scaled = lengths.map((length) => Math.round((length * rows) / total));
  const block = writeNumbers([rows, ...scaled]);
  // SQLite guards the tables behind a full-text table unless told otherwise.
  sql.database.enableDefensive?.(false);
  try {
    sql.run(`UPDATE ${table}_data SET block = ? WHERE id = 1`, block);
  } finally {
    sql.database.enableDefensive?.(true);
  }
}

/** Seven bits a byte, the highest first, and a bit in all bytes of a number but its last. */
function readNumbers(block: Uint8Array): number[] {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of block) {
    number = number * 128 + (byte & 127);
    if (byte >= 128) continue;
    numbers.push(number);
    number = 0;
  }
  return numbers;
}

function writeNumbers(numbers: readonly number[]): Buffer {
  return Buffer.from(
    numbers.flatMap((number) => {
      const bytes = [number % 128];
      for (let rest = Math.floor(number / 128); rest > 0; rest = Math.floor(rest / 128)) {
        bytes.unshift((rest % 128) + 128);
      }
      return bytes;
    }),
  );
}
