/** The arguments that choose notes: folder, name, tags, properties and time. */
import { DAY_MS } from '../../core/time.ts';
import { type Schema, type Static, Type } from '../../mcp/schema.ts';
import {
  type FileFilter,
  WHERE_OPERATORS,
  type Where,
  type WhereOperator,
} from '../index/query/file-filter.ts';
import { dayAfter, dayOf, isDay } from '../text/day.ts';
import type { OpenVault } from '../vaults/open-vault.ts';
import { PREFIX, readPrefix } from './listing.ts';
import { readPeriod, readSpan } from './moments.ts';
import { invalidArguments } from './notes-error.ts';

const ANY: Schema<unknown> = {};
const TEXT = Type.Optional(Type.String());

/** Without descriptions, which `note_search` has; `readFilters` limits lengths. */
export const FILTERS = {
  prefix: TEXT,
  glob: TEXT,
  tags: Type.Optional(Type.Array(Type.String())),
  where: Type.Optional(Type.Array(ANY)),
  modified_after: TEXT,
  modified_before: TEXT,
} as const;

export const DESCRIBED_FILTERS = {
  ...FILTERS,
  prefix: PREFIX,
  glob: Type.Optional(Type.String({ description: '*.md, a/**/b*' })),
  where: Type.Optional(
    Type.Array(ANY, {
      description: 'All: "rating >= 4", "due < today+7d", "status missing".',
    }),
  ),
  modified_after: Type.Optional(Type.String({ description: '2026-11-15, yesterday or 7d.' })),
} as const;

export type Filters = Static<ReturnType<typeof Type.Object<typeof FILTERS>>>;

export async function readFilters(open: OpenVault, args: Filters, now: Date): Promise<FileFilter> {
  const { glob, tags, where } = args;
  checkLimits(args);
  return {
    ...(await readPrefix(open, args.prefix)),
    ...(glob !== undefined && { glob }),
    ...(tags !== undefined && { tags }),
    ...(where !== undefined && { where: where.map((one) => readWhere(one, now)) }),
    ...readPeriod(args, now),
  };
}

const MAX_ITEMS = 10;
const MAX_TEXT_LENGTH = 200;

function checkLimits({ tags = [], where = [], glob = '' }: Filters): void {
  const isLong = [glob, ...tags].some((text) => text.length > MAX_TEXT_LENGTH);
  if (!isLong && tags.length <= MAX_ITEMS && where.length <= MAX_ITEMS) return;
  throw invalidArguments(
    `at most ${MAX_ITEMS} tags and conditions, and ${MAX_TEXT_LENGTH} characters of a tag or glob`,
  );
}

const SIGNS: Readonly<Record<string, WhereOperator>> = {
  '=': 'eq',
  '==': 'eq',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
};
const COMPARED = /^([^<>=!]+?)\s*(<=|>=|!=|==?|<|>)\s*(\S.*)$/s;
const CONTAINED = /^(\S.*?)\s+contains\s+(\S.*)$/s;
const ASKED = /^(\S.*?)\s+(exists|missing)$/s;
const MAX_LENGTH = 700;

/** A text such as `due < today`, or `{key, op, value}`. */
export function readWhere(given: unknown, now: Date): Where {
  const where = typeof given === 'string' ? readText(given.trim()) : asWhere(given);
  if (where === undefined) {
    throw invalidArguments(
      `invalid condition; write "rating >= 4", "due < today", "author contains ada", "status missing" or {"key": "status", "op": "exists"}; op is one of ${WHERE_OPERATORS.join(', ')}`,
    );
  }
  // `exists` with `false` reads like `missing`.
  if ((where.op === 'exists' || where.op === 'missing') && where.value !== undefined) {
    throw invalidArguments(
      `where with "${where.op}" takes no value; leave it out, or take another op`,
    );
  }
  return untilEndOfDay(withDay(where, now));
}

function readText(text: string): Where | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, asked, op] = ASKED.exec(text) ?? [];
  if (asked !== undefined) return { key: asked, op: op as WhereOperator };
  const [, key, sign = '', value = ''] = COMPARED.exec(text) ?? [];
  if (key !== undefined) return compared(key.trim(), SIGNS[sign]!, value);
  const [, holder, part = ''] = CONTAINED.exec(text) ?? [];
  return holder === undefined ? undefined : { key: holder, op: 'contains', value: unquoted(part) };
}

/** A number is compared with numbers only; whether values are equal is a matter of their texts. */
function compared(key: string, op: WhereOperator, value: string): Where {
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(value) && op !== 'eq' && op !== 'ne';
  return { key, op, value: isNumber ? Number(value) : unquoted(value) };
}

function unquoted(value: string): string {
  return /^(["']).*\1$/s.test(value) && value.length > 1 ? value.slice(1, -1) : value;
}

function asWhere(given: unknown): Where | undefined {
  if (given === null || typeof given !== 'object') return undefined;
  const { key, op, value, ...rest } = given as Record<string, unknown>;
  const isValid =
    typeof key === 'string' &&
    key.length <= 200 &&
    WHERE_OPERATORS.some((known) => known === op) &&
    ['undefined', 'string', 'number', 'boolean'].includes(typeof value) &&
    String(value).length <= 500 &&
    Object.keys(rest).length === 0;
  return isValid ? (given as unknown as Where) : undefined;
}

const NAMED_DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const DAY = /^(yesterday|today|tomorrow)(?:\s*([+-])\s*(\d{1,5}[dwmy]))?$/i;

function withDay(where: Where, now: Date): Where {
  const [, name, sign, span] = (typeof where.value === 'string' && DAY.exec(where.value)) || [];
  if (name === undefined || where.op === 'contains') return where;
  const days = span === undefined ? 0 : Math.round(readSpan(span) / DAY_MS);
  const moment = new Date(now);
  moment.setDate(now.getDate() + NAMED_DAYS[name.toLowerCase()]! + (sign === '-' ? -days : days));
  return { ...where, value: dayOf(moment) };
}

/** A moment of a day is not after the day. */
function untilEndOfDay(where: Where): Where {
  const { op, value } = where;
  if (typeof value !== 'string' || !isDay(value)) return where;
  if (op === 'lte') return { ...where, op: 'lt', value: dayAfter(value) };
  return op === 'gt' ? { ...where, op: 'gte', value: dayAfter(value) } : where;
}
