/**
 * A database as SQLite writes it (file format 3): each file is a table, its first line the columns and
 * each further line a row, separated by commas. Before them is a column `id`, which numbers the rows.
 */
import type { ArchivedFile } from './archive.ts';

const PAGE = 4_096;
const HEADER = 100;
const [INTERIOR, LEAF] = [0x05, 0x0d];
const VERSION = 3_045_001;
/** A larger record would need overflow pages. */
const MAX_RECORD = PAGE - 35;
/** What all tables have to keep to, since the first page holds what describes them. */
const MAX_TABLES = 3;
const MAX_COLUMNS = 32;
const MAX_COLUMN_LINE = 300;

interface Cell {
  readonly rowid: number;
  readonly bytes: Buffer;
}

export function sqliteFile(tables: readonly ArchivedFile[]): Buffer {
  /** The first page is the schema, which is written last. */
  const pages: Buffer[] = [Buffer.alloc(PAGE)];
  const schema = tables.map(({ name, text }, at) => {
    const [header = '', ...lines] = text.trimEnd().split('\n');
    const columns = header.split(',').map((column) => `, ${quoted(column)} text`);
    const rows = lines.map((line, row) => cell(row + 1, [null, ...valuesOf(line, columns.length)]));
    const root = addTable(pages, rows);
    const sql = `CREATE TABLE ${quoted(name)} ("id" integer PRIMARY KEY${columns.join('')})`;
    return cell(at + 1, ['table', name, name, root, sql]);
  });
  writePage(pages[0]!, LEAF, HEADER, bytesOf(schema));
  writeHeader(pages[0]!, pages.length);
  return Buffer.concat(pages);
}

/** The last column takes the rest of the line, such as an object of JSON. */
function valuesOf(line: string, columns: number): string[] {
  const values = line.split(',');
  return [...values.slice(0, columns - 1), values.slice(columns - 1).join(',')].slice(
    0,
    values.length,
  );
}

/** What makes them no tables of one file, given their texts up to the first placeholder; or nothing. */
export function problemOfTables(texts: readonly string[]): string {
  if (texts.length > MAX_TABLES) return `has more than ${MAX_TABLES} tables`;
  for (const text of texts) {
    const end = text.indexOf('\n');
    if (end < 0) return 'the first line of a table must be its columns, without placeholders';
    if (end > MAX_COLUMN_LINE || text.slice(0, end).split(',').length > MAX_COLUMNS) {
      return `a table has more than ${MAX_COLUMNS} columns or ${MAX_COLUMN_LINE} characters of them`;
    }
  }
  return '';
}

/** Adds the leaves of a table, and their parent where there are several; returns its root page. */
function addTable(pages: Buffer[], cells: readonly Cell[]): number {
  const leaves: Cell[][] = [[]];
  let used = 8;
  for (const one of cells) {
    if (used + one.bytes.length + 2 > PAGE) {
      leaves.push([]);
      used = 8;
    }
    leaves.at(-1)!.push(one);
    used += one.bytes.length + 2;
  }
  const root = pages.length + 1;
  const add = (kind: number, content: readonly Buffer[], rightmost?: number) => {
    pages.push(writePage(Buffer.alloc(PAGE), kind, 0, content, rightmost));
  };
  if (leaves.length > 1) {
    const pointers = leaves.slice(0, -1).map((leaf, at) => {
      const child = Buffer.alloc(4);
      child.writeUInt32BE(root + 1 + at);
      return Buffer.concat([child, varint(leaf.at(-1)!.rowid)]);
    });
    add(INTERIOR, pointers, root + leaves.length);
  }
  for (const leaf of leaves) add(LEAF, bytesOf(leaf));
  return root;
}

function writePage(
  page: Buffer,
  kind: number,
  start: number,
  cells: readonly Buffer[],
  rightmost?: number,
): Buffer {
  let end = PAGE;
  let pointer = start + (rightmost === undefined ? 8 : 12);
  for (const bytes of cells) {
    end -= bytes.copy(page, end - bytes.length);
    page.writeUInt16BE(end, pointer);
    pointer += 2;
  }
  page[start] = kind;
  page.writeUInt16BE(cells.length, start + 3);
  page.writeUInt16BE(end, start + 5);
  if (rightmost !== undefined) page.writeUInt32BE(rightmost, start + 8);
  return page;
}

function cell(rowid: number, values: readonly (string | number | null)[]): Cell {
  const types: Buffer[] = [];
  const bodies: Buffer[] = [];
  const longest = Math.floor(MAX_RECORD / values.length) - 4;
  for (const value of values) {
    const body = value === null ? Buffer.alloc(0) : bodyOf(value).subarray(0, longest);
    bodies.push(body);
    // Null is 0, an integer of four bytes 4, and a text of n bytes 13 + 2n.
    types.push(varint(value === null ? 0 : typeof value === 'number' ? 4 : 13 + 2 * body.length));
  }
  const typeBytes = Buffer.concat(types);
  const headerLength = typeBytes.length < 127 ? 1 : 2;
  const record = Buffer.concat([varint(typeBytes.length + headerLength), typeBytes, ...bodies]);
  return { rowid, bytes: Buffer.concat([varint(record.length), varint(rowid), record]) };
}

function bytesOf(cells: readonly Cell[]): readonly Buffer[] {
  return cells.map(({ bytes }) => bytes);
}

function bodyOf(value: string | number): Buffer {
  if (typeof value === 'string') return Buffer.from(value);
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Seven bits a byte, the most significant first; numbers below 2 to the 31st. */
function varint(value: number): Buffer {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return Buffer.from(bytes);
}

function writeHeader(page: Buffer, pages: number): void {
  page.write('SQLite format 3\0', 'latin1');
  page.writeUInt16BE(PAGE, 16);
  page.set([1, 1, 0, 64, 32, 32], 18);
  page.writeUInt32BE(1, 24);
  page.writeUInt32BE(pages, 28);
  page.writeUInt32BE(1, 40);
  page.writeUInt32BE(4, 44);
  page.writeUInt32BE(1, 56);
  page.writeUInt32BE(1, 92);
  page.writeUInt32BE(VERSION, 96);
}
