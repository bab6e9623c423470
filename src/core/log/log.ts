/**
 * One JSON object per line on standard output.
 *
 * Prevents log injection (CWE-117) and secrets in logs (CWE-532): control, line-separator and
 * bidirectional characters are escaped, every known secret is removed from every string, and
 * honeytokens are masked. No line is lost at exit.
 */
import { maskTokens } from '../honeytokens/mask.ts';
import { lineWriter, type WriteLine } from './line-writer.ts';
import { escapeUnprintable } from './unprintable.ts';

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];
export type Fields = Readonly<Record<string, unknown>>;

export interface Log {
  debug(event: string, fields?: Fields): void;
  info(event: string, fields?: Fields): void;
  warn(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
  /** Writes a line at any level, as for audit lines. Returns whether no text contained a secret. */
  always(level: Level, event: string, fields?: Fields): boolean;
}

interface LogOptions {
  readonly level: Level;
  /** Removes every known secret from a text. */
  readonly clean?: (text: string) => string;
  /** The event says whether the line is an alarm. */
  readonly write?: WriteLine;
  readonly now?: () => Date;
}

const MAX_DEPTH = 6;

export function createLog(options: LogOptions): Log {
  const clean = cleanerOf(options.clean);
  const timestamp = timestamps(options.now ?? (() => new Date()));
  const write = options.write ?? lineWriter(1);
  const threshold = LEVELS.indexOf(options.level);

  function always(level: Level, event: string, fields: Fields = {}): boolean {
    const json = JSON.stringify(fields);
    const isPlain = isClean(json, clean);
    const rest = escapeUnprintable(isPlain ? json : JSON.stringify(cleaned(fields, clean)));
    const head = `{"ts":"${timestamp()}","level":"${level}","event":"${event}"`;
    write(rest === '{}' ? `${head}}\n` : `${head},${rest.slice(1)}\n`, event);
    return isPlain;
  }
  function at(level: Level): (event: string, fields?: Fields) => void {
    if (LEVELS.indexOf(level) < threshold) return () => {};
    return (event, fields) => void always(level, event, fields);
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), always };
}

/** An error for a log: its message and code, without the stack. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && !error.message.includes(code)
    ? `${error.message} (${code})`
    : error.message;
}

/** Checks all texts in one pass; where none has escapes, each is in the JSON as it is. */
function isClean(json: string, clean: (text: string) => string): boolean {
  return !json.includes('\\') && clean(json) === json;
}

/** The names of top-level fields are constants of ours. */
function cleaned(fields: Fields, clean: (text: string) => string): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, cleanValue(value, clean, 0)]),
  );
}

function cleanerOf(clean: LogOptions['clean']): (text: string) => string {
  return clean ? (text) => maskTokens(clean(text)) : maskTokens;
}

function cleanValue(value: unknown, clean: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return clean(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, clean, depth + 1));
  if ('toJSON' in value && typeof value.toJSON === 'function') return clean(String(value.toJSON()));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [clean(key), cleanValue(item, clean, depth + 1)]),
  );
}

/** The text of a second is cached: many lines fall into one. */
function timestamps(now: () => Date): () => string {
  let [second, text] = [Number.NaN, ''];
  return () => {
    const time = now();
    const ms = time.getTime();
    const current = Math.floor(ms / 1000);
    if (current !== second) [second, text] = [current, time.toISOString().slice(0, -'000Z'.length)];
    return `${text}${String(ms - second * 1000).padStart(3, '0')}Z`;
  };
}
