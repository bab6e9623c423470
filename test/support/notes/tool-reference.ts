/**
 * The table of tools of docs/notes.md. `notesBench` compares every result and every refusal with it, so
 * each test of a tool shows that the reference is complete.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

export const REFERENCE = readFileSync(new URL('../../../docs/notes.md', import.meta.url), 'utf8');
/** The members that every result may have. */
const COMMON = ['vault', 'cursor', 'index_state', 'indexed', 'on_disk', 'reason'];
/** The members that every write has. */
export const WRITE = ['vault', 'path', 'content_hash', 'change_id', 'diff', 'warnings', 'git'];

export interface ToolRow {
  readonly tool: string;
  /** As the table names them, without those of every result. */
  readonly members: readonly string[];
  readonly isWrite: boolean;
  readonly codes: readonly string[];
}

export const TOOL_ROWS: readonly ToolRow[] = tableOf(
  '| tool | arguments | result | own errors |',
).map(([name = '', , result = '', own = '']) => ({
  tool: spans(name)[0]!,
  members: spans(result),
  isWrite: /^ W\b/.test(result),
  codes: spans(own),
}));
const rowByTool = new Map(TOOL_ROWS.map((row) => [row.tool, row]));
const ownCodes = new Set(TOOL_ROWS.flatMap(({ codes }) => codes));
const commonCodes = new Set(
  tableOf('| code | when |').flatMap(([code = '']) => spans(code)),
).difference(ownCodes);

export function assertResultIsDocumented(tool: string, result: object): void {
  const row = rowOf(tool);
  const named = [...row.members, ...COMMON, ...(row.isWrite ? WRITE : [])];
  const unnamed = Object.keys(result).filter((member) => !named.includes(member));
  assert.deepEqual(unnamed, [], `${tool} gives members that docs/notes.md does not name`);
}

export function assertRefusalIsDocumented(tool: string, code: string): void {
  const isNamed = rowOf(tool).codes.includes(code) || commonCodes.has(code);
  assert.ok(isNamed, `${tool} refuses with ${code}, which docs/notes.md does not name`);
}

function rowOf(tool: string): ToolRow {
  const row = rowByTool.get(tool);
  assert.ok(row, `docs/notes.md has no row for ${tool}`);
  return row;
}

function tableOf(header: string): string[][] {
  const [, table = ''] = REFERENCE.split(`${header}\n`);
  const [, ...rows] = table.split('\n\n')[0]!.split('\n');
  return rows.map((row) => row.split('|').slice(1, -1));
}

function spans(cell: string): string[] {
  return [...cell.matchAll(/`(\w+)`/g)].map(([, span]) => span!);
}
